// Recovery of an interrupted run's segments, whatever happened to the file.
#include "app/media/write/segment_store.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <iterator>
#include <limits>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "app/media/demux/packet_bytes.h"
#include "tests/support/clips.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using namespace test;
using testing::HasSubstr;

AVPacketPtr packet_of(int number) {
    AVPacketPtr packet = make_packet();
    const std::string data = "packet " + std::to_string(number) + std::string(number % 7, '!');
    EXPECT_GE(av_new_packet(packet.get(), static_cast<int>(data.size())), 0);
    std::memcpy(packet->data, data.data(), data.size());
    packet->pts = number * 512;
    packet->dts = packet->pts - 1024;
    packet->duration = 512 + number;
    packet->flags = number % 3 == 0 ? AV_PKT_FLAG_KEY : 0;
    if (number % 2 == 1) {
        std::uint8_t* side =
            av_packet_new_side_data(packet.get(), AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL, 9);
        std::fill_n(side, 9, std::uint8_t{'a'});
    }
    return packet;
}

std::string text_of(const AVPacket& packet) {
    std::string text(packet.data, packet.data + packet.size);
    for (int k = 0; k < packet.side_data_elems; ++k)
        text.append(packet.side_data[k].data, packet.side_data[k].data + packet.side_data[k].size)
            .append(std::to_string(packet.side_data[k].type));
    for (const std::int64_t number :
         {packet.pts, packet.dts, packet.duration, std::int64_t{packet.flags}})
        text += " " + std::to_string(number);
    return text;
}

class MediaSegmentStore : public testing::Test {
 protected:
    static constexpr int kSegments = 3;
    static constexpr int kFrames = 4;  // per segment

    SegmentRequest request() const {
        return {.output = (folder_ / "out.mkv").string(),
                .job = {{"stack", "box"}, {"input", "in.mkv"}},
                .encoder_threads = 3};
    }
    fs::path file() const { return segment_file(request().output); }

    void SetUp() override {
        folder_ = clip_dir() / "segments";
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    static std::vector<Hash128> hashes_of(int segment) {
        std::vector<Hash128> hashes;
        for (int k = segment * kFrames; std::ssize(hashes) < kFrames; ++k)
            hashes.push_back(hash_of(&k, sizeof k));
        return hashes;
    }
    static void add_segment(SegmentStore& store, int segment) {
        for (int k = 0; k < kFrames; ++k) store.add(*packet_of(segment * kFrames + k));
        store.finish_segment(hashes_of(segment));
    }
    // The bytes of a file whose run was killed in its fourth segment.
    Bytes interrupted() const { return interrupted(request()); }
    Bytes interrupted(const SegmentRequest& first) const {
        {
            SegmentStore store(first);
            store.require_headers(kHeaders);
            for (int k = 0; k < kSegments; ++k) add_segment(store, k);
            ends_ = ends_of(store);
            store.add(*packet_of(100));
        }
        return read_bytes(file());
    }
    static std::vector<std::int64_t> ends_of(const SegmentStore& store) {
        std::vector<std::int64_t> ends;
        for (const StoredSegment& segment : store.segments()) ends.push_back(segment.begin);
        ends.erase(ends.begin());
        ends.push_back(static_cast<std::int64_t>(
            fs::file_size(segment_file((clip_dir() / "segments/out.mkv").string()))));
        return ends;
    }
    // The number of segments that end within the first `bytes`.
    std::size_t whole(std::int64_t bytes) const {
        return static_cast<std::size_t>(
            std::ranges::count_if(ends_, [&](std::int64_t end) { return end <= bytes; }));
    }
    static void expect_packets(SegmentStore& store) {
        for (std::size_t s = 0; s < store.segments().size(); ++s) {
            std::vector<std::string> got;
            std::vector<std::string> want;
            want.reserve(kFrames);
            store.replay(store.segments()[s],
                         [&](const AVPacketPtr& packet) { got.push_back(text_of(*packet)); });
            for (int k = 0; k < kFrames; ++k)
                want.push_back(text_of(*packet_of(static_cast<int>(s) * kFrames + k)));
            EXPECT_EQ(got, want) << "segment " << s;
            EXPECT_EQ(store.segments()[s].hashes, hashes_of(static_cast<int>(s))) << s;
        }
    }
    std::string error_of(const SegmentRequest& wanted, Outcome outcome) const {
        try {
            SegmentStore store(wanted);
            store.require_headers(kHeaders);
        } catch (const Error& error) {
            EXPECT_EQ(error.outcome(), outcome);
            return error.what();
        }
        return "no error";
    }
    void put(const Bytes& bytes) const {
        write_bytes("segments/" + file().filename().string(), bytes);
    }

    static std::vector<Record> records_of(const fs::path& path) {
        RecordFile file(FileDescriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC)), path.string());
        std::vector<Record> records;
        while (std::optional<Record> record = file.read()) records.push_back(std::move(*record));
        return records;
    }
    void write_records(const std::vector<Record>& records) const {
        fs::remove(file());
        RecordFile into(FileDescriptor(open(file().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)),
                        file().string());
        for (const Record& record : records) into.append(record.kind, record.bytes);
    }

    const std::vector<std::uint8_t> kHeaders{1, 2, 3};
    fs::path folder_;
    mutable std::vector<std::int64_t> ends_;
};

