// -ss and -to: exact to the frame in every container, whatever its key frames.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/media/read/reader_recipes.h"
#include "tests/media/read/reader_support.h"

namespace weft::test {
namespace {

class MediaReaderRange : public ClipTest, public testing::WithParamInterface<const char*> {};

// A range delivers the frames of the whole file whose times are within it.
TEST_P(MediaReaderRange, SameFramesAsInTheWholeFile) {
    const std::filesystem::path file = recipe(GetParam());
    const ReadResult whole = read_all(file);
    ASSERT_EQ(whole.outcome, Outcome::ok) << whole.error;
    const nlohmann::json format = ffprobe(file, "-show_entries format=start_time")["format"];
    const std::string start_text = format.value("start_time", "0");
    const double origin = start_text == "N/A" ? 0 : std::stod(start_text);
    constexpr std::int64_t kTimesUs[] = {0, 1, 250'000, 616'667, 1'000'000, 1'550'000};
    for (std::int64_t start : kTimesUs) {
        ReaderOptions options;
        options.path = file.string();
        options.start_us = start;
        options.end_us = start + 300'000;
        std::vector<std::int64_t> want;
        std::vector<std::size_t> want_hashes;
        for (std::size_t i = 0; i < whole.pts.size(); ++i) {
            const double us = (whole.seconds[i] - origin) * 1e6;
            // 0.01 us: times are ratios of integers, origin is printed with six digits.
            if (us > static_cast<double>(start) - 0.01 &&
                us < static_cast<double>(*options.end_us) - 0.01) {
                want.push_back(whole.pts[i]);
                want_hashes.push_back(whole.hashes[i]);
            }
        }
        const ReadResult got = read_all(options);
        EXPECT_EQ(got.pts, want) << "from " << start << " us: " << got.error;
        EXPECT_EQ(got.hashes, want_hashes) << "from " << start << " us";
        EXPECT_FALSE(got.damaged()) << got.error << got.damage.reason;
    }
}

INSTANTIATE_TEST_SUITE_P(Files, MediaReaderRange,
                         testing::Values("plain.mp4", "faststart.mp4", "plain.mkv", "plain.ts",
                                         "opengop.ts", "mpeg4.avi", "vp9.webm", "h264.nut",
                                         "anim.gif", "mpeg2.mpg", "hevc.mkv", "drops.mkv",
                                         "edited.mp4", "refresh.ts", "raw.y4m", "flash.flv",
                                         "sound.flv", "raw.hevc", "raw.h263", "444.mkv",
                                         "direct444.mp4"),
                         [](const auto& row) { return test_name(row.param); });

class MediaReaderRangeOf : public ClipTest {};

TEST_F(MediaReaderRangeOf, PacketsOutsideAreDropped) {
    ReaderOptions options;
    options.path = recipe("plain.mp4").string();
    options.start_us = 500'000;
    options.end_us = 1'000'000;
    Reader reader(options);
    int packets = 0;
    for (MediaItem item = reader.next(); !std::holds_alternative<EndOfInput>(item);
         item = reader.next()) {
        const auto* packet = std::get_if<SourcePacket>(&item);
        if (!packet) continue;
        const AVStream& stream = *reader.source().streams[packet->packet->stream_index];
        const double seconds = static_cast<double>(packet->packet->pts) * av_q2d(stream.time_base);
        EXPECT_GE(seconds, 0.5);
        EXPECT_LT(seconds, 1.0);
        ++packets;
    }
    // AAC has 44100 / 1024 = 43 packets per second.
    EXPECT_NEAR(packets, 21, 1);
}

// libav decodes x264 before version 34 with other motion vectors, and 4:4:4 of x264 before version
// 151 with another coding; only the first packet contains the version. A new file survives
// only the former.
TEST_F(MediaReaderRangeOf, UsesParametersOfTheBeginning) {
    const ReadResult recent = read_all(recipe("direct444.mp4"));
    ReaderOptions options;
    options.path = mutate(recipe("direct444.mp4"), "old444.mp4", x264_version("033")).string();
    const ReadResult whole = read_all(options);
    EXPECT_FALSE(whole.damaged()) << whole.damage.reason;
    ASSERT_NE(whole.hashes, recent.hashes) << "libav does not look at the version";
    for (const std::size_t first : {15U, 20U, 31U, 45U}) {
        options.start_us = static_cast<std::int64_t>(whole.seconds[first] * 1e6);
        const ReadResult part = read_all(options);
        EXPECT_FALSE(part.damaged()) << part.damage.reason;
        const auto from = static_cast<std::ptrdiff_t>(first);
        EXPECT_EQ(part.pts, std::vector(whole.pts.begin() + from, whole.pts.end())) << first;
        EXPECT_EQ(part.hashes, std::vector(whole.hashes.begin() + from, whole.hashes.end()))
            << first;
    }
}

TEST_F(MediaReaderRangeOf, CountsTheFramesBeforeTheStart) {
    ReaderOptions options;
    options.path = recipe("plain.mp4").string();
    const ReadResult whole = read_all(options);
    for (const std::size_t first : {0U, 1U, 17U, 45U}) {
        options.start_us = static_cast<std::int64_t>(whole.seconds[first] * 1e6);
        options.counts_frames = true;
        const Reader counting(options);
        EXPECT_EQ(counting.frames_before_start(), static_cast<std::int64_t>(first));
        EXPECT_EQ(counting.first_frame().pts, whole.pts[first]);
        options.counts_frames = false;
        EXPECT_EQ(Reader(options).frames_before_start(), 0);
    }
}

TEST_F(MediaReaderRangeOf, NothingAfterTheEnd) {
    ReaderOptions options;
    options.path = recipe("plain.mp4").string();
    options.start_us = 5'000'000;
    const ReadResult got = read_all(options);
    EXPECT_EQ(got.outcome, Outcome::failed);
    EXPECT_NE(got.error.find("-ss"), std::string::npos) << got.error;
}

TEST_F(MediaReaderRangeOf, StreamsCanBeLeftOut) {
    ReaderOptions options;
    options.path = recipe("plain.mp4").string();
    EXPECT_EQ(read_all(options).packets.size(), 1U);
    options.audio = false;
    const ReadResult got = read_all(options);
    EXPECT_TRUE(got.packets.empty());
    EXPECT_EQ(got.pts.size(), 60U);
    EXPECT_FALSE(got.damaged()) << got.damage.reason;
}

}  // namespace
}  // namespace weft::test
