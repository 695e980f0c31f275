#include "app/pipeline/device_choice.h"

#include <gtest/gtest.h>

#include "app/media/error.h"

namespace weft {
namespace {

Device gpu(int ordinal) {
    Device device;
    device.ordinal = ordinal;
    device.name = "GPU " + std::to_string(ordinal);
    return device;
}

GpuProbe two_gpus() {
    return {{gpu(0), gpu(2)}, ""};
}
GpuProbe no_gpus() {
    return {{}, "no NVIDIA driver is loaded"};
}

ExitCode code_of(const GpuRequest& request, const GpuProbe& probe) {
    try {
        choose_device(request, probe);
        return ExitCode::ok;
    } catch (const Error& error) {
        return error.code();
    }
}

TEST(PipelineDevice, RequestsAreParsed) {
    EXPECT_EQ(parse_gpu_request("auto").mode, GpuMode::automatic);
    EXPECT_EQ(parse_gpu_request("require").mode, GpuMode::require);
    EXPECT_EQ(parse_gpu_request("off").mode, GpuMode::off);
    EXPECT_EQ(parse_gpu_request("12").ordinal, 12);
    for (const char* bad : {"", "-1", "1x", "on", "AUTO", "99999999999", " 1"})
        EXPECT_THROW(parse_gpu_request(bad), Error) << bad;
}

TEST(PipelineDevice, AutomaticTakesTheFirstAndSaysWhyNot) {
    EXPECT_EQ(choose_device({GpuMode::automatic}, two_gpus()).device.ordinal, 0);
    EXPECT_EQ(choose_device({GpuMode::automatic}, two_gpus()).reason, "");
    const DeviceChoice fallback = choose_device({GpuMode::automatic}, no_gpus());
    EXPECT_FALSE(fallback.device.is_gpu());
    EXPECT_EQ(fallback.reason, "no NVIDIA driver is loaded");
}

TEST(PipelineDevice, RequiredAndNumberedGpusFailWithSix) {
    EXPECT_EQ(code_of({GpuMode::require}, no_gpus()), ExitCode::no_gpu);
    EXPECT_EQ(code_of({GpuMode::require}, two_gpus()), ExitCode::ok);
    EXPECT_EQ(code_of({GpuMode::ordinal, 2}, two_gpus()), ExitCode::ok);
    EXPECT_EQ(code_of({GpuMode::ordinal, 1}, two_gpus()), ExitCode::no_gpu);
    EXPECT_EQ(code_of({GpuMode::ordinal, 0}, no_gpus()), ExitCode::no_gpu);
}

TEST(PipelineDevice, OffIgnoresGpus) {
    const DeviceChoice choice = choose_device({GpuMode::off});
    EXPECT_FALSE(choice.device.is_gpu());
    EXPECT_EQ(choice.reason, "");
}

}  // namespace
}  // namespace weft
