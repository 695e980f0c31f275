// Kernels racing during playback: their turns, and the samples that are kept or dropped.
#include "app/viewer/race/live_race.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "app/viewer/race/race_rounds.h"
#include "kernels/device/stream.h"
#include "kernels/pixels/pixel_ops.h"

namespace weft::test {
namespace {

constexpr std::int64_t kAny = 1'000'000;
constexpr int kWidth = 160;
constexpr int kHeight = 90;
constexpr int kLimits = static_cast<int>(StepRace::kLimitTurns);
constexpr int kRound = kLimits + 1;  // the turns of the limits and one kernel

FrameInfo gray_info() {
    FrameInfo info;
    info.width = kWidth;
    info.height = kHeight;
    info.planes = {{kWidth, kHeight, {Component::y}}};
    return info;
}

StackPlans plans_of(const std::string& stack, const Device& device,
                    const ForcedKernels& forced = {}) {
    return {plan_stack(parse_stack(stack), gray_info(), device, forced).steps};
}

// A picture of noise in the device's memory.
ImageBuffer noise(const Device& device, unsigned seed) {
    const ImageBuffer host(kWidth, kHeight, 1, PixelType::u8, Allocation::host);
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x) {
            seed = seed * 1664525U + 1013904223U;
            host.view().row(y)[x] = static_cast<std::byte>(seed >> 24U);
        }
    ImageBuffer image(kWidth, kHeight, 1, PixelType::u8,
                      device.is_gpu() ? Allocation::device : Allocation::host);
    copy_image(host.view(), image.view(), nullptr);
    return image;
}

const KernelResult& of(const RaceSnapshot& snapshot, const std::string& kernel) {
    const auto found = std::ranges::find(snapshot.step.kernels, kernel, &KernelResult::kernel);
    if (found == snapshot.step.kernels.end()) throw std::runtime_error("no row of " + kernel);
    return *found;
}

// Rounds over one gray picture.
class Rounds {
 public:
    explicit Rounds(const std::string& stack,
                    const RaceSettings& settings = {.enabled = true, .kernels = {"opencv_cpu"}})
        : rounds(cpu_device()) {
        rounds.set(settings);
        rounds.set_stacks(plans_of(stack, cpu_device()));
    }

    void keep(unsigned seed = 1) {
        image_ = noise(cpu_device(), seed);
        const ImageView view = image_.view();
        rounds.keep({&view, 1}, nullptr);
        while (rounds.prepare()) {
        }
    }
    int turns(int wanted, std::int64_t most = kAny) {
        int taken = 0;
        while (taken < wanted && rounds.take_turn(most)) ++taken;
        return taken;
    }
    std::int64_t samples() const { return of(rounds.snapshot(), "opencv_cpu").seconds.count(); }

    RaceRounds rounds;

