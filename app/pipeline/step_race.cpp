#include "app/pipeline/step_race.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "kernels/parallel_slots.h"
#include "kernels/pixel_ops.h"

namespace weft {
namespace {

// An event's resolution of half a µs is then a few percent of a sample; eight launches are enough
// for that where a kernel takes as long as its launch.
constexpr double kSampleSeconds = 50e-6;
constexpr int kMostLaunches = 8;

// What an output holds before a kernel runs, so that pixels left unwritten show as errors.
constexpr float kUnwritten = 85.0F;

ImageBuffer buffer_for(const ConvProblem& p, int channels, Allocation where) {
    return {p.width, p.height, channels, p.type, where};
}

double image_bytes(const ConvProblem& p) {
    return static_cast<double>(p.width) * p.height * (p.channels + p.out_channels()) *
           static_cast<double>(bytes_per_sample(p.type));
}

ImageView rows_of(ImageView image, int first, int count) {
    image.data = image.row(first);
    image.height = count;
    return image;
}

// With all cores, as kernels on the CPU work.
void copy_on_cpu(const ImageView& src, const ImageView& dst) {
    const int bands =
        std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, src.height);
    parallel_slots(bands, [&](int k) {
        const int first = src.height * k / bands;
        const int count = src.height * (k + 1) / bands - first;
        copy_image(rows_of(src, first, count), rows_of(dst, first, count), nullptr);
    });
}

}  // namespace

StepRace::StepRace(const StepPlan& plan, const Device& device, const RaceChoice& choice,
                   StepResult& result)
    : plan_(&plan), device_(device), timer_(device.is_gpu()), result_(&result) {
    result_->filter = plan.filter;
    result_->work = plan.reason();
    result_->explanation = plan.explanation();
    add_planes();
    if (!planes_.empty()) add_racers(choice);
}

void StepRace::add_planes() {
    const auto problems = plan_->problems();
    result_->exact = true;
    for (std::size_t k = 0; k < problems.size(); ++k) {
        if (problems[k] == nullptr) continue;
        const ConvProblem& p = *problems[k];
        const Allocation where = device_.is_gpu() ? Allocation::device : Allocation::host;
        Plane plane;
        plane.source = k;
        plane.problem = &p;
        plane.want = buffer_for(p, p.out_channels(), Allocation::host);
        plane.out = buffer_for(p, p.out_channels(), where);
        plane.copied = buffer_for(p, p.channels, where);
        if (device_.is_gpu()) plane.got = buffer_for(p, p.out_channels(), Allocation::pinned);
        planes_.push_back(std::move(plane));
        result_->bytes += image_bytes(*problems[k]);
        result_->exact = result_->exact && sums_are_exact(*problems[k]);
    }
}

// Empty if the row can run every plane of the step.
std::string StepRace::why_not(const ConvKernel& row) const {
    for (const Plane& plane : planes_)
        if (std::string reason = why_cannot(row, *plane.problem, device_); !reason.empty())
            return reason;
    return "";
}

const ConvKernel& StepRace::reference_row() const {
    const ConvKernel* plainest = find_kernel(device_.is_gpu() ? "direct" : "opencv_cpu");
    if (plainest != nullptr && why_not(*plainest).empty()) return *plainest;
    for (const ConvKernel& row : conv_kernels())
        if (row.arithmetic == Arithmetic::fp32 && why_not(row).empty()) return row;
    return *plan_->plans[planes_.front().source].kernel;
}

void StepRace::add_racers(const RaceChoice& choice) {
    const ConvKernel& reference = reference_row();
    result_->reference = reference.name;
    result_->baseline = choice.baseline.empty() ? result_->reference : choice.baseline;
    for (const ConvKernel& row : conv_kernels()) {
        const std::string name(row.name);
        const bool needed = name == result_->reference || name == result_->baseline;
        const bool named = std::ranges::find(choice.kernels, name) != choice.kernels.end();
        const std::string reason = why_not(row);
        const bool wanted = choice.kernels.empty() ? reason.empty() : named;
        if (!needed && !wanted) continue;
        const bool planned =
            std::ranges::find(plan_->plans, &row, &Plan::kernel) != plan_->plans.end();
        result_->kernels.push_back({name, planned, reason, {}, {}});
        if (reason.empty()) add_racer(row);
    }
    std::ranges::stable_partition(racers_, [&](const Racer& racer) {
        return result_->kernels[racer.result].kernel == result_->reference;
    });
}