TEST_F(MediaSegmentStore, KeepsFinishedSegments) {
    interrupted();
    SegmentStore store(request());
    store.require_headers(kHeaders);
    EXPECT_EQ(store.frames(), kSegments * kFrames);
    EXPECT_TRUE(store.notes().empty());
    expect_packets(store);
    add_segment(store, kSegments);
    expect_packets(store);
    EXPECT_EQ(store.segments().size(), kSegments + 1U);
}

TEST_F(MediaSegmentStore, ContinuesAfterEveryLength) {
    const Bytes all = interrupted();
    for (std::size_t length = 0; length <= all.size(); ++length) {
        SCOPED_TRACE(length);
        put({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(length)});
        SegmentStore store(request());
        store.require_headers(kHeaders);
        const std::size_t kept = whole(static_cast<std::int64_t>(length));
        ASSERT_EQ(store.segments().size(), kept);
        add_segment(store, static_cast<int>(kept));
        expect_packets(store);
    }
}

// Everything from the segment with the wrong byte on is redone.
TEST_F(MediaSegmentStore, DetectsEveryChangedByte) {
    const Bytes all = interrupted();
    for (std::size_t at = 0; at < all.size(); ++at) {
        SCOPED_TRACE(at);
        Bytes changed = all;
        changed[at] ^= 0x10U;
        put(changed);
        if (at >= 4 && at < 8) {  // the kind of the first record: the file may be a foreign one
            EXPECT_THAT(error_of(request(), Outcome::usage), HasSubstr("does not begin as weft"));
            continue;
        }
        SegmentStore store(request());
        store.require_headers(kHeaders);
        ASSERT_EQ(store.segments().size(), whole(static_cast<std::int64_t>(at)));
        expect_packets(store);
    }
}

TEST_F(MediaSegmentStore, OtherJobsAreRefused) {
    const Bytes all = interrupted();
    SegmentRequest other = request();
    other.job.front().value = "gaussian";
    EXPECT_THAT(error_of(other, Outcome::usage),
                testing::AllOf(HasSubstr("12 frames"), HasSubstr("stack: then box, now gaussian"),
                               HasSubstr("-y")));
    other.job.front().value = "";
    EXPECT_THAT(error_of(other, Outcome::usage), HasSubstr("stack: then box, now none)"));
    SegmentRequest more = request();
    more.job.push_back({"device", "GPU"});
    EXPECT_THAT(error_of(more, Outcome::usage), HasSubstr("device: then unknown, now GPU"));
    SegmentRequest fewer = request();
    fewer.job.pop_back();
    EXPECT_THAT(error_of(fewer, Outcome::usage), HasSubstr("do not fit"));
    EXPECT_EQ(read_bytes(file()), all) << "changed by a run that was refused";
}

TEST_F(MediaSegmentStore, ReplacesOtherJobsOnRequest) {
    interrupted();
    SegmentRequest other = request();
    other.job.front().value = "gaussian";
    other.overwrite = Overwrite::replace;
    SegmentStore store(other);
    EXPECT_EQ(store.frames(), 0);
    ASSERT_EQ(store.notes().size(), 1U);
    EXPECT_THAT(store.notes().front(), HasSubstr("started over"));
}

