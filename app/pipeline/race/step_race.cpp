#include "app/pipeline/race/step_race.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "app/pipeline/race/whole_device.h"
#include "app/pipeline/stack/allowed_difference.h"
#include "kernels/device/cuda_error.h"
#include "kernels/device/launch_graph.h"
#include "kernels/pixels/pixel_ops.h"

namespace weft {
namespace {

// An event's resolution of half a µs is then a few percent of a sample; eight launches are enough
// for that if a kernel takes as long as its launch.
constexpr double kSampleSeconds = 50e-6;
constexpr int kMostLaunches = 8;

// Written to outputs before a kernel runs, so that pixels left unwritten show as errors.
constexpr float kUnwritten = 85.0F;

ImageBuffer buffer_for(const ConvProblem& p, int channels, Allocation where) {
    return {p.width, p.height, channels, p.type, where};
}

double image_bytes(const ConvProblem& p) {
    return static_cast<double>(p.width) * p.height * (p.channels + p.out_channels()) *
           static_cast<double>(bytes_per_sample(p.type));
}

ImageView first_rows(ImageView image, int count) {
    image.height = count;
    return image;
}

// Rows of the source that make a copy move as many bytes as a kernel has to, at least.
int rows_to_move(const ConvProblem& p) {
    return std::max(p.height * (p.channels + p.out_channels()) / (2 * p.channels), 1);
}

// On a GPU the copy may still be in progress.
ImageBuffer on_host(const ImageView& image, StreamView stream) {
    ImageBuffer copy(image.width, image.height, image.channels, image.type, Allocation::host);
    copy_image(image, copy.view(), stream);
    return copy;
}

void wait_for(StreamView stream) {
    StreamEvent event;
    event.record(stream);
    event.wait();
}

void poison(const ImageView& out, StreamView stream) {
    fill_channels(out, kUnwritten, (1U << out.channels) - 1U, stream);
}

// The reasons that the first plane has to choose it, and the first to pass it over.
std::vector<std::string> planner_sentences(const StepPlan& plan, std::string_view kernel) {
    std::string chosen;
    std::string passed_over;
    for (const Plan& p : plan.plans) {
        if (chosen.empty() && p.kernel != nullptr && p.kernel->name == kernel)
            chosen = fmt::format("The planner chose it: {}.", p.reason);
        for (const PassedOver& over : p.passed_over)
            if (passed_over.empty() && over.kernel == kernel)
                passed_over = fmt::format("The planner passed it over: {}.", over.reason);
    }
    const ConvKernel* known = find_kernel(kernel);
    if (known != nullptr && known->time == nullptr && chosen.empty())
        passed_over = "The planner never chooses it: it is used by name only.";
    std::vector<std::string> sentences;
    for (std::string* sentence : {&chosen, &passed_over})
        if (!sentence->empty()) sentences.push_back(std::move(*sentence));
    return sentences;
}

}  // namespace

std::string why_cannot(const ConvKernel& kernel, const StepPlan& plan, const Device& device) {
    for (const ConvProblem* problem : plan.problems()) {
        if (problem == nullptr) continue;
        if (std::string reason = why_cannot(kernel, *problem, device); !reason.empty())
            return reason;
    }
    return "";
}

void describe_plan(const StepPlan& plan, StepResult& result) {
    result.filter = plan.filter;
    result.text = plan.text;
    result.problems.clear();
    for (const ConvProblem* problem : plan.problems())
        if (problem != nullptr) result.problems.push_back(describe(*problem));
    result.work = plan.reason();
    result.explanation = plan.explanation();
    for (KernelResult& kernel : result.kernels) {
        kernel.planned = std::ranges::any_of(plan.plans, [&](const Plan& p) {
            return p.kernel != nullptr && p.kernel->name == kernel.kernel;
        });
        kernel.planner = planner_sentences(plan, kernel.kernel);
    }
}

StepRace::StepRace(const StepPlan& plan, const Device& device, const RaceChoice& choice,
                   StepResult& result)
    : plan_(&plan),
      device_(device),
      timer_(device.is_gpu()),
      result_(&result),
      window_(choice.window) {
    add_planes();
    fork_.emplace(device.is_gpu() ? planes_.size() : 0);
    if (!planes_.empty()) {
        if (choice.caches == CacheState::cold) flushing_ = memory_beyond_caches(device);
        if (device.is_gpu()) on_gpu_.emplace();
        add_racers(choice);
        result.peak = device_peak(device);
    }
    result.device = device;
    describe_plan(plan, result);
}

void StepRace::add_planes() {
    const auto problems = plan_->problems();
    const Allocation where = device_.is_gpu() ? Allocation::device : Allocation::host;
    result_->exact = true;
    for (std::size_t k = 0; k < problems.size(); ++k) {
        if (problems[k] == nullptr) continue;
        const ConvProblem& p = *problems[k];
        planes_.push_back({.source = k,
                           .problem = &p,
                           .out = buffer_for(p, p.out_channels(), where),
                           .want = buffer_for(p, p.out_channels(), where),
                           .copied = buffer_for(p, p.channels, where)});
        result_->bytes += image_bytes(p);
        result_->exact = result_->exact && same_bits_everywhere(p);
    }
}

const ConvKernel& StepRace::reference_kernel() const {
    const auto runs = [&](const ConvKernel& kernel) {
        return why_cannot(kernel, *plan_, device_).empty();
    };
    const ConvKernel* plainest = find_kernel(device_.is_gpu() ? "direct" : "opencv_cpu");
    if (plainest != nullptr && runs(*plainest)) return *plainest;
    for (const ConvKernel& kernel : conv_kernels())
        if (kernel.arithmetic == Arithmetic::fp32 && runs(kernel)) return kernel;
    return *plan_->plans[planes_.front().source].kernel;
}

KernelResult StepRace::new_result(const ConvKernel& kernel, std::string why_not) const {
    KernelResult result;
    result.kernel = kernel.name;
    result.why_not = std::move(why_not);
    if (window_ > 0) result.seconds = Samples::latest(window_);
    result.arithmetic = kernel.arithmetic;
    for (const Plane& plane : planes_) {
        result.allowed_difference = std::max(result.allowed_difference,
                                             allowed_difference(*plane.problem, kernel.arithmetic));
        if (result.why_not.empty()) result.operations += kernel.cost(*plane.problem).flops;
    }
    return result;
}

void StepRace::add_racers(const RaceChoice& choice) {
    result_->reference = reference_kernel().name;
    result_->baseline = choice.baseline.empty() ? result_->reference : choice.baseline;
    // The driver's copy is the faster for large planes, a kernel for small ones and padded rows.
    if (device_.is_gpu())
        copies_ = {{.copy = copy_image}, {.copy = copy_by_kernel}};
    else
        copies_ = {{.copy = copy_with_all}};
    if (window_ > 0) {
        result_->empty = Samples::latest(window_);
        for (Copying& how : copies_) how.seconds = Samples::latest(window_);
    }
    for (const ConvKernel& kernel : conv_kernels()) {
        const std::string name(kernel.name);
        const bool needed = name == result_->reference || name == result_->baseline;
        const bool named = std::ranges::find(choice.kernels, name) != choice.kernels.end();
        const std::string reason = why_cannot(kernel, *plan_, device_);
        const bool chosen = choice.kernels.empty() ? reason.empty() : named;
        if (!needed && !chosen) continue;
        if (reason.empty())
            racers_.push_back({.kernel = &kernel, .result = result_->kernels.size()});
        result_->kernels.push_back(new_result(kernel, reason));
    }
    std::ranges::stable_partition(
        racers_, [&](const Racer& racer) { return racer.kernel->name == result_->reference; });
}

void StepRace::run(Sources sources, StreamView stream, const std::stop_token& stop) {
    begin_frame();
    for (std::size_t turn = 0; turn < turns(); ++turn) {
        if (stop.stop_requested()) return;
        take_turn(turn, sources, stream);
    }
}

void StepRace::prepare(std::size_t turn, Sources sources, StreamView stream) {
    if (is_prepared(turn)) return;
    Racer& racer = racers_[turn - kLimitTurns];
    racer.prepared = true;
    if (!device_.is_gpu()) return allocate(racer);
    launch(racer, sources, &Plane::out, stream);
    look_up(racer, sources);
    wait_for(stream);
}

void StepRace::allocate(Racer& racer) {
    for (std::size_t k = racer.convs.size(); k < planes_.size(); ++k)
        racer.convs.push_back(racer.kernel->prepare(*planes_[k].problem, device_));
}

void StepRace::take_turn(std::size_t turn, Sources sources, StreamView stream) {
    prepare(turn, sources, stream);
    if (turn >= kLimitTurns) return race(racers_[turn - kLimitTurns], sources, stream);
    if (turn == 0) return measure_copies(sources, stream);
    result_->empty.add(sample(
        empty_launches_, [&] { launch_empty(stream); }, stream));
}

void StepRace::launch_empty(StreamView stream) {
    fork_->run(stream, planes_.size(), [&](std::size_t k, StreamView side) {
        launch_nothing(planes_[k].copied.view(), side);
    });
}

void StepRace::race(Racer& racer, Sources sources, StreamView stream) {
    const bool unjudged = racer.judged_frame != frame_;
    if (unjudged)
        for (const Plane& plane : planes_) poison(plane.out.view(), stream);
    const double seconds = sample(
        racer.launches, [&] { launch(racer, sources, &Plane::out, stream); }, stream);
    result_->kernels[racer.result].seconds.add(seconds);
    if (unjudged) judge(racer, sources, stream);
}

// A launch that a graph cannot hold has no facts.
void StepRace::look_up(Racer& racer, Sources sources) {
    try {
        result_->kernels[racer.result].launches = recorded_launches(
            [&](StreamView stream) { launch(racer, sources, &Plane::out, stream); });
    } catch (const CudaError&) {
        result_->kernels[racer.result].launches.clear();
    }
}

void StepRace::launch(Racer& racer, Sources sources, ImageBuffer Plane::*to, StreamView stream) {
    allocate(racer);
    fork_->run(stream, planes_.size(), [&](std::size_t k, StreamView side) {
        racer.convs[k]->launch(sources[planes_[k].source], (planes_[k].*to).view(), side);
    });
}

// Seconds per launch. If `launches` per sample is 0, unmeasured launches determine it.
double StepRace::sample(int& launches, const Launch& launch, StreamView stream) {
    if (launches == 0) launches = warm_up(launch, stream);
    std::unique_ptr<StreamBlocker> blocker;
    if (device_.is_gpu()) blocker = std::make_unique<StreamBlocker>(stream);
    if (flushes())
        flush_caches(flushing_.view(), stream);
    else if (device_.is_gpu())
        launch();
    return time(launches, launch, stream, std::move(blocker));
}

// The number of launches per sample. The first may load code, which waits for the stream, so it is
// not held back.
int StepRace::warm_up(const Launch& launch, StreamView stream) {
    (void)time(1, launch, stream);
    const double once = time(1, launch, stream);
    if (!device_.is_gpu() || flushes() || once >= kSampleSeconds) return 1;
    const double enough = once > 0 ? std::ceil(kSampleSeconds / once) : kMostLaunches;
    return static_cast<int>(std::min(enough, 1.0 * kMostLaunches));
}

double StepRace::time(int launches, const Launch& launch, StreamView stream,
                      std::unique_ptr<StreamBlocker> blocker) {
    timer_.start(stream);
    for (int k = 0; k < launches; ++k) launch();
    timer_.stop(stream);
    blocker.reset();
    return timer_.seconds() / launches;
}

void StepRace::measure_copies(Sources sources, StreamView stream) {
    for (Copying& how : copies_) {
        if (how.launches == 0 && device_.is_gpu()) check_copy(how, sources, stream);
        how.seconds.add(sample(
            how.launches, [&] { copy(how, sources, stream); }, stream));
    }
    const auto median = [](const Copying& how) { return how.seconds.median_seconds(); };
    result_->copy = std::ranges::min_element(copies_, {}, median)->seconds;
}

void StepRace::copy(const Copying& how, Sources sources, StreamView stream) {
    fork_->run(stream, planes_.size(), [&](std::size_t k, StreamView side) {
        const int rows = rows_to_move(*planes_[k].problem);
        how.copy(first_rows(sources[planes_[k].source], rows),
                 first_rows(planes_[k].copied.view(), rows), side);
    });
}

// Throws if the copy is wrong, so that it is not timed.
void StepRace::check_copy(const Copying& how, Sources sources, StreamView stream) {
    for (const Plane& plane : planes_) poison(plane.copied.view(), stream);
    copy(how, sources, stream);
    for (const Plane& plane : planes_) {
        const int rows = rows_to_move(*plane.problem);
        on_gpu_->add(first_rows(sources[plane.source], rows), first_rows(plane.copied.view(), rows),
                     stream);
    }
    if (on_gpu_->take(stream).differing > 0)
        throw std::runtime_error("a copy within the GPU changes pixels");
}

void StepRace::judge(Racer& racer, Sources sources, StreamView stream) {
    if (reference_frame_ != frame_) make_reference(racer, sources, stream);
    result_->kernels[racer.result].error.add(differences(stream));
    racer.judged_frame = frame_;
}

// Call it when `racer` has just written its results.
void StepRace::make_reference(Racer& racer, Sources sources, StreamView stream) {
    Racer& reference = racers_.front();
    for (const Plane& plane : planes_) {
        if (&racer == &reference)
            copy_image(plane.out.view(), plane.want.view(), stream);
        else
            poison(plane.want.view(), stream);
    }
    if (&racer != &reference) launch(reference, sources, &Plane::want, stream);
    reference_frame_ = frame_;
}

ErrorMap StepRace::error_map(const std::string& kernel, Sources sources, StreamView stream) {
    const auto racer =
        std::ranges::find_if(racers_, [&](const Racer& r) { return r.kernel->name == kernel; });
    if (racer == racers_.end()) throw std::runtime_error(kernel + " is not in the race");
    for (const Plane& plane : planes_) poison(plane.out.view(), stream);
    launch(*racer, sources, &Plane::out, stream);
    if (reference_frame_ != frame_) make_reference(*racer, sources, stream);
    const Plane& first = planes_.front();
    const ImageBuffer want = on_host(first.want.view(), stream);
    const ImageBuffer got = on_host(first.out.view(), stream);
    if (device_.is_gpu()) wait_for(stream);
    return map_errors(kernel, want.view(), got.view());
}

// Errors of the last launch. Waits for the stream.
ImageDifference StepRace::differences(StreamView stream) {
    ImageDifference sum;
    for (const Plane& plane : planes_) {
        if (on_gpu_)
            on_gpu_->add(plane.want.view(), plane.out.view(), stream);
        else
            sum.add(plane.want.view(), plane.out.view());
    }
    return on_gpu_ ? on_gpu_->take(stream) : sum;
}

}  // namespace weft
