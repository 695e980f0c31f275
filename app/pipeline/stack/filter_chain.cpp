#include "app/pipeline/stack/filter_chain.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/media/libav/error.h"
#include "app/media/libav/shortage.h"
#include "app/pipeline/report/stage_timer.h"
#include "app/pipeline/stack/chain_step.h"
#include "app/pipeline/stack/chain_trace.h"
#include "app/pipeline/stack/gpu_transfer.h"
#include "app/pipeline/stack/plane_route.h"
#include "app/pipeline/stack/step_graphs.h"
#include "kernels/device/cuda_error.h"
#include "kernels/device/image_buffer.h"
#include "kernels/device/stream_event.h"
#include "kernels/pixels/pixel_ops.h"

namespace weft {
namespace {

// One frame is uploaded, one filtered and one downloaded.
constexpr std::size_t kFlightsOnGpu = 3;

void tell_source_read(std::function<void()>& source_read) {
    if (const auto tell = std::exchange(source_read, {})) tell();
}

// Wraps an error on the device, with the device's name.
Error on(const Device& device, const std::exception& error) {
    const bool cuda = dynamic_cast<const CudaError*>(&error) != nullptr;
    return {ExitCode::failed, fmt::format("{}: {}", device.name, reason_of(error)),
            cuda ? Cause::device : Cause::file};
}

}  // namespace

struct FilterChain::Impl {
    // One frame in flight.
    struct Flight {
        std::optional<GpuTransfer> gpu;
        std::vector<StageTimer> timers;  // one per step
        std::optional<StreamEvent> kernels_done;
        std::function<void()> source_read;  // empty once it was called

        StreamView stream() const { return gpu ? gpu->stream() : nullptr; }

        void give_up() noexcept {
            if (gpu) gpu->give_up();
            source_read = {};
        }
    };

    Impl(ChainPlan p, const ChainOptions& o);
    void prepare();
    Flight make_flight() const;
    void release();
    void submit(std::span<const ImageView> src, std::span<const ImageView> dst,
                std::function<void()> source_read);
    void begin(Flight& flight, std::span<const ImageView> src, std::span<const ImageView> dst);
    void submit_to_gpu(Flight& flight, std::span<const ImageView> src,
                       std::span<const ImageView> dst);
    void finish();
    Flight& flight() { return flights[submitted % flights.size()]; }
    void run_on_gpu(const LentPlanes& lent);
    bool replay(std::size_t number, const Stretch& stretch);
    void run_steps(std::size_t first, std::size_t last);
    int run_step(std::size_t s);
    void collect_times(const Flight& flight);

