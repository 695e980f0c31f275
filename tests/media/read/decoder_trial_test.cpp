// The choice between two decoders, based on times alone.
#include <gtest/gtest.h>

#include "app/media/read/comparing_decoder.h"

namespace weft {
namespace {

constexpr DecoderTrial::Terms kTerms{.frames = 30, .gpu_start = 4, .software_start = 16};

// `frames` of `busy` seconds each; the decoder works for `share` of the time.
void work(DecoderTrial& trial, double busy, int frames, double share = 1) {
    for (int k = 0; k < frames; ++k) trial.add_work(busy, busy / share, 1);
}

struct Speeds {
    double gpu, software;  // seconds per frame
    DecoderKind faster;
};

TEST(MediaDecoderTrial, FasterDecoderContinues) {
    for (const Speeds& row :
         {Speeds{0.002, 0.001, DecoderKind::software}, Speeds{0.001, 0.002, DecoderKind::gpu},
          Speeds{0.0010, 0.00096, DecoderKind::gpu},  // less than a twentieth faster
          Speeds{0.0010, 0.00094, DecoderKind::software}}) {
        DecoderTrial trial(kTerms);
        work(trial, row.gpu, 40);
        EXPECT_EQ(trial.at_key(), DecoderKind::software) << "its turn";
        EXPECT_FALSE(trial.over());
        EXPECT_EQ(trial.text(), "");
        work(trial, row.software, 60);
        EXPECT_EQ(trial.at_key(), row.faster) << row.software;
        EXPECT_TRUE(trial.over());
        work(trial, 1, 100);
        EXPECT_EQ(trial.at_key(), row.faster) << "that was all";
    }
}

TEST(MediaDecoderTrial, ReportsBothSpeeds) {
    DecoderTrial trial(kTerms);
    work(trial, 1.0 / 512, 64);
    (void)trial.at_key();
    work(trial, 1.0 / 1024, 64);
    (void)trial.at_key();
    EXPECT_EQ(trial.text(), "GPU 512, software 1024 frames/s");
}

TEST(MediaDecoderTrial, EachDecodesOneSecondFirst) {
    DecoderTrial trial(kTerms);
    work(trial, 0.002, 4 + 29);
    EXPECT_EQ(trial.at_key(), DecoderKind::gpu)
        << "33 frames, of which the first four do not count";
    work(trial, 0.002, 1);
    EXPECT_EQ(trial.at_key(), DecoderKind::software);
    work(trial, 0.001, 16 + 29);
    EXPECT_EQ(trial.at_key(), DecoderKind::software);
    EXPECT_FALSE(trial.over());
    work(trial, 0.001, 1);
    (void)trial.at_key();
    EXPECT_TRUE(trial.over());
}

// Setting up the GPU is slow, and software's first frames fill its threads.
TEST(MediaDecoderTrial, StartOfEachIsNotCounted) {
    DecoderTrial trial(kTerms);
    work(trial, 1, 4);
    work(trial, 0.001, 30);
    EXPECT_EQ(trial.at_key(), DecoderKind::software);
    work(trial, 0.00001, 16);
    work(trial, 0.002, 30);
    EXPECT_EQ(trial.at_key(), DecoderKind::gpu);
    EXPECT_EQ(trial.text(), "GPU 1000, software 500 frames/s");
}

TEST(MediaDecoderTrial, GpuStaysIfAnotherStageIsTheBottleneck) {
    DecoderTrial trial(kTerms);
    work(trial, 0.002, 40, 0.5);
    EXPECT_EQ(trial.at_key(), DecoderKind::gpu);
    EXPECT_TRUE(trial.over());
    EXPECT_EQ(trial.text(), "");
}

}  // namespace
}  // namespace weft
