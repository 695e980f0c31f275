#include "app/viewer/export/export_request.h"

#include <gtest/gtest.h>

#include "tests/support/blank_frame.h"

namespace weft::test {
namespace {

ExportRequest two_stacks() {
    ExportRequest request;
    request.input = "in.mkv";
    request.output = "out.mkv";
    request.stacks = {{parse_stack("box"), {"direct"}}, {parse_stack("sobel"), {}}};
    return request;
}

std::string stack_of(const ExportRequest& request) {
    return print_stack(job_of(request).stack);
}

std::string compared_of(const ExportRequest& request) {
    return print_stack(job_of(request).compared);
}

TEST(ViewerExportRequest, ExportsTheShownStack) {
    ExportRequest request = two_stacks();
    EXPECT_EQ(stack_of(request), "box");
    EXPECT_FALSE(job_of(request).compose);
    request.view.right = 2;
    EXPECT_EQ(stack_of(request), "sobel");
    request.view.left = 2;  // swapped
    request.view.right = 0;
    EXPECT_EQ(stack_of(request), "sobel");
    request.view.left = 0;
    EXPECT_EQ(stack_of(request), "box");
    request.view.right = 5;
    EXPECT_EQ(stack_of(request), "");
}

TEST(ViewerExportRequest, UsesManuallyChosenKernels) {
    ExportRequest request = two_stacks();
    EXPECT_EQ(job_of(request).forced.of(0), "direct");
    request.view.right = 2;
    EXPECT_EQ(job_of(request).forced.of(0), "");
}

TEST(ViewerExportRequest, KeepsTheWantedRateOfItsInput) {
    ExportRequest request = two_stacks();
    EXPECT_EQ(job_of(request).reader.frame_rate, std::nullopt);
    request.frame_rate = 12.5;
    EXPECT_EQ(job_of(request).reader.frame_rate, 12.5);
}

TEST(ViewerExportRequest, ResumesOnlyWhatIsMadeOfSegments) {
    ExportRequest request = two_stacks();
    EXPECT_FALSE(job_of(request).writer.resume);
    request.resumable = true;
    EXPECT_TRUE(job_of(request).writer.resume);
    for (const char* output : {"out.y4m", "out.png", "out", "out.nosuch"}) {
        request.output = output;
        EXPECT_FALSE(why_not_resumable(request).empty()) << output;
        EXPECT_FALSE(job_of(request).writer.resume) << output;
    }
    request.output = "out.mp4";
    EXPECT_EQ(why_not_resumable(request), "");
    request.compared = true;
    EXPECT_EQ(why_not_resumable(request), "");  // nothing is compared
    request.view.mode = CompareMode::wipe;
    EXPECT_FALSE(why_not_resumable(request).empty());
    EXPECT_FALSE(job_of(request).writer.resume);
}

TEST(ViewerExportRequest, ComparesLikeTheView) {
    ExportRequest request = two_stacks();
    request.compared = true;
    EXPECT_FALSE(job_of(request).compose);  // nothing is compared
    request.view.mode = CompareMode::wipe;
    EXPECT_TRUE(job_of(request).compose);
    EXPECT_EQ(compared_of(request), "");
    request.view.left = 2;
    request.view.right = 0;
    EXPECT_EQ(stack_of(request), "");
    EXPECT_EQ(compared_of(request), "sobel");
    request.view.right = 1;
    EXPECT_EQ(stack_of(request), "box");
    EXPECT_EQ(compared_of(request), "sobel");
    request.view.left = 1;
    request.view.right = 2;
    EXPECT_EQ(compared_of(request), "box");
    EXPECT_EQ(job_of(request).compared_forced.of(0), "direct");
}

// The position of the wipe and the gain of the difference.
TEST(ViewerExportRequest, ComposesLikeTheView) {
    const AVFramePtr left = blank_frame(AV_PIX_FMT_GRAY8, 8, 1);
    const AVFramePtr right = new_frame_like(*left);
    for (int x = 0; x < 8; ++x) {
        left->data[0][x] = 10;
        right->data[0][x] = 20;
    }
    ExportRequest request = two_stacks();
    request.compared = true;
    request.view.gain = 3;
    request.view.wipe = 0.25;
    struct Case {
        CompareMode mode;
        int first, third;
    };
    for (const auto& [mode, first, third] :
         {Case{CompareMode::wipe, 10, 20}, Case{CompareMode::side_by_side, 10, 10},
          Case{CompareMode::stacked, 10, 10}, Case{CompareMode::difference, 158, 158}}) {
        request.view.mode = mode;
        const AVFramePtr made = job_of(request).compose(*left, *right);
        EXPECT_EQ(made->width, mode == CompareMode::side_by_side ? 16 : 8);
        EXPECT_EQ(made->height, mode == CompareMode::stacked ? 2 : 1);
        EXPECT_EQ(made->data[0][0], first);
        EXPECT_EQ(made->data[0][2], third);
    }
    request.view.false_colour = true;
    EXPECT_NE(job_of(request).compose(*left, *right)->data[0][0], 158);
}

TEST(ViewerExportRequest, CountsTheRangeFromTheFirstTimestamp) {
    ExportRequest request = two_stacks();
    request.part = {1.0, 2.5};
    request.first_frame_seconds = 0.025;
    const FileJob job = job_of(request);
    EXPECT_EQ(job.reader.start_us, 1'025'000);
    EXPECT_EQ(job.reader.end_us, 2'525'000);
    EXPECT_EQ(job.writer.shift_us, 1'025'000);
    EXPECT_EQ(job.writer.length_us, 1'500'000);
    EXPECT_FALSE(job_of(two_stacks()).reader.start_us);
}

TEST(ViewerExportRequest, QualityAndReplacement) {
    ExportRequest request = two_stacks();
    request.source.shape = {AV_PIX_FMT_YUV420P, 64, 48};
    EXPECT_FALSE(job_of(request).writer.crf);  // the encoder's default
    EXPECT_FALSE(job_of(request).writer.lossless);
    EXPECT_EQ(job_of(request).writer.overwrite, Overwrite::refuse);
    request.quality = ExportQuality::balanced;
    EXPECT_EQ(job_of(request).writer.crf, 23);
    request.codec = "libvpx-vp9";
    EXPECT_EQ(job_of(request).writer.crf, 32);
    EXPECT_EQ(job_of(request).writer.video_codec, "libvpx-vp9");
    request.quality = ExportQuality::custom;
    request.crf = 20;
    EXPECT_EQ(job_of(request).writer.crf, 20);
    request.quality = ExportQuality::lossless;
    request.replace = true;
    EXPECT_FALSE(job_of(request).writer.crf);
    EXPECT_TRUE(job_of(request).writer.lossless);
    EXPECT_EQ(job_of(request).writer.overwrite, Overwrite::replace);
    EXPECT_TRUE(job_of(request).writer.audio);
    request.audio = false;
    EXPECT_FALSE(job_of(request).writer.audio);
}

TEST(ViewerExportRequest, ProposesANameNextToTheInput) {
    struct Case {
        const char* input;
        const char* output;
    };
    for (const auto& [input, output] :
         {Case{"/v/film.mkv", "/v/film-filtered.mkv"}, Case{"film.ts", "film-filtered.mkv"},
          Case{"a.b.mp4", "a.b-filtered.mp4"},
          Case{"/v/shot_%03d.png", "/v/shot_%03d-filtered.png"},
          Case{"noending", "noending-filtered.mkv"}, Case{"x.MP4", "x-filtered.mkv"}})
        EXPECT_EQ(proposed_output(input), output);
}

TEST(ViewerExportRequest, NumbersASeriesOfNames) {
    for (const auto& [name, next] : {std::pair{"/v/film.mkv", "/v/film-2.mkv"},
                                     {"film-2.mkv", "film-3.mkv"},
                                     {"film-99.mkv", "film-100.mkv"},
                                     {"film-2021.mkv", "film-2021-2.mkv"},
                                     {"film-.mkv", "film--2.mkv"},
                                     {"film-x2.mkv", "film-x2-2.mkv"},
                                     {"film-02.mkv", "film-02-2.mkv"},
                                     {"a_%03d.png", "a_%03d-2.png"},
                                     {"film", "film-2"}})
        EXPECT_EQ(numbered_output(name), next);
}

}  // namespace
}  // namespace weft::test
