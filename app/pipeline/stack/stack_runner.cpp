#include "app/pipeline/stack/stack_runner.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/media/libav/error.h"
#include "app/media/libav/shortage.h"
#include "app/pipeline/report/stage_timer.h"
#include "app/pipeline/stack/gpu_transfer.h"
#include "app/pipeline/stack/plane_route.h"
#include "app/pipeline/stack/stack_step.h"
#include "app/pipeline/stack/step_graphs.h"
#include "kernels/device/cuda_error.h"
#include "kernels/device/stream.h"
#include "kernels/pixels/pixel_ops.h"

namespace weft {
namespace {

// One frame is uploaded, one filtered and one downloaded.
constexpr std::size_t kFlightsOnGpu = 3;

void report_source_read(std::function<void()>& source_read) {
    if (const auto report = std::exchange(source_read, {})) report();
}

// Wraps an error on the device, with the device's name.
Error on(const Device& device, const std::exception& error) {
    const bool cuda = dynamic_cast<const CudaError*>(&error) != nullptr;
    return {Outcome::failed, fmt::format("{}: {}", device.name, reason_of(error)),
            cuda ? Cause::device : Cause::file};
}

// The work on each picture, on a timeline. Pictures use the flights in rotation: on a GPU each
// flight has its own stream and its own row.
class LaneTrace {
 public:
    // `label` is prepended to the rows' names. Uses the plan's device, which must be current.
    // Throws CudaError.
    LaneTrace(const FileTrace& file, const StackPlan& plan, std::size_t flights,
              const std::string& label) {
        for (const StepPlan& step : plan.steps)
            names_.push_back(file.keep(fmt::format("{} ({})", step.filter, step.kernel_names())));
        if (!plan.device.is_gpu()) {
            rows_.push_back(file.row(label + "kernels"));
            return;
        }
        for (std::size_t k = 0; k < flights; ++k)
            rows_.push_back(file.row(fmt::format("{}GPU stream {}", label, k)));
        anchor_.emplace();
    }

    // Adds the next picture, which has just been finished: its steps' timers and its transfers to
    // and from the GPU, null on the CPU. Throws CudaError.
    void add(std::span<const StageTimer> timers, const GpuTransfer* gpu) {
        const TraceRow& row = rows_[static_cast<std::size_t>(frame_) % rows_.size()];
        if (gpu != nullptr && gpu->uploading() != nullptr) add(row, "upload", *gpu->uploading());
        for (std::size_t s = 0; s < timers.size(); ++s) add(row, names_[s], timers[s]);
        if (gpu != nullptr && gpu->downloading() != nullptr)
            add(row, "download", *gpu->downloading());
        ++frame_;
        if (anchor_) anchor_->renew();
    }

 private:
    void add(const TraceRow& row, std::string_view name, const StageTimer& timer) const {
        const TraceTime begin = timer.started(anchor_ ? &*anchor_ : nullptr);
        const std::chrono::duration<double> length(timer.seconds());
        row.add(
            {name, frame_, begin, begin + std::chrono::duration_cast<TraceTime::duration>(length)});
    }

    std::optional<GpuAnchor> anchor_;
    std::vector<TraceRow> rows_;           // one per flight
    std::vector<std::string_view> names_;  // of the steps
    std::int64_t frame_ = 0;
};

}  // namespace

// Filters whole frames, or one field of each.
struct StackRunner::Lane {
    // A picture that was submitted and is not finished.
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

    Lane(StackPlan p, bool use_graphs, StackTimes& t, const StepMasks& m);
    void prepare();
    Flight make_flight() const;
    void restart();
    void release();
    void submit(std::span<const ImageView> src, std::span<const ImageView> dst,
                std::function<void()> source_read, const FramePlace& at);
    void begin(Flight& flight, std::span<const ImageView> src, std::span<const ImageView> dst);
    void submit_to_gpu(Flight& flight, std::span<const ImageView> src,
                       std::span<const ImageView> dst);
    void finish();
    void give_up() noexcept;
    Flight& flight() { return flights[submitted % flights.size()]; }
    void run_on_gpu(const FrameKind& kind);
    bool replay(std::size_t number, const StepSegment& segment);
    void run_steps(std::size_t first, std::size_t last);
    int run_step(std::size_t s);
    bool passes(std::size_t s) const { return (passing >> s & 1U) != 0; }
    void collect_times(const Flight& flight);