    ChainPlan plan;
    ChainOptions options;
    std::optional<PlaneRoute> route;  // empty after release()
    std::vector<ChainStep> steps;
    std::vector<int> launches;    // per step, in the last frame
    std::vector<Flight> flights;  // used in rotation
    std::optional<StepGraphs> graphs;
    std::size_t submitted = 0;
    std::size_t finished = 0;
    ChainTimes times;
    StepObserver observer;
    std::optional<ChainTrace> trace;
};

FilterChain::Impl::Impl(ChainPlan p, const ChainOptions& o) : plan(std::move(p)), options(o) {
    times.steps.resize(plan.steps.size());
    launches.resize(plan.steps.size());
    prepare();
}

// Prepares everything or nothing: a GPU may be full now and have memory later.
void FilterChain::Impl::prepare() {
    use_device(plan.device);
    const bool on_gpu = plan.device.is_gpu();
    try {
        route.emplace(plan);
        for (const StepPlan& step : plan.steps)
            steps.emplace_back(step, route->shapes(), plan.device);
        for (std::size_t k = 0; k < (on_gpu ? kFlightsOnGpu : 1); ++k)
            flights.push_back(make_flight());
        if (on_gpu && options.graphs) graphs.emplace(plan, flights.size());
    } catch (...) {
        release();
        throw;
    }
}

FilterChain::Impl::Flight FilterChain::Impl::make_flight() const {
    Flight flight;
    const bool on_gpu = plan.device.is_gpu();
    for (std::size_t s = 0; s < steps.size(); ++s) flight.timers.emplace_back(on_gpu);
    if (!on_gpu) return flight;
    std::vector<bool> used;
    for (std::size_t p = 0; p < route->shapes().size(); ++p) used.push_back(route->writes(p));
    flight.gpu.emplace(std::move(used));
    flight.kernels_done.emplace();
    return flight;
}

void FilterChain::Impl::release() {
    graphs.reset();
    flights.clear();
    submitted = finished = 0;
    steps.clear();
    route.reset();
}

void FilterChain::Impl::submit(std::span<const ImageView> src, std::span<const ImageView> dst,
                               std::function<void()> source_read) {
    if (!route) prepare();
    Flight& flight = this->flight();
    flight.source_read = std::move(source_read);
    try {
        begin(flight, src, dst);
    } catch (...) {
        flight.give_up();  // copies may be in flight: the caller's planes must outlive them
        throw;
    }
    ++submitted;
}

void FilterChain::Impl::begin(Flight& flight, std::span<const ImageView> src,
                              std::span<const ImageView> dst) {
    for (std::size_t p = 0; p < src.size(); ++p)
        if (!route->writes(p)) copy_image(src[p], dst[p], flight.stream());
    if (flight.gpu) {
        submit_to_gpu(flight, src, dst);
    } else {
        route->lead(src, dst);
        run_steps(0, steps.size());
    }
}

// Copies of several frames may overlap; kernels run in the order of the frames, because they share
// scratch buffers, workspaces and the history of steps in time.
void FilterChain::Impl::submit_to_gpu(Flight& flight, std::span<const ImageView> src,
                                      std::span<const ImageView> dst) {
    GpuTransfer& gpu = *flight.gpu;
    gpu.upload(src, dst);
    if (!gpu.reads_source()) tell_source_read(flight.source_read);
    if (submitted > 0)
        flights[(submitted - 1) % flights.size()].kernels_done->hold_back(gpu.stream());
    route->lead(gpu.source(), gpu.target());
    run_on_gpu({.source = planes_on_device(src), .target = planes_on_device(dst)});
    flight.kernels_done->record(gpu.stream());
    gpu.download(dst);
}

void FilterChain::Impl::finish() {
    Flight& flight = flights[finished++ % flights.size()];
    if (flight.gpu) flight.gpu->finish();
    tell_source_read(flight.source_read);
    collect_times(flight);
    if (trace) trace->add(flight.timers, flight.gpu ? &*flight.gpu : nullptr);
}

// An observer needs the time between the steps.
void FilterChain::Impl::run_on_gpu(const LentPlanes& lent) {
    if (!graphs || observer) return run_steps(0, steps.size());
    const std::span<const Stretch> stretches = graphs->begin_frame(lent);
    for (std::size_t k = 0; k < stretches.size(); ++k)
        if (!replay(k, stretches[k])) run_steps(stretches[k].first, stretches[k].last);
}

// A graph of one launch would save nothing. The launches of each step are those of the frame
// before, otherwise the graphs refuse because it is too early.
bool FilterChain::Impl::replay(std::size_t number, const Stretch& stretch) {
    int sum = 0;
    for (std::size_t s = stretch.first; s < stretch.last; ++s) sum += launches[s];
    if (sum < 2) return false;
    if (!graphs->replay(number, submitted, flight().stream(), [this, &stretch] {
            for (std::size_t s = stretch.first; s < stretch.last; ++s) run_step(s);
        }))
        return false;
    for (std::size_t s = stretch.first; s < stretch.last; ++s)
        times.steps[s].launches += launches[s];
    ++times.replays;
    return true;
}

void FilterChain::Impl::run_steps(std::size_t first, std::size_t last) {
    Flight& flight = this->flight();
    for (std::size_t s = first; s < last; ++s) {
        launches[s] = run_step(s);
        times.steps[s].launches += launches[s];
        if (observer) observer(s, steps[s].conv_sources(route->in(s)), flight.stream());
        if (!flight.gpu && s + 1 >= route->steps_that_read_source())
            tell_source_read(flight.source_read);
    }
}

// Returns the number of launches.
int FilterChain::Impl::run_step(std::size_t s) {
    Flight& flight = this->flight();
    flight.timers[s].start(flight.stream());
    const int count = steps[s].run(route->in(s), route->out(s), submitted, flight.stream());
    flight.timers[s].stop(flight.stream());
    return count;
}

void FilterChain::Impl::collect_times(const Flight& flight) {
    double kernels = 0;
    for (std::size_t s = 0; s < steps.size(); ++s) {
        const double seconds = flight.timers[s].seconds();
        times.steps[s].frames.add(seconds);
        times.steps[s].last_seconds = seconds;
        kernels += seconds;
    }
    times.kernels.add(kernels);
    if (!flight.gpu) return;
    times.upload.add(flight.gpu->upload_seconds());
    times.download.add(flight.gpu->download_seconds());
}

FilterChain::FilterChain(ChainPlan plan, const ChainOptions& options) {
    const Device device = plan.device;
    try {
        impl_ = std::make_unique<Impl>(std::move(plan), options);
    } catch (const std::exception& error) {
        throw on(device, error);
    }
}

FilterChain::~FilterChain() = default;
FilterChain::FilterChain(FilterChain&&) noexcept = default;
FilterChain& FilterChain::operator=(FilterChain&&) noexcept = default;

template <class Work>
void FilterChain::on_device(const Work& work) {
    try {
        work();
    } catch (const std::exception& error) {
        throw on(impl_->plan.device, error);
    }
}

void FilterChain::submit(std::span<const ImageView> src, std::span<const ImageView> dst,
                         std::function<void()> source_read) {
    on_device([&] { impl_->submit(src, dst, std::move(source_read)); });
}

void FilterChain::finish() {
    on_device([&] { impl_->finish(); });
}

void FilterChain::run(std::span<const ImageView> src, std::span<const ImageView> dst,
                      std::function<void()> source_read) {
    submit(src, dst, std::move(source_read));
    finish();
}

void FilterChain::give_up() noexcept {
    --impl_->submitted;
    impl_->flight().give_up();
}

std::size_t FilterChain::most_in_flight() const {
    return impl_->plan.device.is_gpu() ? kFlightsOnGpu : 1;
}

void FilterChain::observe(StepObserver observer) {
    impl_->observer = std::move(observer);
}

void FilterChain::trace(const FileTrace& file, const std::string& label) {
    on_device([&] {
        use_device(impl_->plan.device);
        impl_->trace.emplace(file, impl_->plan, impl_->flights.size(), label);
    });
}

void FilterChain::release() {
    impl_->release();
}

const ChainPlan& FilterChain::plan() const {
    return impl_->plan;
}
const ChainTimes& FilterChain::times() const {
    return impl_->times;
}

}  // namespace weft
