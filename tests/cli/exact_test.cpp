// `weft batch --exact`: the same bits on every device.
#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

constexpr const char* kStack = "gaussian=sigma=3,sharpen,sobel";

class CliExact : public CliTest {};

class GpuExact : public CliTest {
 protected:
    void SetUp() override {
        CliTest::SetUp();
        skip_without_gpu();
    }
    std::string filtered(const std::string& input, const std::string& stack, const char* gpu) {
        const std::string output = path(std::string(gpu) + ".nut");
        EXPECT_TRUE(exits(weft({"batch", "-y", "--exact", "--gpu", gpu, "-vf", stack, "-c:v",
                                "rawvideo", "-o", output, input}),
                          0));
        return packet_hash(output, "0:v");
    }
};

TEST_F(CliExact, TheDryRunStatesTheBoundAndTheDeviation) {
    const auto result = [&](const Arguments& more) {
        Arguments arguments = {"batch", "--dry-run", "--gpu", "off", "-vf", kStack, "-o", "null:"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        arguments.push_back(short_clip());
        return weft(arguments);
    };
    EXPECT_TRUE(contains(result({}).out, "devices differ by at most"));
    const Result exact = result({"--exact"});
    EXPECT_TRUE(exits(exact, 0));
    EXPECT_TRUE(contains(exact.out, "bit for bit on every device")) << exact.out;
    EXPECT_TRUE(contains(exact.out, "gaussian: with exact sums, a result differs by at most "))
        << exact.out;
    EXPECT_FALSE(contains(exact.out, "sobel: with exact sums")) << exact.out;  // whole numbers
}

TEST_F(CliExact, FloatsAreRefused) {
    ASSERT_TRUE(exits(run({"ffmpeg", "-v", "error", "-i", image_clip(), "-pix_fmt", "grayf32le",
                           path("float.pfm")}),
                      0));
    const Result result =
        weft({"batch", "--exact", "-vf", "gaussian", "-o", path("o.pfm"), path("float.pfm")});
    EXPECT_TRUE(exits(result, 2));
    EXPECT_TRUE(contains(result.err, "samples in floating point have no exact sums")) << result.err;
    EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>{"float.pfm"});
}

// A receipt holds the option, so that frames are computed again as they were made; without it the
// blur's frames are others.
TEST_F(CliExact, IsProvenFromTheReceipt) {
    const std::string output = path("o.mkv");
    ASSERT_TRUE(exits(weft({"batch", "--exact", "--receipts", "--gpu", "off", "-vf",
                            "gaussian=sigma=3", "-crf", "30", "-o", output, short_clip()}),
                      0));
    const Result proof = weft({"prove", output});
    EXPECT_TRUE(exits(proof, 0));
    EXPECT_TRUE(contains(proof.out, "proven")) << proof.out;
    const Result other = weft({"batch", "-n", "--receipts", "--gpu", "off", "-vf",
                               "gaussian=sigma=3", "-crf", "30", "-o", output, short_clip()});
    EXPECT_FALSE(contains(other.err + other.out, "1 skipped")) << other.err;
}

TEST_F(GpuExact, BothDevicesGiveTheSameBits) {
    for (const char* format : {"gray", "yuv420p", "nv12", "rgb24", "rgba", "yuv420p10le",
                               "yuv444p12le", "gray16le", "rgb48le"}) {
        const std::string input = path(std::string(format) + ".nut");
        ASSERT_TRUE(exits(run({"ffmpeg", "-v", "error", "-i", short_clip(), "-pix_fmt", format,
                               "-c:v", "rawvideo", input}),
                          0));
        for (const char* stack : {"gaussian=sigma=1", "gaussian=sigma=4,unsharp,sobel",
                                  "disc=radius=9,sharpen=amount=0.7,emboss,box=radius=3"})
            EXPECT_EQ(filtered(input, stack, "off"), filtered(input, stack, "require"))
                << format << ", " << stack;
    }
}

}  // namespace
}  // namespace weft::cli
