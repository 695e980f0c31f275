// Clocks that start again: transport and program streams that were joined.
#include <algorithm>
#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>

#include "app/media/demux/continuous_clock.h"
#include "tests/media/read/reader_support.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;

constexpr double kTick = 0.0001;

// A second of 25 frames and a tone, whose clock starts at `offset` seconds.
fs::path part(const std::string& offset, const std::string& format) {
    return make_clip("part" + offset + "." + format,
                     "-f lavfi -i testsrc2=s=64x48:r=25:d=1 -f lavfi -i sine=d=1 -c:v mpeg2video "
                     "-bf 2 -c:a mp2 -output_ts_offset " +
                         offset);
}

struct Times {
    std::vector<double> video;
    std::vector<double> audio;
    std::vector<std::string> notes;
    std::string damage;
};

Times times_of(const fs::path& file, std::optional<std::int64_t> start_us = {},
               std::optional<std::int64_t> end_us = {}) {
    ReaderOptions options;
    options.path = file.string();
    options.start_us = start_us;
    options.end_us = end_us;
    Reader reader(options);
    Times times;
    for (;;) {
        const MediaItem item = reader.next();
        if (std::holds_alternative<EndOfInput>(item)) break;
        if (const auto* frame = std::get_if<Frame>(&item)) {
            times.video.push_back(static_cast<double>(frame->pts) * av_q2d(reader.time_base()));
            continue;
        }
        const AVPacket& packet = *std::get<SourcePacket>(item).packet;
        times.audio.push_back(
            packet_seconds(packet, reader.source().streams[packet.stream_index]->time_base));
    }
    times.notes = reader.notes();
    times.damage = reader.damage().reason;
    return times;
}

fs::path joined(const std::string& name, const std::vector<fs::path>& parts) {
    Bytes all;
    for (const fs::path& one : parts) {
        const Bytes bytes = read_bytes(one);
        all.insert(all.end(), bytes.begin(), bytes.end());
    }
    return write_bytes(name, all);
}

// times[from …] are those of `wanted`, moved by the same time.
void expect_moved(const std::vector<double>& times, std::size_t from,
                  const std::vector<double>& wanted, double moved, double tolerance = kTick) {
    ASSERT_LE(from + wanted.size(), times.size());
    for (std::size_t i = 0; i < wanted.size(); ++i)
        EXPECT_NEAR(times[from + i] - wanted[i], moved, tolerance) << from + i;
}

struct Join {
    const char* name;
    const char* format;
    std::vector<std::string> offsets;
    // The last frame of a DVD's part has no time of its own: libav takes the next part's.
    double tolerance = kTick;
};

class MediaReaderClock : public ClipTest, public testing::WithParamInterface<Join> {};

// Every frame and every packet of sound has its time within its part, in sync, and the parts
// follow each other.
TEST_P(MediaReaderClock, Continues) {
    const Join& row = GetParam();
    std::vector<fs::path> files;
    for (const std::string& offset : row.offsets) files.push_back(part(offset, row.format));
    const Times all = times_of(joined(test_name(row.name) + "." + row.format, files));
    EXPECT_EQ(all.damage, "");
    EXPECT_THAT(all.notes, testing::ElementsAre(testing::HasSubstr("clock starts again at")));
    std::size_t video = 0;
    std::size_t audio = 0;
    for (const fs::path& file : files) {
        const Times one = times_of(file);
        ASSERT_LT(video, all.video.size());
        const double moved = all.video[video] - one.video.front();
        if (video > 0) {
            EXPECT_GT(all.video[video] - all.video[video - 1], 0.04 - kTick);
            EXPECT_LT(all.video[video] - all.video[video - 1], 0.2);
        }
        expect_moved(all.video, video, one.video, moved, row.tolerance);
        expect_moved(all.audio, audio, one.audio, moved);
        video += one.video.size();
        audio += one.audio.size();
    }
    EXPECT_EQ(video, all.video.size());
    EXPECT_EQ(audio, all.audio.size());
}