void StepRace::add_racer(const ConvKernel& row) {
    Racer racer;
    racer.result = result_->kernels.size() - 1;
    for (const Plane& plane : planes_) racer.convs.push_back(row.prepare(*plane.problem, device_));
    racers_.push_back(std::move(racer));
}

void StepRace::run(std::span<const ImageView> sources, StreamView stream,
                   const std::stop_token& stop) {
    if (planes_.empty()) return;
    result_->copy.add(sample(
        copy_launches_, [&] { copy(sources, stream); }, stream));
    for (Racer& racer : racers_) {
        if (stop.stop_requested()) return;
        race(racer, sources, stream);
    }
}

void StepRace::race(Racer& racer, std::span<const ImageView> sources, StreamView stream) {
    poison(stream);
    const auto launch = [&] {
        for (std::size_t k = 0; k < planes_.size(); ++k)
            racer.convs[k]->launch(sources[planes_[k].source], planes_[k].out.view(), stream);
    };
    result_->kernels[racer.result].seconds.add(sample(racer.launches, launch, stream));
    judge(racer, stream);
}

// Seconds of one launch. `launches` of a sample is found by unmeasured ones if it is 0.
double StepRace::sample(int& launches, const Launch& launch, StreamView stream) {
    if (launches == 0) launches = warm_up(launch, stream);
    if (!device_.is_gpu()) return time(launches, launch, stream);
    return time(launches, launch, stream, std::make_unique<HeldStream>(stream));
}

// How many launches make a sample. The first may load code, which waits for the stream: it is not
// held back.
int StepRace::warm_up(const Launch& launch, StreamView stream) {
    (void)time(1, launch, stream);
    const double once = time(1, launch, stream);
    if (!device_.is_gpu() || once >= kSampleSeconds) return 1;
    const double enough = once > 0 ? std::ceil(kSampleSeconds / once) : kMostLaunches;
    return static_cast<int>(std::min(enough, 1.0 * kMostLaunches));
}

double StepRace::time(int launches, const Launch& launch, StreamView stream,
                      std::unique_ptr<HeldStream> held) {
    timer_.start(stream);
    for (int k = 0; k < launches; ++k) launch();
    timer_.stop(stream);
    held.reset();
    return timer_.seconds() / launches;
}

void StepRace::poison(StreamView stream) {
    for (Plane& plane : planes_) {
        const ImageView& out = plane.out.view();
        fill_channels(out, kUnwritten, (1U << out.channels) - 1U, stream);
    }
}

void StepRace::copy(std::span<const ImageView> sources, StreamView stream) {
    for (Plane& plane : planes_) {
        // As many bytes as a kernel has to move at least.
        const ConvProblem& p = *plane.problem;
        const int rows = p.height * (p.channels + p.out_channels()) / (2 * p.channels);
        const ImageView source = rows_of(sources[plane.source], 0, std::max(rows, 1));
        const ImageView copied = rows_of(plane.copied.view(), 0, source.height);
        if (device_.is_gpu())
            copy_image(source, copied, stream);
        else
            copy_on_cpu(source, copied);
    }
}

// The output on the host; asynchronous on a GPU.
const ImageView& StepRace::fetch(Plane& plane, StreamView stream) {
    if (!device_.is_gpu()) return plane.out.view();
    copy_image(plane.out.view(), plane.got.view(), stream);
    return plane.got.view();
}

void StepRace::judge(Racer& racer, StreamView stream) {
    std::vector<ImageView> got;
    got.reserve(planes_.size());
    timer_.start(stream);
    for (Plane& plane : planes_) got.push_back(fetch(plane, stream));
    timer_.stop(stream);
    (void)timer_.seconds();  // waits for the stream
    KernelResult& result = result_->kernels[racer.result];
    for (std::size_t k = 0; k < planes_.size(); ++k) {
        if (result.kernel == result_->reference)
            copy_image(got[k], planes_[k].want.view(), nullptr);
        result.error.add(planes_[k].want.view(), got[k]);
    }
}

}  // namespace weft
