// Random stacks on structured pictures, until the time is up: every kernel that takes a step's
// convolution against the oracle, and the CPU's frames against the GPU's.
//
//   WEFT_RANDOM_SEED=N      start at case N instead of the built-in one
//   WEFT_RANDOM_SECONDS=N   instead of 30 seconds on the CPU, 600 on a GPU or in long runs
//   WEFT_RANDOM_CASES=N     stop after N cases
#include "tests/pipeline/stack/random_stack.h"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/pipeline/stack/allowed_difference.h"
#include "app/pipeline/stack/stack_runner.h"
#include "kernels/pixels/pixel_ops.h"
#include "tests/kernels/cases/conv_case.h"
#include "tests/kernels/device/gpu.h"

namespace weft::test {
namespace {

constexpr int kFrames = 3;  // temporal steps remember frames
constexpr int kMostFailures = 8;

std::int64_t setting(const char* name, std::int64_t otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::atoll(text);
}

// Numbers of the cases of one run.
class Cases {
 public:
    Cases(std::uint32_t seed, int seconds)
        : number_(static_cast<std::uint32_t>(setting("WEFT_RANDOM_SEED", seed))),
          most_(setting("WEFT_RANDOM_CASES", INT64_MAX)),
          end_(std::chrono::steady_clock::now() +
               std::chrono::seconds(setting("WEFT_RANDOM_SECONDS", seconds))) {}

    // Returns true at least once.
    bool more() const {
        return done_ == 0 || (done_ < most_ && std::chrono::steady_clock::now() < end_);
    }
    std::uint32_t next() {
        ++done_;
        return number_++;
    }
    std::int64_t done() const { return done_; }

 private:
    std::uint32_t number_;
    std::int64_t done_ = 0;
    std::int64_t most_;
    std::chrono::steady_clock::time_point end_;
};

std::vector<double> host_samples(const ImageView& view) {
    TestPlane copy({view.width, view.height, view.channels, view.type}, Layout::tight,
                   std::byte{0});
    copy_image(view, copy.view(), nullptr);
    return copy.samples();
}

// A convolution of a step and the image that it read.
struct Convolved {
    const ConvProblem* problem = nullptr;
    const Plan* plan = nullptr;
    std::vector<double> source;
};

// The output of a stack for the frames of a case.
struct Filtered {
    std::vector<std::vector<TestPlane>> frames;
    std::vector<Convolved> convolved;  // last frame only, step by step
};

class StackUnderTest {
 public:
    StackUnderTest(const RandomStack& random, const Device& device, Sums sums)
        : random_(random), runner_(plan_stack(random.stack, random.info, device, {}, sums)) {}

    const StackPlan& plan() const { return runner_.plan(); }

    Filtered run(bool observe) {
        const auto first = plan().steps.front().problems();
        Filtered out;
        for (int frame = 0; frame < kFrames; ++frame) {
            if (observe && frame + 1 == kFrames)
                runner_.observe([&](std::size_t step, std::span<const ImageView> sources,
                                    StreamView) { note(step, sources, out.convolved); });
            const std::vector<TestPlane> source = random_planes(random_, frame, first);
            out.frames.push_back(blank_planes(random_.info));
            runner_.run(views_of(source), views_of(out.frames.back()), {}, {frame, frame / 25.0});
        }
        return out;
    }

 private:
    void note(std::size_t number, std::span<const ImageView> sources,
              std::vector<Convolved>& list) const {
        const StepPlan& step = plan().steps[number];
        const auto problems = step.problems();
        for (std::size_t k = 0; k < problems.size(); ++k)
            if (problems[k] != nullptr)
                list.push_back({problems[k], &step.plans[k], host_samples(sources[k])});
    }

    const RandomStack& random_;
    StackRunner runner_;
};

// Number of products in the oracle's sums; it computes about 5e8 per second.
double oracle_work(const ConvProblem& p) {
    const Taps& t = p.taps();
    const double taps = t.dense() ? static_cast<double>(t.width) * t.height : t.width + t.height;
    return taps * p.width * p.height * p.channels * static_cast<double>(p.conv.front().taps.size());
}

class RandomRun {
 public:
    RandomRun(const Device& device, Sums sums) : device_(device), sums_(sums) {
        for (const ConvKernel& row : conv_kernels())
            if (row.space == MemorySpace::host || device.is_gpu())
                runners_.emplace_back(row, row.space == MemorySpace::host ? cpu_device() : device);
    }

    void check(const RandomStack& random) {
        StackUnderTest cpu(random, cpu_device(), sums_);
        const Filtered by_cpu = cpu.run(true);
        for (const Convolved& c : by_cpu.convolved) check_kernels(random, c);
        for (const auto& frame : by_cpu.frames) check_surroundings(random, frame);
        if (!device_.is_gpu()) return;
        StackUnderTest gpu(random, device_, sums_);
        const Filtered by_gpu = gpu.run(false);
        check_frames(random, gpu.plan(), by_cpu, by_gpu);
        for (const auto& frame : by_gpu.frames) check_surroundings(random, frame);
    }

    int failures() const { return failures_; }
    std::int64_t checks() const { return checks_; }
    std::int64_t left_out() const { return left_out_; }

