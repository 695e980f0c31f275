// CPU time per frame before the next one can start: StackRunner::submit() by the number of steps,
// with ordinary launches and with CUDA graphs; and the resulting frames per second.
#include <algorithm>
#include <chrono>
#include <deque>

#include <fmt/format.h>

#include "app/pipeline/stack/stack_runner.h"
#include "kernels/device/image_buffer.h"
#include "tests/bench/limits.h"

namespace weft::bench {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point began) {
    return std::chrono::duration<double>(Clock::now() - began).count();
}

FrameInfo yuv420p(int width, int height) {
    FrameInfo info;
    info.width = width;
    info.height = height;
    info.planes = {{width, height, {Component::y}},
                   {width / 2, height / 2, {Component::u}},
                   {width / 2, height / 2, {Component::v}}};
    return info;
}

// Planes without content, which does not affect the time.
class Planes {
 public:
    Planes(const FrameInfo& info, Allocation where) {
        for (const PlaneInfo& plane : info.planes) {
            buffers_.emplace_back(plane.width, plane.height, 1, PixelType::u8, where);
            views_.push_back(buffers_.back().view());
        }
    }
    std::span<const ImageView> views() const { return views_; }

 private:
    std::vector<ImageBuffer> buffers_;
    std::vector<ImageView> views_;
};

struct StackCase {
    int width, height;
    Allocation where;
    int steps;
    bool graphs;

    std::string name() const {
        return fmt::format("{}×{}, {}, {} step{}, {}", width, height,
                           where == Allocation::device ? "on the GPU" : "on the host", steps,
                           steps == 1 ? "" : "s", graphs ? "graphs" : "launches");
    }
};

StackPlan plan_of(const StackCase& c, const Device& device) {
    std::string stack = "gaussian=sigma=1";
    for (int k = 1; k < c.steps; ++k) stack += ",gaussian=sigma=1";
    return plan_stack(parse_stack(stack), yuv420p(c.width, c.height), device);
}

struct StackTiming {
    Timing submit;
    double frames_per_second = 0;
};

// Sources and targets come from pools, like those of a decoder and an encoder.
StackTiming time_stack(const StackCase& c, const Device& device, int samples) {
    constexpr int kWarmth = 64;  // frames until every graph exists
    StackRunner runner(plan_of(c, device), c.graphs);
    std::deque<Planes> sources, targets;
    for (int k = 0; k < 8; ++k) sources.emplace_back(runner.plan().info, c.where);
    for (int k = 0; k < 5; ++k) targets.emplace_back(runner.plan().info, c.where);
    std::vector<double> seconds;
    Clock::time_point began;
    std::size_t in_flight = 0;
    for (int k = -kWarmth; k < samples; ++k) {
        if (k == 0) began = Clock::now();
        if (in_flight == runner.most_in_flight()) {
            runner.finish();
            --in_flight;
        }
        const auto turn = static_cast<std::size_t>(k) + kWarmth;
        const Clock::time_point before = Clock::now();
        runner.submit(sources[turn % sources.size()].views(),
                      targets[turn % targets.size()].views());
        if (k >= 0) seconds.push_back(seconds_since(before));
        ++in_flight;
    }
    for (; in_flight > 0; --in_flight) runner.finish();
    return {summary_of(std::move(seconds), 1), samples / seconds_since(began)};
}

Limit limit_of(const StackCase& c, const StackTiming& t) {
    return {.group = "stack",
            .name = c.name(),
            .unit = "µs",
            .value = t.submit.median * 1e6,
            .per_clock_sm = 0,
            .note = fmt::format("submit(), p95 {:.1f}, spread {:.0f} %; {:.0f} frames/s",
                                t.submit.p95 * 1e6, t.submit.spread * 100, t.frames_per_second)};
}

}  // namespace

std::vector<Limit> stack_limits(const Device& device, const Effort& effort) {
    const int samples = std::max(effort.samples, 500);
    std::vector<Limit> out;
    for (const auto& [width, height] : {std::pair{640, 360}, std::pair{1920, 1080}})
        for (const Allocation where : {Allocation::device, Allocation::pinned})
            for (const int steps : {1, 2, 4, 8, 16})
                for (const bool graphs : {false, true}) {
                    const StackCase c{width, height, where, steps, graphs};
                    out.push_back(limit_of(c, time_stack(c, device, samples)));
                }
    return out;
}

}  // namespace weft::bench
