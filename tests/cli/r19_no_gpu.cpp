// R19: without a usable GPU the program works on the CPU and reports it; "require" refuses; "off"
// does not even look for the driver.
#include <filesystem>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

class CliR19NoGpu : public CliTest {
 protected:
    // Hides the driver's devices from this run, if there is a driver.
    Command filter(const Arguments& more) {
        Arguments arguments = {"batch",     "-vf",           "gaussian=sigma=1",
                               "-o",        path("out.mkv"), "--json=" + path("report.json"),
                               short_clip()};
        arguments.insert(arguments.end() - 1, more.begin(), more.end());
        Command command = weft_command(arguments);
        command.env["CUDA_VISIBLE_DEVICES"] = "";
        command.env["XDG_CACHE_HOME"] = path("cache");
        return command;
    }
    nlohmann::json device() const {
        return parse_json(read_file(path("report.json"))).value("device", nlohmann::json::object());
    }
};

TEST_F(CliR19NoGpu, AutoFallsBackWithANote) {
    for (const Arguments& arguments : {Arguments{}, Arguments{"--gpu", "auto"}}) {
        const Result result = run(filter(arguments));
        EXPECT_TRUE(exits(result, 0));
        EXPECT_EQ(frame_count(path("out.mkv")), 15);
        EXPECT_TRUE(contains(result.err, "CPU")) << "nothing about the fallback: " << result.err;
        EXPECT_EQ(device().value("kind", ""), "cpu");
        EXPECT_NE(device().value("reason", ""), "");
        std::filesystem::remove(path("out.mkv"));
        std::filesystem::remove_all(path("cache"));
    }
}

TEST_F(CliR19NoGpu, TheNoteAppearsOncePerMachine) {
    if (std::filesystem::exists("/dev/nvidiactl")) GTEST_SKIP() << "the driver expects a GPU";
    for (const bool noted : {true, false, false}) {
        const Result result = run(filter({"-y"}));
        EXPECT_TRUE(exits(result, 0));
        EXPECT_EQ(contains(result.err, "no GPU, filtering on the CPU: "), noted) << result.err;
        EXPECT_NE(device().value("reason", ""), "");
    }
}

TEST_F(CliR19NoGpu, RequireEndsWithSix) {
    const Result result = run(filter({"--gpu", "require"}));
    EXPECT_TRUE(exits(result, 6));
    EXPECT_FALSE(std::filesystem::exists(path("out.mkv")));
}

TEST_F(CliR19NoGpu, AMissingDeviceNumberEndsWithSix) {
    for (const char* gpus : {"0", "0,1", "all"}) {
        EXPECT_TRUE(exits(run(filter({"--gpu", gpus})), 6)) << gpus;
        EXPECT_FALSE(std::filesystem::exists(path("out.mkv")));
    }
}

TEST_F(CliR19NoGpu, OnlyABatchTakesSeveralGpus) {
    for (const char* gpus : {"0,1", "all"}) {
        const Result result = weft({"compare", "--gpu", gpus, short_clip(), "-vf", "box"});
        EXPECT_TRUE(exits(result, 2));
        EXPECT_TRUE(contains(result.err, "only weft batch takes several GPUs")) << result.err;
        EXPECT_TRUE(exits(weft({"view", "--gpu", gpus}), 2));
    }
}

TEST_F(CliR19NoGpu, OffIsQuietAndNeverTouchesTheDriver) {
    Command command = filter({"--gpu", "off"});
    command.env["LD_DEBUG"] = "libs";
    command.env["LD_DEBUG_OUTPUT"] = path("loader");
    const Result result = run(command);
    EXPECT_TRUE(exits(result, 0));
    EXPECT_FALSE(contains(result.err, "fall")) << result.err;
    EXPECT_EQ(device().value("kind", ""), "cpu");
    bool traced = false;
    for (const std::string& name : names_in(folder_.path())) {
        if (name.rfind("loader", 0) != 0) continue;
        traced = true;
        for (const char* library : {"libcuda.so", "libnvidia-ml.so"})
            EXPECT_FALSE(contains(read_file(path(name)), library)) << library << " was looked for";
    }
    EXPECT_TRUE(traced) << "the loader wrote no trace";
}

TEST_F(CliR19NoGpu, TheProgramIsNotLinkedWithTheDriver) {
    const Result result = run({"ldd", weft_program()});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_FALSE(contains(result.out, "libcuda.so")) << result.out;
    EXPECT_FALSE(contains(result.out, "not found")) << result.out;
    for (const char* library : {"libGL.", "libglfw", "libX11.so", "highgui", "imgcodecs"})
        EXPECT_FALSE(contains(result.out, library) && std::string(library) != "libX11.so")
            << library;
}

TEST_F(CliR19NoGpu, DevicesAreListedWithTheReason) {
    Command command = weft_command({"list", "devices"});
    command.env["CUDA_VISIBLE_DEVICES"] = "";
    const Result result = run(command);
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(contains(result.out, "CPU") || contains(result.out, "cpu")) << result.out;
}

TEST_F(CliR19NoGpu, CudaKernelsAreListedWithTheReason) {
    Command command = weft_command({"list", "kernels"});
    command.env["CUDA_VISIBLE_DEVICES"] = "";
    const Result result = run(command);
    EXPECT_TRUE(exits(result, 0));
    for (const char* name : {"direct", "column_row_reuse", "opencv_cpu"})
        EXPECT_TRUE(contains(result.out, name)) << result.out;
}

TEST_F(CliR19NoGpu, ForcingACudaKernelIsRefused) {
    const Result result = run(filter({"--kernel", "column_row_reuse"}));
    EXPECT_TRUE(exits_one_of(result, {2, 6}));
    EXPECT_FALSE(std::filesystem::exists(path("out.mkv")));
}

}  // namespace
}  // namespace weft::cli
