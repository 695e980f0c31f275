#include "kernels/device/gpu_monitor.h"

#include <gtest/gtest.h>

#include "tests/kernels/device/gpu.h"

namespace weft::test {

namespace {

TEST(KernelsGpuMonitor, SaysWhyThereIsNothingToRead) {
    const GpuMonitor monitor(cpu_device());
    EXPECT_EQ(monitor.why_not(), "the CPU's clock and temperature are not read");
    EXPECT_FALSE(monitor.read().clock_mhz);
    EXPECT_FALSE(monitor.read().memory_bytes);
}

class GpuMonitorReads : public NeedsGpu<testing::Test> {};

TEST_F(GpuMonitorReads, PlausibleNumbersOrASentence) {
    const GpuMonitor monitor(first_gpu());
    if (!monitor.why_not().empty()) GTEST_SKIP() << monitor.why_not();
    const GpuReading reading = monitor.read();
    ASSERT_TRUE(reading.memory_bytes);
    // The driver reserves some of the memory.
    EXPECT_GE(*reading.memory_bytes, first_gpu().memory_bytes);
    EXPECT_LE(*reading.memory_used_bytes, *reading.memory_bytes);
    if (reading.clock_mhz) {
        EXPECT_LE(*reading.clock_mhz, *reading.most_clock_mhz);
    }
    if (reading.temperature_celsius) {
        EXPECT_LT(*reading.temperature_celsius, 120U);
    }
    if (reading.power_watts) {
        EXPECT_LT(*reading.power_watts, 2000);
    }
}

}  // namespace

}  // namespace weft::test
