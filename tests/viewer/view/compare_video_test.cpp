#include "app/viewer/view/compare_video.h"

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/pipeline/pipeline.h"
#include "tests/pipeline/test_frames.h"
#include "tests/support/blank_frame.h"
#include "tests/support/clips.h"

namespace weft::test {
namespace {

// Naive: a component of each picture as a matrix of samples, one sample at a time.
struct Sides {
    oracle::Image original, filtered;
    ComponentPlace place;
    int width = 0, height = 0;  // of luma

    double at(bool of_filtered, int x, int y) const {
        const oracle::Image& image = of_filtered ? filtered : original;
        return image.samples[image.index(x, y, 0)];
    }
};

using Expected = double (*)(const Sides&, const CompareVideo&, int x, int y, int depth);

// "y 3,4: want 5, got 6", or "" where all components are as expected.
std::string first_wrong(const CompareVideo& how, const FormatRow& row, int width, int height,
                        Expected expected) {
    const AVFramePtr original = random_frame(row, width, height, 1);
    const AVFramePtr filtered = random_frame(row, width, height, 2);
    const AVFramePtr made = compare_frames(how, *original, *filtered);
    for (const ComponentPlace& place : row.components) {
        const Sides sides{component_image(*original, row, place.component),
                          component_image(*filtered, row, place.component), place, width, height};
        const oracle::Image got = component_image(*made, row, place.component);
        for (int y = 0; y < got.height; ++y)
            for (int x = 0; x < got.width; ++x) {
                const double want = expected(sides, how, x, y, row.depth);
                if (got.samples[got.index(x, y, 0)] != want)
                    return fmt::format("{} {}x{} component {} at {},{}: want {}, got {}",
                                       av_get_pix_fmt_name(row.format), width, height,
                                       static_cast<int>(place.component), x, y, want,
                                       got.samples[got.index(x, y, 0)]);
            }
    }
    return "";
}

constexpr int kSizes[][2] = {{1, 1}, {2, 3}, {7, 5}, {16, 9}, {33, 4}};

int chroma_step(const FormatRow& row) {
    int step = 1;
    for (const ComponentPlace& place : row.components) step = std::max(step, 1 << place.shift_x);
    return step;
}

// `Step` comes from the test's row, because a component may be the luma of a 4:2:0 picture.
template <int Step>
double wiped(const Sides& s, const CompareVideo& how, int x, int y, int /*depth*/) {
    const int split = static_cast<int>(std::floor(how.position * s.width / Step + 0.5)) * Step;
    const int column = x << s.place.shift_x;
    return s.at(column >= split, x, y);
}

TEST(ViewerCompareVideo, WipeSwitchesAtAWholeChromaSample) {
    for (const FormatRow& row : format_rows())
        for (const auto& [width, height] : kSizes)
            for (const double position : {0.0, 0.3, 0.5, 0.97, 1.0})
                EXPECT_EQ(first_wrong({CompareLayout::wipe, position}, row, width, height,
                                      chroma_step(row) == 1 ? wiped<1> : wiped<2>),
                          "")
                    << position;
}

int chroma_step_down(const FormatRow& row) {
    int step = 1;
    for (const ComponentPlace& place : row.components) step = std::max(step, 1 << place.shift_y);
    return step;
}

template <int Step>
double wiped_down(const Sides& s, const CompareVideo& how, int x, int y, int /*depth*/) {
    const int split = static_cast<int>(std::floor(how.position * s.height / Step + 0.5)) * Step;
    return s.at(y << s.place.shift_y >= split, x, y);
}

TEST(ViewerCompareVideo, AHorizontalLineHasTheLeftPictureAboveIt) {
    for (const FormatRow& row : format_rows())
        for (const auto& [width, height] : kSizes)
            for (const double position : {0.0, 0.3, 0.5, 0.97, 1.0}) {
                CompareVideo how{CompareLayout::wipe, position};
                how.line = WipeOrientation::horizontal;
                EXPECT_EQ(first_wrong(how, row, width, height,
                                      chroma_step_down(row) == 1 ? wiped_down<1> : wiped_down<2>),
                          "")
                    << position;
            }
}

template <int Step>
double beside(const Sides& s, const CompareVideo& /*how*/, int x, int y, int /*depth*/) {
    const int own = s.original.width;
    const int half = (s.width + Step - 1) / Step * Step >> s.place.shift_x;
    const bool right = x >= half;
    return s.at(right, std::min(right ? x - half : x, own - 1), y);
}

TEST(ViewerCompareVideo, SideBySideIsTwiceAsWideAndRepeatsTheLastColumn) {
    for (const FormatRow& row : format_rows())
        for (const auto& [width, height] : kSizes)
            EXPECT_EQ(first_wrong({CompareLayout::side_by_side, 0.1}, row, width, height,
                                  chroma_step(row) == 1 ? beside<1> : beside<2>),
                      "");
}

double subtracted(const Sides& s, const CompareVideo& how, int x, int y, int depth) {
    const double max = std::exp2(depth) - 1;
    if (s.place.component == Component::a) return max;
    const double value = std::exp2(depth - 1) + how.gain * (s.at(true, x, y) - s.at(false, x, y));
    return std::min(std::max(std::floor(value + 0.5), 0.0), max);
}

TEST(ViewerCompareVideo, DifferenceIsAroundMiddleGrayAndSaturates) {
    for (const FormatRow& row : format_rows())
        for (const auto& [width, height] : kSizes)
            for (const double gain : {0.5, 1.0, 8.0, -2.25}) {
                CompareVideo how{CompareLayout::difference};
                how.gain = gain;
                EXPECT_EQ(first_wrong(how, row, width, height, subtracted), "") << gain;
            }
}

TEST(ViewerCompareVideo, DifferenceOfFloatsIsNotClamped) {
    const AVFramePtr original = blank_frame(AV_PIX_FMT_GBRPF32LE, 2, 1);
    const AVFramePtr filtered = new_frame_like(*original);
    for (int p = 0; p < 3; ++p) {
        reinterpret_cast<float*>(original->data[p])[0] = 1.5F;
        reinterpret_cast<float*>(filtered->data[p])[0] = -1.0F;
        reinterpret_cast<float*>(original->data[p])[1] = 0.25F;
        reinterpret_cast<float*>(filtered->data[p])[1] = 0.25F;
    }
    const AVFramePtr made =
        compare_frames({.layout = CompareLayout::difference, .gain = 2}, *original, *filtered);
    EXPECT_EQ(reinterpret_cast<float*>(made->data[2])[0], -4.5F);
    EXPECT_EQ(reinterpret_cast<float*>(made->data[2])[1], 0.5F);
}

// The left quarter of the displayed picture is the original, whichever way the player rotates it.
TEST(ViewerCompareVideo, LeftAndRightFollowTheRotation) {
    const FormatRow& row = format_row(AV_PIX_FMT_GRAY8);
    constexpr int kWidth = 16;
    constexpr int kHeight = 8;
    const AVFramePtr original = random_frame(row, kWidth, kHeight, 1);
    const AVFramePtr filtered = random_frame(row, kWidth, kHeight, 2);
    struct Case {
        int degrees;
        double (*shown)(double x, double y);  // coded to shown, both 0..1 from the left and top
    };
    for (const auto& [degrees, shown] : {Case{0, [](double x, double) { return x; }},
                                         Case{90, [](double, double y) { return 1 - y; }},
                                         Case{180, [](double x, double) { return 1 - x; }},
                                         Case{270, [](double, double y) { return y; }}}) {
        CompareVideo how{CompareLayout::wipe, 0.25};
        how.rotation_degrees = degrees;
        const AVFramePtr wiped = compare_frames(how, *original, *filtered);
        for (int y = 0; y < kHeight; ++y)
            for (int x = 0; x < kWidth; ++x) {
                const bool right = shown((x + 0.5) / kWidth, (y + 0.5) / kHeight) > 0.25;
                const AVFrame& from = right ? *filtered : *original;
                EXPECT_EQ(wiped->data[0][y * wiped->linesize[0] + x],
                          from.data[0][y * from.linesize[0] + x])
                    << degrees << " at " << x << "," << y;
            }
        how.layout = CompareLayout::side_by_side;
        const AVFramePtr both = compare_frames(how, *original, *filtered);
        EXPECT_EQ(both->width, degrees % 180 == 0 ? 32 : 16) << degrees;
        EXPECT_EQ(both->height, degrees % 180 == 0 ? 8 : 16) << degrees;
        const bool backwards = degrees == 90 || degrees == 180;
        EXPECT_EQ(both->data[0][0], (backwards ? filtered : original)->data[0][0]) << degrees;
    }
}

// The same for the upper quarter.
TEST(ViewerCompareVideo, AboveAndBelowFollowTheRotation) {
    const FormatRow& row = format_row(AV_PIX_FMT_GRAY8);
    constexpr int kWidth = 16;
    constexpr int kHeight = 8;
    const AVFramePtr left = random_frame(row, kWidth, kHeight, 1);
    const AVFramePtr right = random_frame(row, kWidth, kHeight, 2);
    struct Case {
        int degrees;
        double (*shown)(double x, double y);  // coded to shown, both 0..1 from the left and top
    };
    for (const auto& [degrees, shown] :
         {Case{0, [](double, double y) { return y; }}, Case{90, [](double x, double) { return x; }},
          Case{180, [](double, double y) { return 1 - y; }},
          Case{270, [](double x, double) { return 1 - x; }}}) {
        CompareVideo how{CompareLayout::wipe, 0.25};
        how.rotation_degrees = degrees;
        how.line = WipeOrientation::horizontal;
        const AVFramePtr wiped = compare_frames(how, *left, *right);
        for (int y = 0; y < kHeight; ++y)
            for (int x = 0; x < kWidth; ++x) {
                const bool below = shown((x + 0.5) / kWidth, (y + 0.5) / kHeight) > 0.25;
                const AVFrame& from = below ? *right : *left;
                EXPECT_EQ(wiped->data[0][y * wiped->linesize[0] + x],
                          from.data[0][y * from.linesize[0] + x])
                    << degrees << " at " << x << "," << y;
            }
        how.layout = CompareLayout::side_by_side;
        const AVFramePtr both = compare_frames(how, *left, *right);
        EXPECT_EQ(both->width, degrees % 180 == 0 ? 16 : 32) << degrees;
        EXPECT_EQ(both->height, degrees % 180 == 0 ? 16 : 8) << degrees;
        const bool backwards = degrees == 180 || degrees == 270;
        EXPECT_EQ(both->data[0][0], (backwards ? right : left)->data[0][0]) << degrees;
    }
}

class ViewerCompareExport : public ClipTest {};

FileJob job_for(const std::string& input, const std::string& output) {
    FileJob job;
    job.reader.path = input;
    job.writer.path = output;
    job.writer.lossless = true;
    job.device = cpu_device();
    return job;
}

// Luma of a 33×18 area at column x, of all frames.
std::string half(const std::string& path, int x) {
    const auto crop = fmt::format("format=gray,crop=33:18:{}:0", x);
    return run_command(
               {"ffmpeg", "-v", "error", "-i", path, "-an", "-vf", crop, "-f", "rawvideo", "-"})
        .out;
}

// Through the same writer as every output: both halves of a lossless file are exact.
TEST_F(ViewerCompareExport, WritesBothPicturesIntoOneVideo) {
    const std::string input = make_clip("both.mkv",
                                        "-f lavfi -i testsrc=s=33x18:r=10:d=0.5 -f lavfi -i "
                                        "sine=d=0.5 -pix_fmt yuv420p -c:v ffv1 -c:a flac")
                                  .string();
    const auto filtered = [&](const char* name, const char* stack) {
        FileJob job = job_for(input, (clip_dir() / name).string());
        job.stack = parse_stack(stack);
        EXPECT_EQ(filter_file(job, {}, {}).error, "");
        return half(job.writer.path, 0);
    };
    const std::string original = half(input, 0);
    const std::string first = filtered("first.mkv", "box=radius=2");
    const std::string second = filtered("second.mkv", "sobel");
    EXPECT_EQ(original.size(), 5U * 33 * 18);
    EXPECT_FALSE(original == first || original == second || first == second);

    struct Case {
        const char* left;
        const char* right;
        const std::string& left_want;
        const std::string& right_want;
    };
    for (const auto& [left, right, left_want, right_want] :
         {Case{"", "box=radius=2", original, first}, Case{"box=radius=2", "", first, original},
          Case{"sobel", "box=radius=2", second, first}}) {
        FileJob job = job_for(input, (clip_dir() / "both_out.mkv").string());
        job.writer.overwrite = Overwrite::replace;
        if (*right != 0) job.stack = parse_stack(right);
        if (*left != 0) job.compared = parse_stack(left);
        job.compose = compare_composer({.layout = CompareLayout::side_by_side});
        const FileResult result = filter_file(job, {}, {});
        ASSERT_EQ(result.error, "");
        EXPECT_EQ(result.frames_out, 5);
        const nlohmann::json streams = ffprobe(job.writer.path, "-show_streams")["streams"];
        EXPECT_EQ(streams[0]["width"], 68);
        EXPECT_EQ(streams[1]["codec_name"], "flac");
        EXPECT_TRUE(half(job.writer.path, 0) == left_want) << left;
        EXPECT_TRUE(half(job.writer.path, 34) == right_want) << right;
    }
}

}  // namespace
}  // namespace weft::test
