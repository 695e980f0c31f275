// R30: the same pictures in every run, on any number of cores.
#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

constexpr int kMostCores = 4;

class CliR30Determinism : public CliTest, public testing::WithParamInterface<std::string> {
 protected:
    std::vector<std::string> frames_on(int cores, const std::string& source) {
        const std::string output = path("out.mkv");
        Command command = weft_command(
            {"batch", "-vf", GetParam(), "--lossless", "--gpu", "off", "-y", "-o", output, source});
        const Arguments confined = {"taskset", "-c", fmt::format("0-{}", cores - 1)};
        command.argv.insert(command.argv.begin(), confined.begin(), confined.end());
        EXPECT_TRUE(exits(run(command), 0)) << cores << " cores";
        return frame_hashes(output, "yuv420p");
    }
};

// Lossless, because x264's output depends on the number of threads.
TEST_P(CliR30Determinism, SamePicturesOnAnyNumberOfCores) {
    const std::string source = video_clip();
    const std::vector<std::string> want = frames_on(1, source);
    ASSERT_EQ(want.size(), 60U);
    EXPECT_EQ(frames_on(1, source), want) << "a second run";
    const int most = std::min(static_cast<int>(std::thread::hardware_concurrency()), kMostCores);
    for (int cores = 2; cores <= most; ++cores)
        EXPECT_EQ(frames_on(cores, source), want) << cores << " cores";
}

INSTANTIATE_TEST_SUITE_P(Stacks, CliR30Determinism,
                         testing::Values("gaussian=sigma=3",
                                         "convolve=matrix='1 2 1; 2 4 2; 1 2 1'",
                                         "box=radius=9,sobel=scale=2", "temporal_average=frames=5"),
                         [](const testing::TestParamInfo<std::string>& tested) {
                             return tested.param.substr(0, tested.param.find('='));
                         });

}  // namespace
}  // namespace weft::cli