// Users do not choose the device of a run, so no error asks for -y.
TEST_F(MediaSegmentStore, FactsWithAReasonBeginAgainWithANote) {
    SegmentRequest then = request();
    then.job.push_back({"device", "Card 0", "devices differ"});
    SegmentRequest now = then;
    now.job.back().value = "CPU";
    const Bytes all = interrupted(then);
    SegmentRequest other = now;
    other.job.front().value = "gaussian";
    EXPECT_THAT(error_of(other, Outcome::usage),
                testing::AllOf(HasSubstr("stack: then box, now gaussian"), HasSubstr("-y")));
    EXPECT_EQ(read_bytes(file()), all) << "changed by a run that was refused";
    {
        SegmentStore same(then);
        EXPECT_EQ(same.frames(), kSegments * kFrames);
        EXPECT_THAT(same.notes(), testing::IsEmpty());
    }
    SegmentStore store(now);
    EXPECT_EQ(store.frames(), 0);
    EXPECT_THAT(store.notes(),
                testing::ElementsAre(testing::AllOf(
                    HasSubstr("12 frames"), HasSubstr("device: then Card 0, now CPU"),
                    HasSubstr("devices differ"), HasSubstr("begun again"))));
    store.require_headers({});
    add_segment(store, 0);
    expect_packets(store);
}

TEST_F(MediaSegmentStore, OtherHeadersAreAnotherJob) {
    interrupted();
    const std::vector<std::uint8_t> others{1, 2, 4};
    {
        SegmentStore store(request());
        EXPECT_THROW(store.require_headers(others), Error);
    }
    SegmentRequest replace = request();
    replace.overwrite = Overwrite::replace;
    SegmentStore store(replace);
    store.require_headers(others);
    EXPECT_EQ(store.frames(), 0);
}

TEST_F(MediaSegmentStore, AnotherJobWithoutAFrameIsNoLoss) {
    interrupted();
    Bytes head = read_bytes(file());
    head.resize(static_cast<std::size_t>(ends_.front()) - 1);
    put(head);
    SegmentRequest other = request();
    other.job.front().value = "gaussian";
    EXPECT_EQ(SegmentStore(other).frames(), 0);
}

TEST_F(MediaSegmentStore, EncoderThreadsAreThoseOfTheFirstRun) {
    interrupted();
    SegmentRequest more = request();
    more.encoder_threads = 16;
    EXPECT_EQ(SegmentStore(more).encoder_threads(), 3);
}

TEST_F(MediaSegmentStore, TwoAtOnceAreRefused) {
    interrupted();
    const SegmentStore first(request());
    EXPECT_THAT(error_of(request(), Outcome::not_written),
                HasSubstr("another --resume run is using it"));
    remove_segment_file(request().output);
    EXPECT_TRUE(fs::exists(file())) << "removed while in use";
}

TEST_F(MediaSegmentStore, LeavesNothingIfNothingIsKept) {
    { SegmentStore store(request()); }
    EXPECT_FALSE(fs::exists(file())) << "no segment";
    interrupted();
    SegmentStore(request()).remove();
    EXPECT_FALSE(fs::exists(file())) << "removed";
    interrupted();
    remove_segment_file(request().output);
    EXPECT_FALSE(fs::exists(file())) << "removed by name";
}

// ---- forged files: every checksum fits, and a field does not ----

struct Forgery {
    const char* name;
    std::function<void(std::vector<Record>&)> change;
    const char* says;
};

constexpr std::size_t kPtsAt = 0, kDtsAt = 8, kDurationAt = 16, kSizeAt = 24, kFlagsAt = 32,
                      kSidesAt = 36, kDataAt = 40;

template <class T>
void put_at(Record& record, std::size_t at, T value) {
    ASSERT_LE(at + sizeof value, record.bytes.size());
    std::memcpy(record.bytes.data() + at, &value, sizeof value);
}

Record& first(std::vector<Record>& records, LedgerRecord kind) {
    return *std::ranges::find(records, static_cast<std::uint32_t>(kind), &Record::kind);
}

// The second packet has 8 or more bytes of data and one element of side data.
Record& with_side_data(std::vector<Record>& records) {
    const auto kind = static_cast<std::uint32_t>(LedgerRecord::packet);
    const auto begin = std::ranges::find(records, kind, &Record::kind);
    return *std::find_if(begin + 1, records.end(), [&](const Record& r) { return r.kind == kind; });
}

template <class T>
auto in_packet(std::size_t at, T value) {
    return [=](std::vector<Record>& records) {
        put_at(first(records, LedgerRecord::packet), at, value);
    };
}

template <class T>
auto in_side_data(std::size_t at, T value) {
    return [=](std::vector<Record>& records) {
        Record& record = with_side_data(records);
        std::int64_t size = 0;
        std::memcpy(&size, record.bytes.data() + kSizeAt, sizeof size);
        put_at(record, kDataAt + static_cast<std::size_t>(size) + at, value);
    };
}

template <class T>
auto in_kind(LedgerRecord kind, std::size_t at, T value) {
    return [=](std::vector<Record>& records) { put_at(first(records, kind), at, value); };
}

