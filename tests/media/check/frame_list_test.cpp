// Key frames from which a part of a video can be decoded, and Readers that begin there.
#include "app/media/check/frame_list.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "app/media/demux/closed_key.h"
#include "app/media/read/reader.h"
#include "tests/media/read/reader_recipes.h"
#include "tests/media/read/reader_support.h"

namespace weft::test {
namespace {

struct Read {
    std::vector<std::int64_t> pts;
    std::vector<std::int64_t> durations;
    std::vector<std::int64_t> indices;
    std::vector<Bytes> samples;
};

ReaderOptions options_for(const std::filesystem::path& file) {
    ReaderOptions options;
    options.path = file.string();
    return options;
}

Read rest_of(Reader& reader) {
    Read read;
    for (MediaItem item = reader.next(); !std::holds_alternative<EndOfInput>(item);
         item = reader.next()) {
        const auto* frame = std::get_if<Frame>(&item);
        if (frame == nullptr) continue;
        read.pts.push_back(frame->pts);
        read.durations.push_back(frame->duration);
        read.indices.push_back(frame->index);
        read.samples.push_back(samples_of(*frame->av));
    }
    return read;
}

template <class T>
std::vector<T> from(const std::vector<T>& all, std::int64_t first) {
    return {all.begin() + first, all.end()};
}

// Returns the key frames.
std::vector<ClosedKey> expect_the_same_from_every_key(const ReaderOptions& options) {
    const auto list = list_frames(options, {});
    if (!list) return {};
    Reader from_beginning(options);
    const Read whole = rest_of(from_beginning);
    EXPECT_EQ(list->frames, std::ssize(whole.pts));
    for (const ClosedKey& key : list->keys) {
        EXPECT_EQ(whole.pts.at(static_cast<std::size_t>(key.frame)), key.pts);
        Reader reader(options);
        EXPECT_TRUE(reader.skip_to(key));
        EXPECT_EQ(reader.frames_skipped(), key.frame);
        EXPECT_EQ(reader.first_frame().pts, whole.pts.front());
        const Read part = rest_of(reader);
        EXPECT_EQ(part.pts, from(whole.pts, key.frame));
        EXPECT_EQ(part.durations, from(whole.durations, key.frame));
        EXPECT_EQ(part.indices, from(whole.indices, key.frame));
        EXPECT_EQ(part.samples, from(whole.samples, key.frame));
    }
    return list->keys;
}

// The file, and whether some of its key frames are closed for certain.
struct Row {
    const char* name;
    bool has_keys;
};

class MediaFrameList : public ClipTest, public testing::WithParamInterface<Row> {};

TEST_P(MediaFrameList, ReadersThatBeginAtAKeyDeliverTheSameFrames) {
    const auto keys = expect_the_same_from_every_key(options_for(recipe(GetParam().name)));
    EXPECT_EQ(!keys.empty(), GetParam().has_keys);
}

INSTANTIATE_TEST_SUITE_P(
    Files, MediaFrameList,
    testing::Values(Row{"plain.mp4", true}, Row{"plain.mkv", true}, Row{"drops.mkv", true},
                    Row{"vfr.mp4", true}, Row{"444.mkv", true}, Row{"direct444.mp4", true},
                    Row{"faststart.mp4", true}, Row{"hevc.mkv", false}, Row{"opengop.mkv", false},
                    Row{"opengop.mp4", false}, Row{"edited.mp4", false}, Row{"plain.ts", false},
                    Row{"interlaced.mp4", false}, Row{"mpeg4.avi", false}, Row{"vp9.webm", false}),
    [](const auto& row) { return test_name(row.param.name); });

class MediaFrameListOf : public ClipTest {};

TEST_F(MediaFrameListOf, RangesAreCountedFromTheirFirstFrame) {
    ReaderOptions options = options_for(recipe("plain.mkv"));
    const auto whole = list_frames(options, {});
    ASSERT_TRUE(whole && whole->keys.size() > 1);
    options.start_us = 300'000;
    options.end_us = 1'500'000;
    const auto list = list_frames(options, {});
    ASSERT_TRUE(list && !list->keys.empty());
    Reader from_beginning(options);
    const Read range = rest_of(from_beginning);
    EXPECT_EQ(list->frames, std::ssize(range.pts));
    Reader reader(options);
    ASSERT_TRUE(reader.skip_to(list->keys.back()));
    const std::int64_t first = list->keys.back().frame;
    const Read part = rest_of(reader);
    EXPECT_EQ(part.pts, from(range.pts, first));
    EXPECT_EQ(part.samples, from(range.samples, first));
}

TEST_F(MediaFrameListOf, AKeyThatIsNotThereChangesNothing) {
    const ReaderOptions options = options_for(recipe("plain.mkv"));
    const auto list = list_frames(options, {});
    ASSERT_TRUE(list && !list->keys.empty());
    for (const std::int64_t off : {-1, 1}) {
        Reader reader(options);
        EXPECT_FALSE(reader.skip_to({list->keys.front().pts + off, list->keys.front().frame}));
        EXPECT_EQ(reader.frames_skipped(), 0);
        EXPECT_EQ(std::ssize(rest_of(reader).pts), list->frames);
    }
}

constexpr const char* kPicture = "-f lavfi -i testsrc2=s=160x90:r=30:d=2 -threads 2 ";

TEST_F(MediaFrameListOf, ClosedKeysOfHevc) {
    const auto file =
        make_clip("closed_hevc.mkv", std::string(kPicture) +
                                         "-c:v libx265 -preset ultrafast -x265-params "
                                         "open-gop=0:keyint=20:bframes=3:log-level=0");
    EXPECT_EQ(expect_the_same_from_every_key(options_for(file)).size(), 2U);
}

// A decoder keeps the parameters in the packets of the first half, and one that begins in the
// second half would not know them.
TEST_F(MediaFrameListOf, KeysWithoutTheParametersBeforeThemAreLeftOut) {
    const std::string fast = std::string(kPicture) + "-c:v libx264 -preset ultrafast -g 15";
    const auto repeated = make_clip("repeated.mkv", fast + " -x264-params repeat-headers=1");
    make_clip("never.mkv", fast);
    const std::string halves = "file repeated.mkv\nfile never.mkv\n";
    write_bytes("halves.txt", {halves.begin(), halves.end()});
    const auto both =
        make_clip("halves.mkv", "-f concat -auto_convert 0 -i @halves.txt -map 0:v -c copy");
    const auto first = list_frames(options_for(repeated), {});
    const auto all = list_frames(options_for(both), {});
    ASSERT_TRUE(first && all);
    EXPECT_EQ(first->keys.size(), 3U);
    EXPECT_EQ(all->frames, 120);
    EXPECT_EQ(all->keys, first->keys);
}

}  // namespace
}  // namespace weft::test
