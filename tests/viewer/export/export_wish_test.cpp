#include "app/viewer/export/export_wish.h"

#include <gtest/gtest.h>

#include "tests/support/blank_frame.h"

namespace weft::test {
namespace {

ExportWish wish() {
    ExportWish wish;
    wish.input = "in.mkv";
    wish.output = "out.mkv";
    wish.stacks = {{parse_stack("box"), {"direct"}}, {parse_stack("sobel"), {}}};
    return wish;
}

std::string stack_of(const ExportWish& wish) {
    return print_stack(job_of(wish).stack);
}

std::string compared_of(const ExportWish& wish) {
    return print_stack(job_of(wish).compared);
}

TEST(ViewerExportWish, TakesTheStackThatIsShown) {
    ExportWish w = wish();
    EXPECT_EQ(stack_of(w), "box");
    EXPECT_FALSE(job_of(w).compose);
    w.view.right = 2;
    EXPECT_EQ(stack_of(w), "sobel");
    w.view.right = 0;
    EXPECT_EQ(stack_of(w), "");
    w.view.right = 5;
    EXPECT_EQ(stack_of(w), "");
}

TEST(ViewerExportWish, TakesTheKernelsThatWereChosenByHand) {
    ExportWish w = wish();
    EXPECT_EQ(job_of(w).forced.of(0), "direct");
    w.view.right = 2;
    EXPECT_EQ(job_of(w).forced.of(0), "");
}

TEST(ViewerExportWish, ComparesAsTheViewDoes) {
    ExportWish w = wish();
    w.compared = true;
    EXPECT_FALSE(job_of(w).compose);  // nothing is compared
    w.view.mode = CompareMode::wipe;
    EXPECT_TRUE(job_of(w).compose);
    EXPECT_EQ(compared_of(w), "");
    w.view.left = 2;
    w.view.right = 0;
    EXPECT_EQ(stack_of(w), "");
    EXPECT_EQ(compared_of(w), "sobel");
    w.view.right = 1;
    EXPECT_EQ(stack_of(w), "box");
    EXPECT_EQ(compared_of(w), "sobel");
    w.view.left = 1;
    w.view.right = 2;
    EXPECT_EQ(compared_of(w), "box");
    EXPECT_EQ(job_of(w).compared_forced.of(0), "direct");
}

// The position of the wipe and the gain of the difference.
TEST(ViewerExportWish, ComposesByTheView) {
    const AVFramePtr left = blank_frame(AV_PIX_FMT_GRAY8, 8, 1);
    const AVFramePtr right = new_frame_like(*left);
    for (int x = 0; x < 8; ++x) {
        left->data[0][x] = 10;
        right->data[0][x] = 20;
    }
    ExportWish w = wish();
    w.compared = true;
    w.view.gain = 3;
    w.view.wipe = 0.25;
    struct Case {
        CompareMode mode;
        int first, third;
    };
    for (const auto& [mode, first, third] :
         {Case{CompareMode::wipe, 10, 20}, Case{CompareMode::side_by_side, 10, 10},
          Case{CompareMode::difference, 158, 158}}) {
        w.view.mode = mode;
        const AVFramePtr made = job_of(w).compose(*left, *right);
        EXPECT_EQ(made->data[0][0], first);
        EXPECT_EQ(made->data[0][2], third);
    }
}

TEST(ViewerExportWish, CountsThePartFromTheFilesFirstTimestamp) {
    ExportWish w = wish();
    w.part = {1.0, 2.5};
    w.first_frame_seconds = 0.025;
    const FileJob job = job_of(w);
    EXPECT_EQ(job.reader.start_us, 1'025'000);
    EXPECT_EQ(job.reader.end_us, 2'525'000);
    EXPECT_EQ(job.writer.shift_us, 1'025'000);
    EXPECT_EQ(job.writer.length_us, 1'500'000);
    EXPECT_FALSE(job_of(wish()).reader.start_us);
}

TEST(ViewerExportWish, QualityAndReplacement) {
    ExportWish w = wish();
    w.crf = 20;
    EXPECT_EQ(job_of(w).writer.crf, 20);
    EXPECT_EQ(job_of(w).writer.overwrite, Overwrite::refuse);
    w.lossless = true;
    w.replace = true;
    EXPECT_FALSE(job_of(w).writer.crf);
    EXPECT_TRUE(job_of(w).writer.lossless);
    EXPECT_EQ(job_of(w).writer.overwrite, Overwrite::replace);
}

TEST(ViewerExportWish, ProposesANameBesideTheInput) {
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

}  // namespace
}  // namespace weft::test
