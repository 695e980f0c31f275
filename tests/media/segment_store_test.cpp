// What of an interrupted run is found again, whatever became of the file.
#include "app/media/segment_store.h"

#include <algorithm>
#include <cstring>

#include <gmock/gmock.h>

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
            av_packet_new_side_data(packet.get(), AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL, 5);
        std::fill_n(side, 5, std::uint8_t{'a'});
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
    static constexpr int kFrames = 4;  // of a segment

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
    static void add_segment(SegmentStore& store, int segment) {
        for (int k = 0; k < kFrames; ++k) store.add(*packet_of(segment * kFrames + k));
        store.finish_segment(kFrames);
    }
    // The file of a run that was killed in its fourth segment; its bytes.
    Bytes interrupted() const {
        {
            SegmentStore store(request());
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
    // Segments that end within the first `bytes`.
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
        }
    }
    std::string error_of(const SegmentRequest& wanted, ExitCode code) const {
        try {
            SegmentStore store(wanted);
            store.require_headers(kHeaders);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), code);
            return error.what();
        }
        return "no error";
    }
    void put(const Bytes& bytes) const {
        write_bytes("segments/" + file().filename().string(), bytes);
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

TEST_F(MediaSegmentStore, GoesOnAfterEveryLength) {
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

// From the segment with the wrong byte on all is done anew.
TEST_F(MediaSegmentStore, SeesEveryChangedByte) {
    const Bytes all = interrupted();
    for (std::size_t at = 0; at < all.size(); ++at) {
        SCOPED_TRACE(at);
        Bytes changed = all;
        changed[at] ^= 0x10U;
        put(changed);
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
    EXPECT_THAT(error_of(other, ExitCode::usage),
                testing::AllOf(HasSubstr("12 frames"), HasSubstr("stack: then box, now gaussian"),
                               HasSubstr("-y")));
    SegmentRequest more = request();
    more.job.push_back({"device", "GPU"});
    EXPECT_THAT(error_of(more, ExitCode::usage), HasSubstr("device: then unknown, now GPU"));
    SegmentRequest fewer = request();
    fewer.job.pop_back();
    EXPECT_THAT(error_of(fewer, ExitCode::usage), HasSubstr("do not fit"));
    EXPECT_EQ(read_bytes(file()), all) << "changed by a run that was refused";
}

TEST_F(MediaSegmentStore, OtherJobsAreReplacedWhereThatIsAsked) {
    interrupted();
    SegmentRequest other = request();
    other.job.front().value = "gaussian";
    other.overwrite = Overwrite::replace;
    SegmentStore store(other);
    EXPECT_EQ(store.frames(), 0);
    ASSERT_EQ(store.notes().size(), 1U);
    EXPECT_THAT(store.notes().front(), HasSubstr("begun anew"));
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
    EXPECT_THAT(error_of(request(), ExitCode::not_written), HasSubstr("another run"));
    remove_segment_file(request().output);
    EXPECT_TRUE(fs::exists(file())) << "removed while in use";
}

TEST_F(MediaSegmentStore, NothingIsLeftWhereNothingIsKept) {
    { SegmentStore store(request()); }
    EXPECT_FALSE(fs::exists(file())) << "no segment";
    interrupted();
    SegmentStore(request()).remove();
    EXPECT_FALSE(fs::exists(file())) << "removed";
    interrupted();
    remove_segment_file(request().output);
    EXPECT_FALSE(fs::exists(file())) << "removed by name";
}

TEST_F(MediaSegmentStore, LongNamesFit) {
    SegmentRequest longest = request();
    longest.output = (folder_ / (std::string(251, 'a') + ".mkv")).string();
    EXPECT_EQ(SegmentStore(longest).frames(), 0);
}

TEST_F(MediaSegmentStore, AFolderThatIsNotThereIsAnOutputError) {
    SegmentRequest nowhere = request();
    nowhere.output = (folder_ / "none/out.mkv").string();
    EXPECT_THAT(error_of(nowhere, ExitCode::not_written), HasSubstr("does not exist"));
}

}  // namespace
}  // namespace weft
