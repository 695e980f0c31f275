// What binds a kernel, and the sentences that explain it.
#include "app/pipeline/race/race_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace weft {
namespace {

// A frame of 8 MB on a device that moves 4 GB and computes 100 billion operations per second. An
// empty launch takes 1 ms, a copy 4 ms, and the kernel 5 ms for 100 million operations.
struct Race {
    StepResult step;
    KernelResult kernel;

    Race() {
        step.bytes = 8e6;
        step.empty.add(1e-3);
        step.copy.add(4e-3);
        step.peak = {.bytes = 4e9, .operations = 100e9, .half_operations = 200e9};
        step.device.vector_bytes = 32;
        step.device.multiprocessors = 2;
        kernel.kernel = "some";
        kernel.seconds.add(5e-3);
        kernel.operations = 100e6;
    }
    Bound bound() const { return bound_of(step, kernel); }
};

Samples samples_of(double seconds) {
    Samples samples;
    samples.add(seconds);
    return samples;
}

TEST(PipelineRaceLimits, TheHighestLimitBinds) {
    Race race;
    EXPECT_EQ(race.bound().limit, Limit::memory);
    EXPECT_DOUBLE_EQ(race.bound().seconds, 4e-3);
    EXPECT_DOUBLE_EQ(race.bound().fraction, 0.8);
    race.kernel.operations = 450e6;
    EXPECT_EQ(race.bound().limit, Limit::arithmetic);
    EXPECT_DOUBLE_EQ(race.bound().seconds, 4.5e-3);
    race.kernel.arithmetic = Arithmetic::half_taps;  // whose units are twice as fast
    EXPECT_EQ(race.bound().limit, Limit::memory);
}

// A copy of few bytes takes about as long as a launch: then no memory is the limit. No kernel is
// faster than it all the same.
TEST(PipelineRaceLimits, ACopyThatIsMostlyALaunchIsTheLimitOfLaunches) {
    Race race;
    race.step.empty = samples_of(2.1e-3);
    EXPECT_EQ(race.bound().limit, Limit::launch);
    EXPECT_DOUBLE_EQ(race.bound().seconds, 4e-3);
    EXPECT_DOUBLE_EQ(race.bound().fraction, 0.8);
    race.step.empty = samples_of(1.9e-3);
    EXPECT_EQ(race.bound().limit, Limit::memory);
}

TEST(PipelineRaceLimits, WithoutSamplesNothingIsKnown) {
    for (const bool of_kernel : {true, false}) {
        Race race;
        (of_kernel ? race.kernel.seconds : race.step.empty) = {};
        EXPECT_EQ(race.bound().limit, Limit::unknown) << of_kernel;
        EXPECT_EQ(bound_text(race.bound()), "-");
        EXPECT_TRUE(why(race.step, race.kernel).empty());
        EXPECT_TRUE(limits_json(race.step, race.kernel).at("bound_by").is_null());
    }
}

// Memory needs 8 MB / 4 GB/s = 2 ms of the 5.
TEST(PipelineRaceLimits, ThePeakIsOfMemoryOrArithmetic) {
    Race race;
    EXPECT_DOUBLE_EQ(fraction_of_peak(race.step, race.kernel), 0.4);
    race.kernel.operations = 300e6;
    EXPECT_DOUBLE_EQ(fraction_of_peak(race.step, race.kernel), 0.6);
    race.step.peak = {};
    EXPECT_EQ(fraction_of_peak(race.step, race.kernel), 0);
}

TEST(PipelineRaceLimits, CellsHaveUnits) {
    const Race race;
    EXPECT_EQ(bound_text(race.bound()), "memory 80 %");
    EXPECT_EQ(peak_time_text(race.step), "2.00 ms");
    EXPECT_EQ(operations_text(100e9), "100 GFLOP/s");
    EXPECT_EQ(operations_text(66.9e12), "66.9 TFLOP/s");
    EXPECT_EQ(operations_text(999.9e9), "1 TFLOP/s");
    EXPECT_EQ(operations_text(2250e12), "2.25 PFLOP/s");
    EXPECT_EQ(operations_text(0), "-");
}

TEST(PipelineRaceLimits, SentencesExplainTheTime) {
    using testing::ElementsAre;
    Race race;
    race.kernel.planner = {"The planner chose it: it is the fastest."};
    EXPECT_THAT(
        why(race.step, race.kernel),
        ElementsAre("Bound by memory. A copy of the same bytes takes 80 % of this time.",
                    "It has to move 8.00 MB at least, and computes 12.5 operations per byte.",
                    "It runs on 2 threads with vectors of 32 bytes.",
                    "The planner chose it: it is the fastest."));
    race.kernel.seconds = samples_of(10e-3);
    race.kernel.planner.clear();
    EXPECT_THAT(
        why(race.step, race.kernel),
        ElementsAre("No limit explains it. A copy of the same bytes takes 40 % of this time; the "
                    "rest are other instructions, caches and latency.",
                    "It has to move 8.00 MB at least, and computes 12.5 operations per byte.",
                    "It runs on 2 threads with vectors of 32 bytes."));
}

// On a GPU, of the launch that fills it least.
TEST(PipelineRaceLimits, LaunchesOfAGpuHaveRegistersAndOccupancy) {
    Race race;
    race.step.device.ordinal = 0;
    EXPECT_EQ(why(race.step, race.kernel).size(), 2U) << "launches are unknown";
    EXPECT_TRUE(limits_json(race.step, race.kernel).at("launches").is_null());
    race.kernel.launches = {
        {.blocks = 10, .threads = 128, .registers = 32, .occupancy = 1},
        {.blocks = 20, .threads = 256, .registers = 62, .shared_bytes = 4096, .occupancy = 0.5},
        {}};
    EXPECT_EQ(why(race.step, race.kernel).back(),
              "It takes 3 launches; the one that fills the GPU least has 20 blocks of 256 threads "
              "with 62 registers, 4.1 kB of shared memory and an occupancy of 50 %.");
    const nlohmann::json json = limits_json(race.step, race.kernel);
    EXPECT_EQ(json.at("launches"), 3);
    EXPECT_EQ(json.at("registers"), 62);
    EXPECT_EQ(json.at("occupancy"), 0.5);
}

TEST(PipelineRaceLimits, JsonHasTheLimits) {
    const Race race;
    const nlohmann::json json = limits_json(race.step, race.kernel);
    EXPECT_EQ(json.at("bound_by"), "memory");
    EXPECT_DOUBLE_EQ(json.at("fraction_of_bound"), 0.8);
    EXPECT_DOUBLE_EQ(json.at("fraction_of_peak"), 0.4);
    EXPECT_EQ(json.at("operations"), 100e6);
    EXPECT_TRUE(json.at("registers").is_null());
    const nlohmann::json peak = peak_json(race.step.peak);
    EXPECT_EQ(peak.at("bytes_per_second"), 4e9);
    EXPECT_EQ(peak.at("operations_per_second"), 100e9);
    EXPECT_EQ(peak.at("half_operations_per_second"), 200e9);
    EXPECT_TRUE(peak_json({}).at("bytes_per_second").is_null());
}

}  // namespace
}  // namespace weft