INSTANTIATE_TEST_SUITE_P(Joins, MediaReaderClock,
                         testing::Values(Join{"twice", "ts", {"0", "0"}},
                                         Join{"thrice", "vob", {"0", "0", "0"}, 0.03},
                                         Join{"back", "ts", {"1000", "0"}},
                                         Join{"forward", "ts", {"0", "20"}},
                                         Join{"far_forward", "ts", {"0", "60000", "0"}},
                                         Join{"wrap_first", "ts", {"95442.2", "1000"}},
                                         Join{"wrap_last", "ts", {"0", "95442.2"}}),
                         [](const auto& row) { return std::string(row.param.name); });

class MediaReaderClockOf : public ClipTest {};

TEST_F(MediaReaderClockOf, ShortGapsStay) {
    const Times first = times_of(part("0", "ts"));
    const Times all = times_of(joined("gap.ts", {part("0", "ts"), part("5", "ts")}));
    ASSERT_EQ(all.video.size(), 50U);
    const Times second = times_of(part("5", "ts"));
    expect_moved(all.video, 0, first.video, 0);
    expect_moved(all.video, 25, second.video, 0);
    EXPECT_THAT(all.notes, testing::IsEmpty());
}

TEST_F(MediaReaderClockOf, RangesCountContinuousTimes) {
    const fs::path file = joined("range.ts", {part("0", "ts"), part("0", "ts"), part("0", "ts")});
    const Times all = times_of(file);
    for (const std::int64_t start_us : {0, 500'000, 1'500'000, 2'500'000}) {
        const double origin = std::min(all.video.front(), all.audio.front());
        const double begin = origin + static_cast<double>(start_us) / 1e6;
        const auto inside = [&](double time) {
            return time > begin - kTick && time < begin + 0.4 - kTick;
        };
        const Times range = times_of(file, start_us, start_us + 400'000);
        std::vector<double> wanted;
        std::ranges::copy_if(all.video, std::back_inserter(wanted), inside);
        ASSERT_EQ(range.video.size(), wanted.size()) << start_us;
        expect_moved(range.video, 0, wanted, 0);
    }
}

// The times that a clock makes of these, in ticks, for one stream of video.
std::vector<std::int64_t> continued(const std::vector<std::int64_t>& times, bool* restarted) {
    const InputContextPtr context(avformat_alloc_context());
    AVStream& stream = *avformat_new_stream(context.get(), nullptr);
    stream.codecpar->codec_type = AVMEDIA_TYPE_VIDEO;
    stream.time_base = {1, 90'000};
    ContinuousClock clock(*context);
    std::vector<std::int64_t> made;
    const auto take = [&] {
        while (const AVPacketPtr packet = clock.next()) made.push_back(packet->dts);
    };
    for (std::size_t i = 0; i < times.size(); ++i) {
        AVPacketPtr packet = make_packet();
        packet->pts = packet->dts = times[i];
        packet->pos = static_cast<std::int64_t>(i) * 188;
        clock.add(std::move(packet));
        take();
    }
    clock.end();
    take();
    *restarted = clock.has_restarted();
    return made;
}

TEST(MediaContinuousClock, LeavesStrayTimesAndSlidesAlone) {
    const std::vector<std::vector<std::int64_t>> rows{
        {3600, 7200, 10800, 100'000'000, 18000, 21600},      // one packet from elsewhere
        {360'000, 363'600, 367'200, 100, 374'400, 378'000},  // and one from before
        {0, 1'800'000, 3'600'000, 7'000'000, 8'800'000},     // a picture every 20 s
        {90'000, 93'600, 96'200, 95'000, 98'600, 102'200}};  // steps back that are short
    for (const auto& row : rows) {
        bool restarted = true;
        EXPECT_EQ(continued(row, &restarted), row);
        EXPECT_FALSE(restarted);
    }
}

TEST(MediaContinuousClock, TakesManyShortParts) {
    std::vector<std::int64_t> times;
    std::vector<std::int64_t> wanted;
    for (std::int64_t i = 0; i < 300; ++i) {
        times.push_back(i % 10 * 3600);
        wanted.push_back(i * 3600);
    }
    bool restarted = false;
    EXPECT_EQ(continued(times, &restarted), wanted);
    EXPECT_TRUE(restarted);
}

}  // namespace
}  // namespace weft::test
