// R01: a file on which libav never returns is abandoned after a minute without progress, and one
// that makes an assertion of libav fail at once; the other files of the batch are filtered.
#include <filesystem>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace fs = std::filesystem;
namespace {

class CliR01Stall : public FailingCallsTest {
 protected:
    void SetUp() override {
        FailingCallsTest::SetUp();
        if (!testing::Test::IsSkipped() && !long_tests())
            GTEST_SKIP()
                << "takes minutes: only with --long; PipelineStallGuard has the short form";
    }

    // The decoder never returns from the third packet, which is in the first file.
    Command stalled(const Arguments& arguments) const {
        Command command = command_with_failing_calls(arguments);
        command.env["WEFT_STALL_PACKET"] = "3";
        return command;
    }
};

const char* const kWhy = "nothing was read or decoded for 60 seconds";

TEST_F(CliR01Stall, ABatchGoesOnWithItsOtherFiles) {
    const Result result =
        run(stalled({"batch", "--jobs", "1", "-vf", "box=radius=1", "--json", path("report.json"),
                     "-o", path("out/"), short_clip("a.mkv"), video_clip("b.mkv")}));
    EXPECT_TRUE(exits(result, 3));
    EXPECT_TRUE(contains(read_file(path("report.json")), kWhy));
    EXPECT_EQ(names_in(path("out")), std::vector<std::string>{"cli_b.mkv"});
}

TEST_F(CliR01Stall, AProofGoesOnWithItsOtherOutputs) {
    EXPECT_TRUE(exits(weft({"batch", "--receipts", "-vf", "box=radius=1", "-o", path("out/"),
                            short_clip("a.mkv"), video_clip("b.mkv")}),
                      0));
    const Result result =
        run(stalled({"prove", "--jobs", "1", "--json", path("report.json"), path("out")}));
    EXPECT_TRUE(exits(result, 3));
    const auto files = parse_json(read_file(path("report.json"))).at("files");
    EXPECT_EQ(files.at(0).at("verdict"), "not proven");
    EXPECT_TRUE(contains(files.at(0).at("reasons").dump(), kWhy)) << files;
    EXPECT_EQ(files.at(1).at("verdict"), "proven");
}

TEST_F(CliR01Stall, OneFileEndsTheRun) {
    const std::string input = short_clip("a.mkv");
    for (const Arguments& arguments :
         {Arguments{"batch", "-vf", "box=radius=1", "-o", path("out.mkv"), input},
          Arguments{"batch", "-vf", "box=radius=1", "--dry-run", "-o", path("out.mkv"), input},
          Arguments{"info", input}}) {
        Command command = stalled(arguments);
        command.env["WEFT_STALL_PACKET"] = "1";
        const Result result = run(command);
        EXPECT_TRUE(exits(result, 1));
        EXPECT_TRUE(contains(last_line(result.err), kWhy)) << describe(result);
        EXPECT_FALSE(fs::exists(path("out.mkv")));
    }
}

// The decoder of Sun rasters asserts that all rows have fewer bytes than a third of 2 GiB.
TEST_F(CliTest, AHostilePictureEndsItsFileAlone) {
    const auto raster = [](std::uint64_t side) {
        std::string bytes;
        for (const std::uint64_t value :
             {std::uint64_t{0x59A66A95}, side, side, std::uint64_t{24}, std::uint64_t{0},
              std::uint64_t{2}, std::uint64_t{0}, std::uint64_t{0}})
            bytes += big_endian(value, 4);
        for (int run = 0; run < 1000; ++run) bytes += std::string("\x80\xFF\0", 3);
        return bytes;
    };
    write_file(path("in_1.ras"), raster(16));
    write_file(path("in_2.ras"), raster(16000));
    const Result result = weft({"batch", "--jobs", "1", "-vf", "box=radius=1", "-o", path("out/"),
                                path("in_%d.ras"), video_clip("whole.mkv")});
    EXPECT_TRUE(exits(result, 3));
    EXPECT_TRUE(contains(result.err, "is a Sun raster of 16000x16000, which is too large"))
        << describe(result);
    EXPECT_EQ(names_in(path("out")), std::vector<std::string>{"cli_whole.mkv"});
}

}  // namespace
}  // namespace weft::cli