auto without(LedgerRecord kind) {
    return [=](std::vector<Record>& records) {
        records.erase(std::ranges::find(records, static_cast<std::uint32_t>(kind), &Record::kind));
    };
}

auto twice(LedgerRecord kind) {
    return [=](std::vector<Record>& records) { records.push_back(first(records, kind)); };
}

auto with(LedgerRecord kind, std::size_t bytes) {
    return [=](std::vector<Record>& records) {
        first(records, kind).bytes.resize(bytes, std::uint8_t{1});
    };
}

std::vector<Forgery> forgeries() {
    constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
    std::vector<Forgery> all = {
        {"NotATimeShown", in_packet(kPtsAt, AV_NOPTS_VALUE), "time"},
        {"FarTimeShown", in_packet(kPtsAt, kFar), "time"},
        {"NotATimeDecoded", in_packet(kDtsAt, AV_NOPTS_VALUE), "time"},
        {"FarTimeDecoded", in_packet(kDtsAt, -kFar), "time"},
        {"FarDuration", in_packet(kDurationAt, kFar), "time"},
        {"NegativeDuration", in_packet(kDurationAt, std::int64_t{-1}), "duration"},
        {"NegativeSize", in_packet(kSizeAt, std::int64_t{-1}), "cut short"},
        {"SizeBeyondTheRecord", in_packet(kSizeAt, std::int64_t{1000}), "cut short"},
        {"SizeBeyondLibav", in_packet(kSizeAt, std::int64_t{1} << 31), "bytes"},
        {"SmallerSize", in_packet(kSizeAt, std::int64_t{1}), "too many"},
        {"SideDataThatIsNotThere", in_packet(kSidesAt, 1), "cut short"},
        {"ManySides", in_packet(kSidesAt, std::numeric_limits<std::int32_t>::max()), "cut short"},
        {"NegativeSides", in_packet(kSidesAt, -1), "side data"},
        {"SideTypeBelow", in_side_data(0, std::int64_t{-1}), "side data -1"},
        {"SideTypeBeyond", in_side_data(0, std::int64_t{AV_PKT_DATA_NB}), "side data"},
        {"SideTypeBeyondAnInt", in_side_data(0, std::int64_t{1} << 40), "side data"},
        {"SideTypeOfAStruct", in_side_data(0, std::int64_t{AV_PKT_DATA_CPB_PROPERTIES}),
         "side data"},
        {"SideTypeThatIsNotKept", in_side_data(0, std::int64_t{AV_PKT_DATA_SKIP_SAMPLES}),
         "side data"},
        {"NegativeSideSize", in_side_data(8, std::int64_t{-1}), "cut short"},
        {"HugeSideSize", in_side_data(8, kFar), "cut short"},
        {"ShortPacket", with(LedgerRecord::packet, 39), "cut short"},
        {"EmptyPacket", with(LedgerRecord::packet, 0), "cut short"},
        {"NegativeThreads", in_kind(LedgerRecord::job, 0, std::int64_t{-1}), "threads"},
        {"ManyThreads", in_kind(LedgerRecord::job, 0, std::int64_t{1} << 32), "threads"},
        {"LongJob", with(LedgerRecord::job, 9), "job"},
        {"NoFrames", in_kind(LedgerRecord::segment, 0, std::int64_t{0}), "frames"},
        {"NegativeFrames", in_kind(LedgerRecord::segment, 0, std::int64_t{-4}), "frames"},
        {"MoreFrames", in_kind(LedgerRecord::segment, 0, kFar), "frames"},
        {"MorePackets", in_kind(LedgerRecord::segment, 8, std::int64_t{5}), "packets"},
        {"ShortSegment", with(LedgerRecord::segment, 15), "segment"},
        {"FewHashes", with(LedgerRecord::segment, 16 + 4 * sizeof(Hash128) - 1), "segment"},
        {"ManyHashes", with(LedgerRecord::segment, 16 + 5 * sizeof(Hash128)), "segment"},
        {"NoHeaders", without(LedgerRecord::headers), "before the headers"},
        {"TwoHeaders", twice(LedgerRecord::headers), "headers"},
        {"TwoJobs", twice(LedgerRecord::job), "job"},
        {"LateFact", twice(LedgerRecord::fact), "fact"},
        {"FactWithoutAValue", with(LedgerRecord::fact, 3), "fact"},
        {"AnotherFormat", in_kind(LedgerRecord::fact, 7, '3'), "format"},
        {"UnknownKind", [](std::vector<Record>& records) { records.back().kind = 6; }, "kind 6"},
        {"KindNought", [](std::vector<Record>& records) { records.front().kind = 0; }, "kind 0"},
        {"ManyFacts",
         [](std::vector<Record>& records) {
             records.insert(records.begin(), 100, records.front());
         },
         "facts"},
    };
    for (const int flags : {0x8, 0x20, 0x2000, 0x2001, std::numeric_limits<int>::min(), -1})
        all.push_back({"Flags", in_packet(kFlagsAt, flags), "flags"});
    return all;
}

