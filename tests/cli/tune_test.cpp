// `weft tune`: the fastest kernels of this GPU.
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

class CliTune : public CliTest {};

class GpuTune : public CliTest {
 protected:
    void SetUp() override {
        CliTest::SetUp();
        skip_without_gpu();
    }
    Command with_cache(const Arguments& arguments) const {
        Command command = weft_command(arguments);
        command.env["XDG_CACHE_HOME"] = path("cache");
        return command;
    }
    std::string plan_file() const { return path("cache/warpweft/plans.json"); }
};

TEST_F(CliTune, TheCpuHasNothingToChoose) {
    const Result result = weft({"tune", short_clip(), "-vf", "gaussian", "--gpu", "off"});
    EXPECT_TRUE(exits(result, 6));
    EXPECT_TRUE(contains(result.err, "the CPU has only one kernel")) << result.err;
}

TEST_F(CliTune, NeedsAnInputAndAStack) {
    EXPECT_TRUE(exits(weft({"tune", "-vf", "gaussian"}), 2));
    EXPECT_TRUE(exits(weft({"tune", short_clip()}), 2));
    EXPECT_TRUE(exits(weft({"tune", short_clip(), "-vf", "gaussian", "--frames", "0"}), 2));
}

TEST_F(GpuTune, KeepsTheFastestKernels) {
    const std::string input = path("ten_bits.nut");
    ASSERT_TRUE(exits(run({"ffmpeg", "-v", "error", "-i", short_clip(), "-pix_fmt", "yuv420p10le",
                           "-c:v", "rawvideo", input}),
                      0));
    const std::string stack = "gaussian=sigma=2,sobel";
    const Result tuned = run(with_cache({"tune", input, "-vf", stack}));
    EXPECT_TRUE(exits(tuned, 0));
    for (const char* part : {"yuv420p10le on ", "\n  gaussian: ", "\n  sobel: ", " µs"})
        EXPECT_TRUE(contains(tuned.out, part)) << tuned.out;
    auto page = parse_json(read_file(plan_file()));
    EXPECT_GE(page.at("kernels").size(), 3U);  // luma and chroma of one step, luma of the other

    for (auto& kernel : page.at("kernels")) kernel = "direct";  // shows that the file is read
    write_file(plan_file(), page.dump());
    Arguments batch = {"batch", "--dry-run", "-vf", stack, "-o", "null:", input};
    const Result measured = run(with_cache(batch));
    EXPECT_TRUE(contains(measured.out, "gaussian  direct  ")) << measured.out;
    EXPECT_TRUE(contains(measured.out, "the fastest that weft tune measured")) << measured.out;
    batch.insert(batch.end(), {"--kernel", "table"});
    const Result table = run(with_cache(batch));
    EXPECT_TRUE(exits(table, 0));
    EXPECT_FALSE(contains(table.out, "weft tune")) << table.out;
}

}  // namespace
}  // namespace weft::cli
