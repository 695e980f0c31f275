// R30: the same pictures in every run, on any number of cores.
#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

constexpr int kMostCores = 4;

int most_cores() {
    return std::min(static_cast<int>(std::thread::hardware_concurrency()), kMostCores);
}

Result run_on(int cores, const Arguments& arguments) {
    Command command = weft_command(arguments);
    const Arguments confined = {"taskset", "-c", fmt::format("0-{}", cores - 1)};
    command.argv.insert(command.argv.begin(), confined.begin(), confined.end());
    return run(command);
}

const std::string kStacks[] = {"gaussian=sigma=3", "convolve=matrix='1 2 1; 2 4 2; 1 2 1'",
                               "box=radius=9,sobel=scale=2", "temporal_average=frames=5"};

std::string first_filter(const testing::TestParamInfo<std::string>& tested) {
    return tested.param.substr(0, tested.param.find('='));
}

class CliR30Determinism : public CliTest, public testing::WithParamInterface<std::string> {
 protected:
    // Lossless, so that the encoder's threads do not matter.
    std::vector<std::string> frames_on(int cores, const std::string& source) const {
        const std::string output = path("out.mkv");
        const Arguments arguments = {"batch", "-vf", GetParam(), "--lossless", "--gpu",
                                     gpu_,    "-y",  "-o",       output,       source};
        EXPECT_TRUE(exits(run_on(cores, arguments), 0)) << cores << " cores";
        return frame_hashes(output, "yuv420p");
    }
    void expect_same_pictures() const;

    std::string gpu_ = "off";
};

class GpuR30Determinism : public CliR30Determinism {
 protected:
    void SetUp() override {
        CliR30Determinism::SetUp();
        gpu_ = "require";
        skip_without_gpu();
    }
};

void CliR30Determinism::expect_same_pictures() const {
    const std::string source = video_clip();
    const std::vector<std::string> want = frames_on(1, source);
    ASSERT_EQ(want.size(), 60U);
    EXPECT_EQ(frames_on(1, source), want) << "a second run";
    for (int cores = 2; cores <= most_cores(); ++cores)
        EXPECT_EQ(frames_on(cores, source), want) << cores << " cores";
}

TEST_P(CliR30Determinism, SamePicturesOnAnyNumberOfCores) {
    expect_same_pictures();
}

TEST_P(GpuR30Determinism, SamePicturesOnAnyNumberOfCores) {
    expect_same_pictures();
}

INSTANTIATE_TEST_SUITE_P(Stacks, CliR30Determinism, testing::ValuesIn(kStacks), first_filter);
INSTANTIATE_TEST_SUITE_P(Stacks, GpuR30Determinism, testing::ValuesIn(kStacks), first_filter);

class CliR30Encoder : public CliTest, public testing::WithParamInterface<std::string> {};

// Three threads on one core, too. Without -threads, x264 gives other bytes on each number of cores.
TEST_P(CliR30Encoder, SameBytesWithTheSameThreads) {
    const auto bytes_on = [&](int cores) {
        const std::string output = path("out.mkv");
        const Arguments arguments = {"batch", "-vf", "box", "-c:v", GetParam(),  "-threads",
                                     "3",     "-y",  "-o",  output, video_clip()};
        EXPECT_TRUE(exits(run_on(cores, arguments), 0)) << cores << " cores";
        return packet_hash(output, "0:v");
    };
    const std::string want = bytes_on(1);
    EXPECT_EQ(bytes_on(1), want) << "a second run";
    for (int cores = 2; cores <= most_cores(); ++cores)
        EXPECT_EQ(bytes_on(cores), want) << cores << " cores";
}

INSTANTIATE_TEST_SUITE_P(Encoders, CliR30Encoder,
                         testing::Values("libx264", "libx265", "libvpx-vp9"),
                         [](const auto& tested) { return test_name(tested.param); });

}  // namespace
}  // namespace weft::cli