// The message names the problem, and the file is unchanged; with -y the run begins again.
TEST_F(MediaSegmentStore, ForgedFilesAreRefused) {
    interrupted();
    const std::vector<Record> records = records_of(file());
    for (const Forgery& forgery : forgeries()) {
        SCOPED_TRACE(forgery.name);
        std::vector<Record> forged = records;
        forgery.change(forged);
        write_records(forged);
        const Bytes bytes = read_bytes(file());
        EXPECT_THAT(error_of(request(), Outcome::usage),
                    testing::AllOf(HasSubstr(forgery.says), HasSubstr(".out.mkv.weft-resume"),
                                   HasSubstr("-y")));
        EXPECT_EQ(read_bytes(file()), bytes) << "changed by a run that was refused";
        SegmentRequest replace = request();
        replace.overwrite = Overwrite::replace;
        SegmentStore store(replace);
        EXPECT_EQ(store.frames(), 0);
        EXPECT_THAT(store.notes(), testing::ElementsAre(HasSubstr(forgery.says)));
    }
}

TEST_F(MediaSegmentStore, UnknownFlagsAndSideDataAreNotStored) {
    const AVPacketPtr packet = packet_of(1);
    packet->flags |= 0x2000 | AV_PKT_FLAG_TRUSTED;
    ASSERT_NE(av_packet_new_side_data(packet.get(), AV_PKT_DATA_SKIP_SAMPLES, 10), nullptr);
    EXPECT_EQ(text_of(*packet_from(packet_bytes(*packet))), text_of(*packet_of(1)));
}

TEST_F(MediaSegmentStore, OnlyOwnerMayRead) {
    interrupted();
    EXPECT_EQ(fs::status(file()).permissions(), fs::perms(0600));
}

// Never reads a file that another user may have made and never writes one that may be another file
// of this user, with or without -y.
TEST_F(MediaSegmentStore, FilesOfOthersAreLeftAlone) {
    const fs::path victim = folder_ / "victim";
    struct Row {
        const char* says;
        std::function<bool()> make;
    };
    const auto change_mode = [&](unsigned mode) {
        interrupted();
        fs::permissions(file(), fs::perms(mode));
        return true;
    };
    for (const Row& row : std::vector<Row>{
             {"another user", [&] { return interrupted(), chown(file().c_str(), 1, 1) == 0; }},
             {"written by other users", [&] { return change_mode(0620); }},
             {"written by other users", [&] { return change_mode(0602); }},
             {"symbolic link", [&] { return fs::create_symlink(victim, file()), true; }},
             {"hard link", [&] { return fs::create_hard_link(victim, file()), true; }},
             {"not a regular file", [&] { return mkfifo(file().c_str(), 0600) == 0; }}}) {
        SCOPED_TRACE(row.says);
        fs::remove(file());
        write_bytes("segments/victim", {1, 2, 3});
        if (!row.make()) continue;  // only root gives files away
        for (const Overwrite overwrite : {Overwrite::refuse, Overwrite::replace}) {
            SegmentRequest wanted = request();
            wanted.overwrite = overwrite;
            EXPECT_THAT(error_of(wanted, Outcome::usage),
                        testing::AllOf(HasSubstr(row.says), HasSubstr("remove it")));
        }
        EXPECT_EQ(read_bytes(victim), (Bytes{1, 2, 3}));
    }
}

TEST_F(MediaSegmentStore, LongNamesFit) {
    SegmentRequest longest = request();
    longest.output = (folder_ / (std::string(251, 'a') + ".mkv")).string();
    EXPECT_EQ(SegmentStore(longest).frames(), 0);
}

TEST_F(MediaSegmentStore, MissingFolderIsAnOutputError) {
    SegmentRequest nowhere = request();
    nowhere.output = (folder_ / "none/out.mkv").string();
    EXPECT_THAT(error_of(nowhere, Outcome::not_written), HasSubstr("does not exist"));
}

}  // namespace
}  // namespace weft
