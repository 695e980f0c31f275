#include "app/pipeline/filter_chain.h"

#include <optional>

#include <fmt/format.h>

#include "app/media/error.h"
#include "app/pipeline/chain_step.h"
#include "app/pipeline/gpu_transfer.h"
#include "app/pipeline/stage_timer.h"
#include "kernels/image_buffer.h"
#include "kernels/pixel_ops.h"
#include "kernels/pixel_type.h"

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

}  // namespace

struct FilterChain::Impl {
    explicit Impl(ChainPlan p);
    void prepare();
    void release();
    void run(std::span<const ImageView> src, std::span<const ImageView> dst,
             const std::function<void()>& source_read);
    void run_steps(std::span<const ImageView> src, std::span<const ImageView> dst,
                   StreamView stream, const std::function<void()>& source_read);
    bool reads_source() const;
    void collect_times();

    ChainPlan plan;
    std::vector<std::size_t> writers;  // steps that write each plane
    std::optional<GpuTransfer> gpu;
    std::vector<ChainStep> steps;
    std::vector<StageTimer> timers;    // one per step
    std::vector<ImageBuffer> scratch;  // one per plane that more than one step writes
    std::vector<ImageView> current, target;
    std::vector<std::size_t> writers_left;
    ChainTimes times;
    StepObserver observer;
};

FilterChain::Impl::Impl(ChainPlan p) : plan(std::move(p)) {
    times.steps.resize(plan.steps.size());
    prepare();
}

void FilterChain::Impl::prepare() {
    use_device(plan.device);
    const bool on_gpu = plan.device.is_gpu();
    const auto shapes = plane_shapes(plan.info, on_gpu ? MemorySpace::device : MemorySpace::host);
    for (const StepPlan& step : plan.steps) {
        steps.emplace_back(step, shapes, plan.device);
        timers.emplace_back(on_gpu);
    }
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
    if (on_gpu) gpu.emplace(std::move(used));
}

void FilterChain::Impl::release() {
    writers.clear();
    gpu.reset();
    steps.clear();
    timers.clear();
    scratch.clear();
}

void FilterChain::Impl::run(std::span<const ImageView> src, std::span<const ImageView> dst,
                            const std::function<void()>& source_read) {
    if (writers.empty()) prepare();
    for (std::size_t p = 0; p < writers.size(); ++p)
        if (writers[p] == 0) copy_image(src[p], dst[p], gpu ? gpu->stream() : nullptr);
    if (gpu) {
        gpu->upload(src, dst);
        if (source_read) source_read();
        run_steps(gpu->source(), gpu->target(), gpu->stream(), {});
        gpu->download(dst);
    } else {
        run_steps(src, dst, nullptr, source_read);
    }
    collect_times();
}

// While a plane has all its writers before it.
bool FilterChain::Impl::reads_source() const {
    for (std::size_t p = 0; p < writers.size(); ++p)
        if (writers[p] > 0 && writers_left[p] == writers[p]) return true;
    return false;
}

// The last writer of a plane writes to `dst`, the one before it to the scratch buffer, and so on
// in turn: one extra buffer a plane, however many steps.
void FilterChain::Impl::run_steps(std::span<const ImageView> src, std::span<const ImageView> dst,
                                  StreamView stream, const std::function<void()>& source_read) {
    bool told = !source_read;
    current.assign(src.begin(), src.end());
    target.resize(src.size());
    writers_left = writers;
    for (std::size_t s = 0; s < steps.size(); ++s) {
        for (std::size_t p = 0; p < src.size(); ++p)
            if (steps[s].writes(p))
                target[p] = writers_left[p] % 2 == 1 ? dst[p] : scratch[p].view();
        timers[s].start(stream);
        times.steps[s].launches += steps[s].run(current, target, stream);
        timers[s].stop(stream);
        if (observer) observer(s, steps[s].conv_sources(current), stream);
        for (std::size_t p = 0; p < src.size(); ++p) {
            if (!steps[s].writes(p)) continue;
            current[p] = target[p];
            --writers_left[p];
        }
        if (told || reads_source()) continue;
        source_read();
        told = true;
    }
}

void FilterChain::Impl::collect_times() {
    double kernels = 0;
    for (std::size_t s = 0; s < steps.size(); ++s) {
        const double seconds = timers[s].seconds();
        times.steps[s].frames.add(seconds);
        times.steps[s].last_seconds = seconds;
        kernels += seconds;
    }
    times.kernels.add(kernels);
    if (!gpu) return;
    times.upload.add(gpu->upload_seconds());
    times.download.add(gpu->download_seconds());
}

FilterChain::FilterChain(ChainPlan plan) {
    const std::string name = plan.device.name;
    try {
        impl_ = std::make_unique<Impl>(std::move(plan));
    } catch (const std::exception& error) {
        throw Error(ExitCode::failed, fmt::format("{}: {}", name, error.what()));
    }
}

FilterChain::~FilterChain() = default;
FilterChain::FilterChain(FilterChain&&) noexcept = default;
FilterChain& FilterChain::operator=(FilterChain&&) noexcept = default;

void FilterChain::run(std::span<const ImageView> src, std::span<const ImageView> dst,
                      const std::function<void()>& source_read) {
    try {
        impl_->run(src, dst, source_read);
    } catch (const std::exception& error) {
        throw Error(ExitCode::failed, fmt::format("{}: {}", impl_->plan.device.name, error.what()));
    }
}

void FilterChain::observe(StepObserver observer) {
    impl_->observer = std::move(observer);
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
