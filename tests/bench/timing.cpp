#include "tests/bench/timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "kernels/device/launch_graph.h"
#include "kernels/device/stream.h"
#include "kernels/device/timer.h"

namespace weft::bench {

namespace {

constexpr double kLeastSampleSeconds = 60e-6;
// As many for a peer that measures itself (peer_cases.py): with three, the start and the end of a
// graph add 0.3 µs to each launch of 25.
constexpr std::size_t kLeastLaunches = 8;
// From here on that is less than a thousandth.
constexpr double kLongSeconds = 1e-3;

// Repeats `sample`, which returns seconds, until the effort is spent.
std::vector<double> collect(const std::function<double()>& sample, const Effort& effort) {
    // If one sample exceeds the time for all of them, skip the warm-up and take fewer.
    const bool slow = sample() > effort.seconds;
    if (!slow) (void)sample();
    const int least = slow ? std::min(effort.least_samples, 3) : effort.least_samples;
    std::vector<double> seconds;
    const auto began = std::chrono::steady_clock::now();
    const auto spent = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    };
    while (static_cast<int>(seconds.size()) < effort.samples &&
           (static_cast<int>(seconds.size()) < least || spent() < effort.seconds))
        seconds.push_back(sample());
    return seconds;
}

double time_once(GpuTimer& timer, StreamView stream, const std::function<void()>& work) {
    timer.start(stream);
    work();
    timer.stop(stream);
    return timer.seconds();
}

// Short launches: one graph that visits every set equally often. Long ones: one graph each.
struct Plan {
    std::size_t graphs = 1;
    std::size_t launches = 1;  // per graph
};

Plan plan_for(double launch_seconds, std::size_t sets) {
    if (launch_seconds >= kLongSeconds) return {.graphs = sets, .launches = 1};
    const auto filling =
        static_cast<std::size_t>(std::ceil(kLeastSampleSeconds / std::max(launch_seconds, 1e-6)));
    const std::size_t least = std::max(filling, kLeastLaunches);
    return {.graphs = 1, .launches = (least + sets - 1) / sets * sets};
}

// Empty if the launches cannot be captured.
std::vector<LaunchGraph> capture(const Enqueue& enqueue, const Plan& plan, std::size_t sets,
                                 StreamView stream) {
    std::vector<LaunchGraph> graphs;
    try {
        for (std::size_t g = 0; g < plan.graphs; ++g)
            graphs.emplace_back(stream, [&] {
                for (std::size_t k = 0; k < plan.launches; ++k) enqueue((g + k) % sets, stream);
            });
    } catch (const std::runtime_error&) {  // a library may wait within a launch
        graphs.clear();
    }
    return graphs;
}

}  // namespace

Timing time_gpu(const Enqueue& enqueue, std::size_t sets, const Effort& effort) {
    const Stream stream;
    GpuTimer timer;
    const auto launch = [&](std::size_t set) {
        return time_once(timer, stream.view(), [&] { enqueue(set, stream.view()); });
    };
    (void)launch(0);
    const Plan plan = plan_for(launch(1 % sets), sets);
    const std::vector<LaunchGraph> graphs = capture(enqueue, plan, sets, stream.view());
    std::size_t turn = 0;
    const auto sample = [&] {
        const std::size_t first = turn++;
        return time_once(timer, stream.view(), [&] {
            if (!graphs.empty()) {
                graphs[first % graphs.size()].replay(stream.view());
            } else {
                for (std::size_t k = 0; k < plan.launches; ++k)
                    enqueue((first + k) % sets, stream.view());
            }
        });
    };
    Timing timing = summary_of(collect(sample, effort), plan.launches);
    timing.graph = !graphs.empty();
    return timing;
}

Timing time_host(const std::function<void()>& run, const Effort& effort) {
    const auto sample = [&] {
        const auto began = std::chrono::steady_clock::now();
        run();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    };
    return summary_of(collect(sample, effort), 1);
}

}  // namespace weft::bench
