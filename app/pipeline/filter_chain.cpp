#include "app/pipeline/filter_chain.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/media/error.h"
#include "app/pipeline/chain_step.h"
#include "app/pipeline/chain_trace.h"
#include "app/pipeline/gpu_transfer.h"
#include "app/pipeline/stage_timer.h"
#include "kernels/cuda_error.h"
#include "kernels/image_buffer.h"
#include "kernels/pixel_ops.h"
#include "kernels/pixel_type.h"
#include "kernels/stream_event.h"

namespace weft {
namespace {

// The shapes of the frame's planes as views without pixels.
std::vector<ImageView> plane_shapes(const FrameInfo& info, MemorySpace space) {
    std::vector<ImageView> shapes;
    for (const PlaneInfo& plane : info.planes) {
        ImageView view;
        view.width = plane.width;
        view.height = plane.height;
        view.channels = static_cast<int>(plane.components.size());
        view.type = pixel_type(info.sample);
        view.space = space;
        shapes.push_back(view);
    }
    return shapes;
}

// One is uploaded, one filtered and one downloaded.
constexpr std::size_t kFlightsOnGpu = 3;

void tell_source_read(std::function<void()>& source_read) {
    if (const auto tell = std::exchange(source_read, {})) tell();
}

// What went wrong on the device, in its name.
Error on(const Device& device, const std::exception& error) {
    const bool cuda = dynamic_cast<const CudaError*>(&error) != nullptr;
    return {ExitCode::failed, fmt::format("{}: {}", device.name, error.what()),
            cuda ? Cause::device : Cause::file};
}

}  // namespace

struct FilterChain::Impl {
    // One frame on its way.
    struct Flight {
        std::optional<GpuTransfer> gpu;
        std::vector<StageTimer> timers;  // one per step
        std::optional<StreamEvent> kernels_done;
        std::function<void()> source_read;  // until it was called
    };

    explicit Impl(ChainPlan p);
    void prepare();
    Flight make_flight(const std::vector<bool>& used) const;
    void release();
    void submit(std::span<const ImageView> src, std::span<const ImageView> dst,
                std::function<void()> source_read);
    void submit_to_gpu(Flight& flight, std::span<const ImageView> src,
                       std::span<const ImageView> dst);
    void finish();
    void run_steps(Flight& flight, std::span<const ImageView> src, std::span<const ImageView> dst,
                   StreamView stream);
    bool reads_source() const;
    void collect_times(const Flight& flight);

    ChainPlan plan;
    std::vector<std::size_t> writers;  // steps that write each plane
    std::vector<ChainStep> steps;
    std::vector<ImageBuffer> scratch;  // one per plane that more than one step writes
    std::vector<Flight> flights;       // in turn
    std::size_t submitted = 0;
    std::size_t finished = 0;
    std::vector<ImageView> current, target;
    std::vector<std::size_t> writers_left;
    ChainTimes times;
    StepObserver observer;
    std::optional<ChainTrace> trace;
};

FilterChain::Impl::Impl(ChainPlan p) : plan(std::move(p)) {
    times.steps.resize(plan.steps.size());
    prepare();
}

void FilterChain::Impl::prepare() {
    use_device(plan.device);
    const bool on_gpu = plan.device.is_gpu();
    const auto shapes = plane_shapes(plan.info, on_gpu ? MemorySpace::device : MemorySpace::host);
    for (const StepPlan& step : plan.steps) steps.emplace_back(step, shapes, plan.device);
    scratch.resize(shapes.size());
    std::vector<bool> used;
    for (std::size_t k = 0; k < shapes.size(); ++k) {
        std::size_t count = 0;
        for (const ChainStep& step : steps) count += step.writes(k) ? 1 : 0;
        writers.push_back(count);
        used.push_back(count > 0);
        if (count > 1)
            scratch[k] = {shapes[k].width, shapes[k].height, shapes[k].channels, shapes[k].type,
                          on_gpu ? Allocation::device : Allocation::host};
    }
    for (std::size_t k = 0; k < (on_gpu ? kFlightsOnGpu : 1); ++k)
        flights.push_back(make_flight(used));
}

FilterChain::Impl::Flight FilterChain::Impl::make_flight(const std::vector<bool>& used) const {
    Flight flight;
    const bool on_gpu = plan.device.is_gpu();
    for (std::size_t s = 0; s < steps.size(); ++s) flight.timers.emplace_back(on_gpu);
    if (!on_gpu) return flight;
    flight.gpu.emplace(used);
    flight.kernels_done.emplace();
    return flight;
}

void FilterChain::Impl::release() {
    writers.clear();
    flights.clear();
    submitted = finished = 0;
    steps.clear();
    scratch.clear();
}

void FilterChain::Impl::submit(std::span<const ImageView> src, std::span<const ImageView> dst,
                               std::function<void()> source_read) {
    if (writers.empty()) prepare();
    Flight& flight = flights[submitted % flights.size()];
    flight.source_read = std::move(source_read);
    const StreamView stream = flight.gpu ? flight.gpu->stream() : nullptr;
    for (std::size_t p = 0; p < writers.size(); ++p)
        if (writers[p] == 0) copy_image(src[p], dst[p], stream);
    if (flight.gpu)
        submit_to_gpu(flight, src, dst);
    else
        run_steps(flight, src, dst, nullptr);
    ++submitted;
}

// Copies of several frames may go on at once; kernels run in the order of the frames, because they
// share scratch buffers, workspaces and what steps in time remember.
void FilterChain::Impl::submit_to_gpu(Flight& flight, std::span<const ImageView> src,
                                      std::span<const ImageView> dst) {
    GpuTransfer& gpu = *flight.gpu;
    gpu.upload(src, dst);
    if (!gpu.reads_source()) tell_source_read(flight.source_read);
    if (submitted > 0)
        flights[(submitted - 1) % flights.size()].kernels_done->hold_back(gpu.stream());
    run_steps(flight, gpu.source(), gpu.target(), gpu.stream());
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

// While a plane has all its writers before it.
bool FilterChain::Impl::reads_source() const {
    for (std::size_t p = 0; p < writers.size(); ++p)
        if (writers[p] > 0 && writers_left[p] == writers[p]) return true;
    return false;
}

// The last writer of a plane writes to `dst`, the one before it to the scratch buffer, and so on
// in turn: one extra buffer a plane, however many steps.
void FilterChain::Impl::run_steps(Flight& flight, std::span<const ImageView> src,
                                  std::span<const ImageView> dst, StreamView stream) {
    current.assign(src.begin(), src.end());
    target.resize(src.size());
    writers_left = writers;
    for (std::size_t s = 0; s < steps.size(); ++s) {
        for (std::size_t p = 0; p < src.size(); ++p)
            if (steps[s].writes(p))
                target[p] = writers_left[p] % 2 == 1 ? dst[p] : scratch[p].view();
        flight.timers[s].start(stream);
        times.steps[s].launches += steps[s].run(current, target, stream);
        flight.timers[s].stop(stream);
        if (observer) observer(s, steps[s].conv_sources(current), stream);
        for (std::size_t p = 0; p < src.size(); ++p) {
            if (!steps[s].writes(p)) continue;
            current[p] = target[p];
            --writers_left[p];
        }
        if (!flight.gpu && !reads_source()) tell_source_read(flight.source_read);
    }
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

FilterChain::FilterChain(ChainPlan plan) {
    const Device device = plan.device;
    try {
        impl_ = std::make_unique<Impl>(std::move(plan));
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