    const StackPlan plan;
    const bool uses_graphs;
    StackTimes& times;                // shared by all lanes
    const StepMasks& masks;           // as are these
    std::optional<PlaneRoute> route;  // empty after release()
    std::optional<StreamFork> fork;   // for the planes of a step; steps follow each other
    std::vector<StackStep> steps;
    std::vector<std::optional<EnabledFrames>> enabled;  // per step; nothing: all frames
    FramePlace place;                                   // of the frame that is submitted
    std::uint64_t passing = 0;    // the steps that pass the frame: one bit each
    std::vector<int> launches;    // per step, in the last picture
    std::vector<Flight> flights;  // used in rotation
    std::optional<StepGraphs> graphs;
    std::size_t submitted = 0;
    std::size_t finished = 0;
    StepObserver observer;
    std::optional<LaneTrace> trace;
};

StackRunner::Lane::Lane(StackPlan p, bool use_graphs, StackTimes& t, const StepMasks& m)
    : plan(std::move(p)),
      uses_graphs(use_graphs),
      times(t),
      masks(m),
      enabled(plan.steps.size()),
      launches(plan.steps.size()) {
    for (std::size_t s = 0; s < plan.steps.size(); ++s)
        if (!plan.steps[s].enable.empty()) enabled[s].emplace(plan.steps[s].enable);
    prepare();
}

// Prepares everything or nothing: a GPU may be full now and have memory later.
void StackRunner::Lane::prepare() {
    use_device(plan.device);
    const bool on_gpu = plan.device.is_gpu();
    try {
        route.emplace(plan);
        std::size_t most = route->shapes().size();
        for (const StepPlan& step : plan.steps) most = std::max(most, step.lowered.planes.size());
        fork.emplace(on_gpu ? most : 0);
        for (const StepPlan& step : plan.steps)
            steps.emplace_back(step, route->shapes(), plan.device);
        for (std::size_t k = 0; k < (on_gpu ? kFlightsOnGpu : 1); ++k)
            flights.push_back(make_flight());
        if (on_gpu && uses_graphs) graphs.emplace(plan, flights.size());
    } catch (...) {
        release();
        throw;
    }
}

StackRunner::Lane::Flight StackRunner::Lane::make_flight() const {
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

void StackRunner::Lane::restart() {
    submitted = finished = 0;
    observer = {};
    trace.reset();
}

void StackRunner::Lane::release() {
    graphs.reset();
    flights.clear();
    submitted = finished = 0;
    steps.clear();
    fork.reset();
    route.reset();
}

void StackRunner::Lane::submit(std::span<const ImageView> src, std::span<const ImageView> dst,
                               std::function<void()> source_read, const FramePlace& at) {
    if (!route) prepare();
    place = at;
    passing = 0;
    for (std::size_t s = 0; s < enabled.size(); ++s)
        if (enabled[s] && !enabled[s]->at(place, plan.info.width, plan.info.height))
            passing |= std::uint64_t{1} << s;
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

void StackRunner::Lane::begin(Flight& flight, std::span<const ImageView> src,
                              std::span<const ImageView> dst) {
    for (std::size_t p = 0; p < src.size(); ++p)
        if (!route->writes(p)) copy_image(src[p], dst[p], flight.stream());
    if (flight.gpu) {
        submit_to_gpu(flight, src, dst);
    } else {
        route->bind(src, dst);
        run_steps(0, steps.size());
    }
}

// Copies of several frames may overlap; kernels run in the order of the frames, because they share
// scratch buffers, workspaces and the history of steps in time.
void StackRunner::Lane::submit_to_gpu(Flight& flight, std::span<const ImageView> src,
                                      std::span<const ImageView> dst) {
    GpuTransfer& gpu = *flight.gpu;
    gpu.upload(src, dst);
    if (!gpu.reads_source()) report_source_read(flight.source_read);
    if (submitted > 0)
        flights[(submitted - 1) % flights.size()].kernels_done->make_wait(gpu.stream());
    route->bind(gpu.source(), gpu.target());
    run_on_gpu(
        {.source = planes_on_device(src), .target = planes_on_device(dst), .passing = passing});
    flight.kernels_done->record(gpu.stream());
    gpu.download(dst);
}

void StackRunner::Lane::finish() {
    Flight& flight = flights[finished++ % flights.size()];
    if (flight.gpu) flight.gpu->finish();
    report_source_read(flight.source_read);
    collect_times(flight);
    if (trace) trace->add(flight.timers, flight.gpu ? &*flight.gpu : nullptr);
}

void StackRunner::Lane::give_up() noexcept {
    --submitted;
    flight().give_up();
}

// An observer needs the time between the steps.
void StackRunner::Lane::run_on_gpu(const FrameKind& kind) {
    if (!graphs || observer) return run_steps(0, steps.size());
    const std::span<const StepSegment> segments = graphs->begin_frame(kind);
    for (std::size_t k = 0; k < segments.size(); ++k)
        if (!replay(k, segments[k])) run_steps(segments[k].first, segments[k].last);
}

// A graph of one launch would save nothing. The launches of each step are those of the frame
// before, otherwise the graphs refuse because it is too early.
bool StackRunner::Lane::replay(std::size_t number, const StepSegment& segment) {
    int sum = 0;
    for (std::size_t s = segment.first; s < segment.last; ++s) sum += launches[s];
    if (sum < 2) return false;
    if (!graphs->replay(number, submitted, flight().stream(), [this, &segment] {
            for (std::size_t s = segment.first; s < segment.last; ++s) run_step(s);
        }))
        return false;
    for (std::size_t s = segment.first; s < segment.last; ++s)
        times.steps[s].launches += launches[s];
    ++times.replays;
    return true;
}

void StackRunner::Lane::run_steps(std::size_t first, std::size_t last) {
    Flight& flight = this->flight();
    for (std::size_t s = first; s < last; ++s) {
        launches[s] = run_step(s);
        times.steps[s].launches += launches[s];
        if (observer && !passes(s) && steps[s].acts())
            observer(s, steps[s].conv_sources(route->in(s)), flight.stream());
        if (!flight.gpu && s + 1 >= route->steps_that_read_source())
            report_source_read(flight.source_read);
    }
}

// Returns the number of launches.
int StackRunner::Lane::run_step(std::size_t s) {
    Flight& flight = this->flight();
    flight.timers[s].start(flight.stream());
    int count = 0;
    MaskSource* const mask = s < masks.size() ? masks[s].get() : nullptr;
    if (!passes(s)) steps[s].move_to(place, mask, flight.stream());
    if (passes(s))
        steps[s].pass(route->in(s), route->out(s), submitted, flight.stream());
    else
        count = steps[s].run(route->in(s), route->out(s), submitted, flight.stream(), *fork);
    flight.timers[s].stop(flight.stream());
    return count;
}

void StackRunner::Lane::collect_times(const Flight& flight) {
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

StackRunner::StackRunner(const std::vector<StackPlan>& plans, bool graphs) {
    times_.steps.resize(plans.front().steps.size());
    for (const StackPlan& plan : plans) {
        try {
            lanes_.push_back(std::make_unique<Lane>(plan, graphs, times_, masks_));
        } catch (const std::exception& error) {
            throw on(plan.device, error);
        }
    }
}

StackRunner::~StackRunner() = default;

template <class Work>
void StackRunner::on_device(const Work& work) const {
    try {
        work();
    } catch (const std::exception& error) {
        throw on(device(), error);
    }
}

// The second field follows the first at every stage, so the source has been read when the second
// has been.
void StackRunner::submit(std::span<const ImageView> src, std::span<const ImageView> dst,
                         std::function<void()> source_read, const FramePlace& place) {
    on_device([&] {
        if (lanes_.size() == 1) return lanes_[0]->submit(src, dst, std::move(source_read), place);
        lanes_[0]->submit(field_views(src, 0), field_views(dst, 0), {}, place);
        try {
            lanes_[1]->submit(field_views(src, 1), field_views(dst, 1), std::move(source_read),
                              place);
        } catch (...) {
            lanes_[0]->give_up();
            throw;
        }
    });
}

void StackRunner::finish() {
    on_device([&] {
        for (const auto& lane : lanes_) lane->finish();
    });
}

void StackRunner::give_up() noexcept {
    for (const auto& lane : lanes_) lane->give_up();
}

std::size_t StackRunner::most_in_flight() const {
    return device().is_gpu() ? kFlightsOnGpu : 1;
}

void StackRunner::run(std::span<const ImageView> src, std::span<const ImageView> dst,
                      std::function<void()> source_read, const FramePlace& place) {
    submit(src, dst, std::move(source_read), place);
    finish();
}

void StackRunner::observe(const StepObserver& observer) {
    for (const auto& lane : lanes_) lane->observer = observer;
}

void StackRunner::trace(const FileTrace& file) {
    on_device([&] {
        use_device(device());
        for (std::size_t k = 0; k < lanes_.size(); ++k)
            lanes_[k]->trace.emplace(file, lanes_[k]->plan, lanes_[k]->flights.size(),
                                     lanes_.size() > 1 ? fmt::format("field {}: ", k) : "");
    });
}

void StackRunner::set_masks(StepMasks masks) {
    masks_ = std::move(masks);
    for (const auto& lane : lanes_)
        for (StackStep& step : lane->steps) step.forget_mask();
}

void StackRunner::pass_over(const FramePlace& place) {
    for (const std::shared_ptr<MaskSource>& mask : masks_)
        if (mask) mask->move_to(place);
}

void StackRunner::restart() {
    set_masks({});
    times_ = {};
    times_.steps.resize(plan().steps.size());
    for (const auto& lane : lanes_) lane->restart();
}

void StackRunner::release() {
    for (const auto& lane : lanes_) lane->release();
}

const StackPlan& StackRunner::plan() const {
    return lanes_.front()->plan;
}

PlaneViews field_views(std::span<const ImageView> planes, int field) {
    PlaneViews views;
    for (ImageView view : planes) {
        view.data = view.row(field);
        view.height = (view.height + 1 - field) / 2;
        view.pitch_bytes *= 2;
        views.push_back(view);
    }
    return views;
}

}  // namespace weft