 private:
    ImageBuffer image_;
};

TEST(ViewerRaceRounds, EveryImageKernelHasARow) {
    Rounds race("gaussian=sigma=2", {.enabled = true});
    race.keep();
    const auto can_run = [&](const ConvKernel& row) {
        return of(race.rounds.snapshot(), std::string(row.name)).why_not.empty();
    };
    const auto runs = std::ranges::count_if(conv_kernels(), can_run);
    EXPECT_GE(runs, 2);
    race.turns(kLimits + static_cast<int>(runs));
    const RaceSnapshot snapshot = race.rounds.snapshot();
    for (const ConvKernel& row : conv_kernels()) {
        const KernelResult& result = of(snapshot, std::string(row.name));
        const bool takes = can_run(row);
        EXPECT_FALSE(takes && row.space == MemorySpace::device) << row.name;
        EXPECT_EQ(result.seconds.count(), takes ? 1 : 0) << row.name;
        EXPECT_EQ(takes_part(snapshot.settings, snapshot.step, result), takes) << row.name;
    }
    EXPECT_EQ(snapshot.step.kernels.size(), conv_kernels().size());
    EXPECT_EQ(snapshot.step.copy.count(), 1);
    EXPECT_EQ(snapshot.step.empty.count(), 1);
    EXPECT_EQ(snapshot.step.filter, "gaussian");
    EXPECT_EQ(snapshot.trouble, "");
}

// By which races of the same work are found again.
TEST(ViewerRaceRounds, NamesTheStepAndItsPictures) {
    Rounds race("gaussian=sigma=3", {.enabled = true});
    race.keep();
    const StepResult step = race.rounds.snapshot().step;
    EXPECT_EQ(step.text, "gaussian=sigma=3");
    ASSERT_EQ(step.problems.size(), 1U);
    EXPECT_TRUE(step.problems.front().starts_with("160×90 u8, ")) << step.problems.front();
    race.rounds.set_stacks(plans_of("gaussian=sigma=3,box", cpu_device()));
    EXPECT_EQ(race.rounds.snapshot().step.problems.size(), 1U) << "the same step is raced again";
}

TEST(ViewerRaceRounds, TurnsRotateUntilSamplesAreComplete) {
    Rounds race("sobel");
    EXPECT_EQ(race.turns(1), 0);
    EXPECT_TRUE(race.rounds.snapshot().wants_frame);
    race.keep();
    EXPECT_FALSE(race.rounds.snapshot().wants_frame);
    EXPECT_EQ(race.turns(100, 3), 3 * kRound);
    race.keep(2);
    EXPECT_EQ(race.turns(100, 3), 3 * kRound) << "samples are asked for of each frame";
    EXPECT_EQ(race.samples(), 6);
    EXPECT_EQ(race.rounds.snapshot().frames, 2);
}

// Kernels that another thread prepares take no time of the turns.
TEST(ViewerRaceRounds, KernelsArePreparedBeforeTheirTurns) {
    RaceSettings settings{.enabled = true, .kernels = {"opencv_cpu"}};
    RaceRounds rounds(cpu_device());
    rounds.set(settings);
    rounds.set_stacks(plans_of("gaussian", cpu_device()));
    EXPECT_FALSE(rounds.prepare()) << "of no frame";
    const ImageBuffer image = noise(cpu_device(), 1);
    const ImageView view = image.view();
    rounds.keep({&view, 1}, nullptr);
    EXPECT_FALSE(rounds.is_prepared());
    EXPECT_TRUE(rounds.prepare()) << "the race";
    EXPECT_TRUE(rounds.prepare()) << "the only kernel";
    EXPECT_TRUE(rounds.is_prepared());
    EXPECT_FALSE(rounds.prepare());
    EXPECT_EQ(of(rounds.snapshot(), "opencv_cpu").seconds.count(), 0) << "without a sample";
    settings.kernels.emplace_back("cpu_separable");
    rounds.set(settings);
    EXPECT_FALSE(rounds.is_prepared()) << "another kernel takes part";
    EXPECT_TRUE(rounds.take_turn(kAny).has_value());
    EXPECT_TRUE(rounds.is_prepared()) << "a turn prepares the remaining kernels";
}

// Errors are of the picture on the screen.
TEST(ViewerRaceRounds, AFrameThatWasNotKeptIsWanted) {
    Rounds race("box");
    race.keep();
    EXPECT_FALSE(race.rounds.snapshot().wants_frame);
    race.rounds.miss_frame();
    EXPECT_TRUE(race.rounds.snapshot().wants_frame);
    race.keep(2);
    EXPECT_FALSE(race.rounds.snapshot().wants_frame);
}

TEST(ViewerRaceRounds, ErrorsAreMeasuredOncePerFrame) {
    Rounds race("gaussian=sigma=2");
    race.keep();
    race.turns(20);
    EXPECT_EQ(of(race.rounds.snapshot(), "opencv_cpu").error.pixels, kWidth * kHeight);
    race.keep(2);
    race.turns(20);
    const KernelResult result = of(race.rounds.snapshot(), "opencv_cpu");
    EXPECT_EQ(result.error.pixels, 2 * kWidth * kHeight);
    EXPECT_FALSE(is_wrong(result));
}

TEST(ViewerRaceRounds, KeepsTheNewestSamples) {
    Rounds race("box");
    race.keep();
    race.turns(300 * kRound);
    const Samples samples = of(race.rounds.snapshot(), "opencv_cpu").seconds;
    EXPECT_EQ(samples.count(), 300);
    EXPECT_EQ(samples.kept().size(), RaceRounds::kWindow);
}

TEST(ViewerRaceRounds, SamplesAreKeptForTheSameWork) {
    Rounds race("box,sobel");
    race.keep();
    race.turns(2 * kRound);
    race.rounds.set_stacks(plans_of("box,gaussian", cpu_device()));
    EXPECT_EQ(race.samples(), 2) << "another step changed";
    race.rounds.set({.enabled = true, .kernels = {"direct"}, .baseline = "direct"});
    EXPECT_EQ(race.samples(), 2) << "the choice changed";
    EXPECT_EQ(race.rounds.snapshot().step.baseline, "direct");
    race.rounds.set_stacks(plans_of("box", cpu_device(), {.by_step = {"opencv_cpu"}}));
    EXPECT_EQ(race.samples(), 2) << "its kernel was forced";
    EXPECT_NE(race.rounds.snapshot().step.work.find("asked for by name"), std::string::npos);
    EXPECT_EQ(race.turns(2), 2) << "the plan that is gone is not needed";
}

TEST(ViewerRaceRounds, SamplesAreDiscardedWithTheirWork) {
    const RaceSettings base{.enabled = true};
    const auto forgets = [&](const char* what, const auto& change) {
        Rounds race("box,box", base);
        race.keep();
        race.turns(4);
        change(race.rounds);
        const RaceSnapshot snapshot = race.rounds.snapshot();
        EXPECT_TRUE(snapshot.step.kernels.empty()) << what;
        EXPECT_EQ(snapshot.wants_frame, snapshot.settings.enabled && snapshot.trouble.empty())
            << what;
        EXPECT_EQ(race.turns(1), 0) << what;
    };
    const auto with = [&](const auto& change) {
        RaceSettings settings = base;
        change(settings);
        return [settings](RaceRounds& rounds) { rounds.set(settings); };
    };
    forgets("step", with([](RaceSettings& s) { s.step = 1; }));
    forgets("no step", with([](RaceSettings& s) { s.step = 2; }));
    forgets("no stack", with([](RaceSettings& s) { s.stack = 1; }));
    forgets("caches", with([](RaceSettings& s) { s.caches = CacheState::cold; }));
    forgets("start", with([](RaceSettings& s) { s.start = 1; }));
    forgets("off", with([](RaceSettings& s) { s.enabled = false; }));
    forgets("other taps",
            [](RaceRounds& rounds) { rounds.set_stacks(plans_of("box=radius=3", cpu_device())); });
}

// The map is a turn of its own, once for each frame, and survives a change of nothing else.
TEST(ViewerRaceRounds, MapsTheErrorsOfAKernel) {
    RaceSettings settings{.enabled = true, .kernels = {"opencv_cpu", "cpu_separable"}};
    Rounds race("gaussian=sigma=2", settings);
    race.keep();
    race.turns(100, 1);
    EXPECT_EQ(race.rounds.snapshot().map, nullptr);
    settings.map_of = "cpu_separable";
    race.rounds.set(settings);
    EXPECT_EQ(race.turns(100, 1), 1) << "samples were discarded, or the map was not made";
    const RaceSnapshot snapshot = race.rounds.snapshot();
    ASSERT_NE(snapshot.map, nullptr);
    EXPECT_EQ(snapshot.map->kernel, "cpu_separable");
    EXPECT_EQ(snapshot.map->width, kWidth);
    const KernelResult& result = of(snapshot, "cpu_separable");
    EXPECT_EQ(snapshot.map->largest, result.error.largest);
    EXPECT_EQ(kWidth * kHeight - snapshot.map->pixels[0], result.error.differing);
    race.keep(2);
    EXPECT_EQ(race.turns(1, 0), 1) << "another frame has another map";
    settings.map_of = "opencv_cpu";
    race.rounds.set(settings);
    EXPECT_EQ(race.rounds.snapshot().map, nullptr) << "of another kernel";
    EXPECT_EQ(race.turns(1, 0), 1);
    EXPECT_EQ(race.rounds.snapshot().map->largest, 0) << "it is the reference";
    settings.map_of = "direct";
    race.rounds.set(settings);
    EXPECT_EQ(race.turns(1, 0), 1);
    EXPECT_EQ(race.rounds.snapshot().map, nullptr) << "it cannot run";
}

TEST(ViewerRaceRounds, RacesWithColdCaches) {
    Rounds race("box", {.enabled = true, .kernels = {"opencv_cpu"}, .caches = CacheState::cold});
    race.keep();
    EXPECT_EQ(race.turns(3 * kRound), 3 * kRound);
    EXPECT_EQ(race.samples(), 3);
    EXPECT_FALSE(is_wrong(of(race.rounds.snapshot(), "opencv_cpu")));
}

TEST(ViewerRaceRounds, TemporalStepsAreNotRaced) {
    Rounds race("frame_difference");
    race.keep();
    EXPECT_EQ(race.turns(1), 0);
    const RaceSnapshot snapshot = race.rounds.snapshot();
    EXPECT_TRUE(snapshot.step.kernels.empty());
    EXPECT_EQ(snapshot.step.work, "frames in time, one pass");
}

// Waits for another thread, without testing how long it takes.
template <class Condition>
bool comes_true(const Condition& condition) {
    for (int k = 0; k < 3000; ++k) {
        if (condition()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

void show(LiveRace& race, const ImageBuffer& image, const StackPlans& plans) {
    const LiveRace::Frame frame(race);
    race.set_stacks(plans);
    const ImageView view = image.view();
    race.on_step({0, 0}, {&view, 1}, nullptr);
    race.on_step({0, 1}, {&view, 1}, nullptr);  // is not raced
}

TEST(ViewerLiveRace, APausedFrameGetsAllSamples) {
    LiveRace race(cpu_device());
    race.set({.enabled = true, .budget_seconds = 0, .samples = 12});
    show(race, noise(cpu_device(), 1), plans_of("box,sobel", cpu_device()));
    ASSERT_TRUE(comes_true([&] { return race.snapshot()->complete; }));
    EXPECT_EQ(of(*race.snapshot(), "opencv_cpu").seconds.count(), 12);
    EXPECT_EQ(race.snapshot()->step.copy.count(), 12);
    EXPECT_EQ(race.snapshot()->frames, 1);
    race.set({.enabled = false});
    EXPECT_TRUE(comes_true([&] { return race.snapshot()->step.kernels.empty(); }));
}

TEST(ViewerLiveRace, TheFilterThreadSpendsTheBudget) {
    LiveRace race(cpu_device());
    race.set({.enabled = true, .budget_seconds = 1e-9});
    const ImageBuffer image = noise(cpu_device(), 1);
    const LiveRace::Frame frame(race);
    race.set_stacks(plans_of("box", cpu_device()));
    const ImageView view = image.view();
    const auto step = [&] {
        race.on_step({0, 0}, {&view, 1}, nullptr);
        race.set_stacks(plans_of("box", cpu_device()));  // publishes the snapshot
        return race.snapshot();
    };
    ASSERT_TRUE(comes_true([&] { return step()->step.copy.count() > 0; }));
    const std::int64_t frames = race.snapshot()->frames;
    for (int k = 0; k < 4; ++k) (void)step();
    EXPECT_EQ(race.snapshot()->frames, frames + 4);
    EXPECT_EQ(race.snapshot()->step.copy.count(), 1) << "one turn, and four frames to make up";
}

TEST(ViewerLiveRace, KernelsArePreparedDuringAFrame) {
    LiveRace race(cpu_device());
    race.set({.enabled = true, .budget_seconds = 0});
    const ImageBuffer image = noise(cpu_device(), 1);
    const LiveRace::Frame frame(race);
    race.set_stacks(plans_of("box", cpu_device()));
    const ImageView view = image.view();
    race.on_step({0, 0}, {&view, 1}, nullptr);
    EXPECT_TRUE(comes_true([&] { return !race.snapshot()->step.kernels.empty(); }));
}

TEST(ViewerLiveRace, NoOtherTurnsDuringAFrame) {
    LiveRace race(cpu_device());
    race.set({.enabled = true, .budget_seconds = 0});
    const ImageBuffer image = noise(cpu_device(), 1);
    const LiveRace::Frame frame(race);
    race.set_stacks(plans_of("box", cpu_device()));
    const ImageView view = image.view();
    race.on_step({0, 0}, {&view, 1}, nullptr);
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    race.set_stacks(plans_of("box", cpu_device()));
    EXPECT_EQ(race.snapshot()->step.copy.count(), 0);
}

TEST(ViewerLiveRace, ReportsChanges) {
    std::atomic<int> told = 0;
    LiveRace race(cpu_device(), [&] { ++told; });
    EXPECT_NE(race.snapshot(), nullptr);
    race.set({.enabled = true});
    EXPECT_TRUE(comes_true([&] { return told > 0; }));
    EXPECT_TRUE(comes_true([&] { return !race.snapshot()->trouble.empty(); }));
}

class GpuViewerRace : public testing::TestWithParam<CacheState> {};

TEST_P(GpuViewerRace, EveryRunnableKernelRuns) {
    const GpuProbe probe = probe_gpus();
    if (probe.devices.empty()) GTEST_SKIP() << probe.why_none;
    const Device& gpu = probe.devices.front();
    use_device(gpu);
    for (const char* stack : {"gaussian=sigma=2", "box=radius=3", "kirsch", "gaussian=sigma=12"}) {
        LiveRace race(gpu);
        race.set({.enabled = true, .caches = GetParam(), .samples = 20});
        for (unsigned k = 0; k < 3; ++k) show(race, noise(gpu, k), plans_of(stack, gpu));
        ASSERT_TRUE(comes_true([&] { return race.snapshot()->complete; })) << stack;
        const std::shared_ptr<const RaceSnapshot> snapshot = race.snapshot();
        EXPECT_EQ(snapshot->trouble, "");
        for (const KernelResult& kernel : snapshot->step.kernels) {
            EXPECT_EQ(kernel.seconds.count() > 0, kernel.why_not.empty()) << kernel.kernel;
            EXPECT_FALSE(is_wrong(kernel))
                << stack << ", " << kernel.kernel << ": " << kernel.error.largest;
        }
        EXPECT_GT(of(*snapshot, snapshot->step.reference).seconds.count(), 19) << stack;
    }
}

INSTANTIATE_TEST_SUITE_P(Caches, GpuViewerRace,
                         testing::Values(CacheState::warm, CacheState::cold));

}  // namespace
}  // namespace weft::test
