// Many files at once over all GPUs: each starts, decodes, filters and ends while others run, again
// and again.
#include <set>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

constexpr int kFiles = 16;

class GpuFilesAtOnce : public CliTest {
 protected:
    void SetUp() override {
        CliTest::SetUp();
        skip_without_gpu();
    }
};

TEST_F(GpuFilesAtOnce, EndLikeASingleFile) {
    Arguments arguments = {
        "batch", "--gpu", "all",    "-hwaccel",         "cuda", "-vf", "gaussian=sigma=2,sobel",
        "-o",    "null:", "--json", path("report.json")};
    arguments.insert(arguments.end(), kFiles, video_clip());
    const int gpus = gpu_count();
    const int rounds = long_tests() ? 100 : 5;
    for (int round = 0; round < rounds; ++round) {
        SCOPED_TRACE(testing::Message() << "round " << round);
        ASSERT_TRUE(exits(weft(arguments), 0));
        std::set<int> used;
        const auto report = parse_json(read_file(path("report.json")));
        ASSERT_EQ(report.at("files").size(), kFiles);
        for (const auto& file : report.at("files")) {
            EXPECT_EQ(file.at("frames_out"), 60);
            used.insert(file.at("device").at("ordinal").get<int>());
        }
        EXPECT_EQ(used.size(), gpus);
    }
}

}  // namespace
}  // namespace weft::cli