 private:
    void fail(const RandomStack& random, const std::string& what) {
        if (++failures_ > kMostFailures) return;
        ADD_FAILURE() << describe(random) << "\n  " << what
                      << "\n  again: WEFT_RANDOM_SEED=" << random.number
                      << " WEFT_RANDOM_CASES=1 weft-tests --gtest_filter="
                      << testing::UnitTest::GetInstance()->current_test_suite()->name() << ".*";
    }

    void check_kernels(const RandomStack& random, const Convolved& c) {
        // Gaussians of thousands of factors have tests of their own (KernelsTwoRate).
        const Taps& t = c.problem->taps();
        const bool too_wide = std::max(t.width, t.height) > Taps::kMaxSeparable;
        if (too_wide || oracle_work(*c.problem) > 6e7) {
            ++left_out_;
            return;
        }
        ConvCase conv{.problem = *c.problem, .seed = random.number, .samples = c.source};
        conv.source_layout = kLayouts[random.number % 4];
        conv.output_layout = kLayouts[random.number / 4 % 4];
        for (const Runner& runner : runners_) {
            if (!why_cannot(runner.row(), *c.problem, device_).empty()) continue;
            ++checks_;
            const std::string failure = check_against_oracle(runner, conv);
            if (!failure.empty()) fail(random, failure);
        }
    }

    void check_frames(const RandomStack& random, const StackPlan& plan, const Filtered& cpu,
                      const Filtered& gpu) {
        const std::vector<double> bounds = stack_differences(plan);
        if (sums_ == Sums::exact && bounds.back() != 0)
            fail(random, fmt::format("exact sums that may differ by {}", bounds.back()));
        for (std::size_t f = 0; f < cpu.frames.size(); ++f)
            for (std::size_t p = 0; p < cpu.frames[f].size(); ++p)
                check_plane(random, bounds.back(), cpu.frames[f][p], gpu.frames[f][p]);
    }

    void check_plane(const RandomStack& random, double bound, const TestPlane& cpu,
                     const TestPlane& gpu) {
        ++checks_;
        const std::vector<double> a = cpu.samples();
        const std::vector<double> b = gpu.samples();
        double largest = 0;
        for (std::size_t i = 0; i < a.size(); ++i)
            if (!(std::fabs(a[i] - b[i]) <= largest)) largest = std::fabs(a[i] - b[i]);
        if (!(largest <= bound))
            fail(random, fmt::format("CPU and GPU differ by {}, allowed {}", largest, bound));
    }

    void check_surroundings(const RandomStack& random, const std::vector<TestPlane>& planes) {
        for (const TestPlane& plane : planes)
            if (!plane.surroundings_untouched()) fail(random, "bytes outside a plane were written");
    }

    const Device& device_;
    Sums sums_;
    std::vector<Runner> runners_;
    int failures_ = 0;
    std::int64_t checks_ = 0;
    std::int64_t left_out_ = 0;  // convolutions that the oracle is too slow for
};

// Whether the device takes the stack's Gaussians: exact sums and GPUs add up at most 511 factors.
bool takes_gaussians(const RandomStack& random, const Device& device, Sums sums) {
    try {
        (void)plan_stack(random.stack, random.info, device, {}, sums);
        return true;
    } catch (const std::exception& error) {
        if (std::string(error.what()).find("511 factors") == std::string::npos) throw;
        return false;
    }
}

// Every kernel and the oracle; with exact sums, stacks of integer samples only.
void check_random_stacks(const Device& device, Sums sums, std::uint32_t seed, int seconds) {
    RandomRun run(device, sums);
    Cases cases(seed, seconds);
    std::int64_t refused = 0;
    while (cases.more() && run.failures() <= kMostFailures) {
        const RandomStack random = random_stack(cases.next());
        if (sums == Sums::exact && random.info.sample == SampleType::f32) continue;
        if (takes_gaussians(random, device, sums))
            run.check(random);
        else
            ++refused;
    }
    fmt::print(
        "{} random stacks, {} checks, {} convolutions too large for the oracle, {} stacks with a "
        "Gaussian that is too wide\n",
        cases.done(), run.checks(), run.left_out(), refused);
    EXPECT_LT(refused, cases.done() / 4 + 1);
    if (run.failures() > kMostFailures) ADD_FAILURE() << "stopped after so many failures";
}

int seconds_in_suite() {
    return std::getenv("WEFT_LONG_TESTS") != nullptr ? 600 : 30;
}

class GpuRandomStack : public NeedsGpu<testing::Test> {};

}  // namespace

TEST(PipelineRandomStack, MatchesOracle) {
    check_random_stacks(cpu_device(), Sums::as_given, 1, seconds_in_suite());
}

TEST(PipelineRandomStack, MatchesOracleWithExactSums) {
    check_random_stacks(cpu_device(), Sums::exact, 500'000, seconds_in_suite() / 3);
}

TEST_F(GpuRandomStack, MatchesOracleAndCpu) {
    check_random_stacks(first_gpu(), Sums::as_given, 1'000'000, 600);
}

TEST_F(GpuRandomStack, ExactSumsAreTheSameBitsAsOnTheCpu) {
    check_random_stacks(first_gpu(), Sums::exact, 1'500'000, 600);
}

}  // namespace weft::test
