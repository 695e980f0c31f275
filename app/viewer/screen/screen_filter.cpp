#include "app/viewer/screen/screen_filter.h"

#include <algorithm>

#include "app/pipeline/measured_plans.h"
#include "app/pipeline/report/stage_timer.h"
#include "kernels/pixel_type.h"
#include "kernels/pixels/pixel_ops.h"

namespace weft {
namespace {

bool same_planes(const FrameInfo& a, const FrameInfo& b) {
    return a.width == b.width && a.height == b.height && a.sample == b.sample &&
           a.depth_bits == b.depth_bits && a.matrix == b.matrix && a.transfer == b.transfer &&
           a.full_range == b.full_range && a.rotation_degrees == b.rotation_degrees &&
           a.planes.size() == b.planes.size() &&
           std::ranges::equal(a.planes, b.planes, [](const PlaneInfo& p, const PlaneInfo& q) {
               return p.width == q.width && p.height == q.height && p.components == q.components;
           });
}

int frames_before(const StackRunner* filters) {
    return filters == nullptr ? 0 : filters->plan().frames_before();
}

std::vector<StepNote> notes_of(const StackRunner* filters) {
    std::vector<StepNote> notes;
    if (filters == nullptr) return notes;
    const std::vector<StepPlan>& steps = filters->plan().steps;
    for (std::size_t k = 0; k < steps.size(); ++k) {
        std::vector<std::string> sentences = steps[k].notes;
        sentences.insert(sentences.end(), steps[k].objects.begin(), steps[k].objects.end());
        notes.push_back({steps[k].filter, steps[k].kernel_names(), steps[k].reason(),
                         std::move(sentences), filters->times().steps[k].last_seconds});
    }
    return notes;
}

}  // namespace

ScreenFilter::Format::Format(FrameInfo of, const Device& device)
    : info(std::move(of)),
      originals(info, device.is_gpu() ? Allocation::device : Allocation::host),
      results(info, device.is_gpu() ? Allocation::device : Allocation::host) {
    if (!device.is_gpu()) return;
    stream = std::make_unique<Stream>();
    for (const PlaneInfo& plane : info.planes)
        pinned.emplace_back(plane.width, plane.height, static_cast<int>(plane.components.size()),
                            pixel_type(info.sample), Allocation::pinned);
}

void ScreenFilter::set_stacks(std::vector<StackRequest> stacks) {
    stacks_ = std::move(stacks);
    planned_ = false;
}

void ScreenFilter::match_format(const PlayedFrame& played, int rotation_degrees) {
    FrameInfo info = frame_info(*played.frame->av, rotation_degrees);
    if (format_ && same_planes(info, format_->info)) return;
    filters_.clear();
    planned_ = false;
    format_.emplace(std::move(info), device_);
}

void ScreenFilter::match_stacks(const PlayedFrame& played) {
    if (planned_) return;
    filters_.clear();
    race_on_stacks();  // clears the race in case planning fails
    for (const StackRequest& request : stacks_) {
        filters_.push_back(nullptr);
        if (request.stack.empty()) continue;
        filters_.back() = std::make_unique<StackRunner>(
            plan_stack(request.stack, format_->info, device_,
                       with_measured_plans({.by_step = request.kernels})));
        filters_.back()->set_masks(
            open_masks(request.stack, {.width = format_->info.width,
                                       .height = format_->info.height,
                                       .rotation_degrees = format_->info.rotation_degrees,
                                       .first_seconds = played.file_seconds - played.seconds}));
    }
    race_on_stacks();
    planned_ = true;
    serial_.reset();
}

void ScreenFilter::race_on_stacks() {
    if (race_ == nullptr) return;
    StackPlans plans(filters_.size());
    for (std::size_t stack = 0; stack < filters_.size(); ++stack) {
        if (!filters_[stack]) continue;
        plans[stack] = filters_[stack]->plan().steps;
        filters_[stack]->observe(
            [=, this](std::size_t step, std::span<const ImageView> sources, StreamView stream) {
                if (!remembering_) race_->on_step({stack, step}, sources, stream);
            });
    }
    race_->set_stacks(std::move(plans));
}

void ScreenFilter::note_times() const {
    if (times_ == nullptr) return;
    if (device_.is_gpu()) times_->add(Stage::upload, upload_seconds_);
    if (std::ranges::none_of(filters_, [](const auto& filters) { return filters != nullptr; }))
        return;
    double kernels = 0;
    for (const auto& filters : filters_)
        for (std::size_t k = 0; filters && k < filters->times().steps.size(); ++k)
            kernels += filters->times().steps[k].last_seconds;
    times_->add(Stage::kernels, kernels);
}

// Copies through pinned memory, and blocks until the copy is complete: filters, the race and the
// renderer read the picture on streams of their own, and the next frame reuses the pinned memory.
// The thread has no other work meanwhile; `upload_seconds_` includes the wait.
Picture ScreenFilter::upload(std::span<const ImageView> planes) {
    StageTimer clock(false);
    clock.start(nullptr);
    Picture picture = format_->originals.get();
    auto* const stream = format_->stream->view();
    for (std::size_t p = 0; p < planes.size(); ++p) {
        copy_image(planes[p], format_->pinned[p].view(), nullptr);
        copy_image(format_->pinned[p].view(), picture.planes[p], stream);
    }
    format_->stream->synchronize();
    clock.stop(nullptr);
    upload_seconds_ = clock.seconds();
    return picture;
}

ShownFrame ScreenFilter::frame_of(const PlayedFrame& played, int rotation_degrees) {
    match_format(played, rotation_degrees);
    ShownFrame shown;
    shown.played = played;
    shown.info = format_->info;
    shown.original = original_of(played.frame);
    return shown;
}

Picture ScreenFilter::original_of(const std::shared_ptr<const Frame>& frame) {
    const PlaneViews planes = plane_views(*frame->av);
    upload_seconds_ = 0;
    if (in_gpu_memory(*frame->av) || !device_.is_gpu()) return {planes, frame};
    return upload(planes);
}

ShownFrame ScreenFilter::unfiltered(const PlayedFrame& played, int rotation_degrees) {
    ShownFrame shown = frame_of(played, rotation_degrees);
    shown.filtered.assign(stacks_.size(), shown.original);
    return shown;
}

int ScreenFilter::earlier_frames_needed(const PlayedFrame& played, int rotation_degrees) {
    match_format(played, rotation_degrees);
    match_stacks(played);
    if (serial_ == played.serial) return 0;
    int frames = 0;
    for (const auto& filters : filters_) frames = std::max(frames, frames_before(filters.get()));
    return frames;
}

// Frames in another format do not fit the filters, so they and all earlier ones are skipped.
// The times of earlier frames count back by the duration of the shown one.
void ScreenFilter::remember(const PlayedFrame& played, const EarlierFrames& past) {
    const auto fits = [&](const std::shared_ptr<const Frame>& frame) {
        return same_planes(frame_info(*frame->av, format_->info.rotation_degrees), format_->info);
    };
    const auto begin = std::find_if_not(past.rbegin(), past.rend(), fits).base();
    remembering_ = true;
    for (const auto& filters : filters_) {
        if (frames_before(filters.get()) == 0) continue;
        filters->release();
        for (auto frame = begin; frame != past.end(); ++frame) {
            const std::int64_t age = past.end() - frame;
            run(*filters, original_of(*frame),
                {played.number - age,
                 played.file_seconds - static_cast<double>(age) * played.duration,
                 played.duration});
        }
    }
    remembering_ = false;
}

ShownFrame ScreenFilter::filter(const PlayedFrame& played, int rotation_degrees,
                                const EarlierFrames& past) {
    std::optional<LiveRace::Frame> in_work;
    if (race_ != nullptr) in_work.emplace(*race_);
    ShownFrame shown = frame_of(played, rotation_degrees);
    match_stacks(played);
    if (serial_ != played.serial) remember(played, past);
    StageTimer clock(false);
    clock.start(nullptr);
    for (const auto& filters : filters_)
        shown.filtered.push_back(filters
                                     ? run(*filters, shown.original,
                                           {played.number, played.file_seconds, played.duration})
                                     : shown.original);
    clock.stop(nullptr);
    filter_seconds_ = clock.seconds();
    serial_ = played.serial;
    note_times();
    return shown;
}

Picture ScreenFilter::run(StackRunner& filters, const Picture& original, const FramePlace& place) {
    Picture result = format_->results.get();
    filters.run(original.planes, result.planes, {}, place);
    return result;
}

WorkerStatus ScreenFilter::status() const {
    WorkerStatus status;
    for (const auto& filters : filters_) status.stacks.push_back(notes_of(filters.get()));
    status.upload_seconds = device_.is_gpu() ? upload_seconds_ : 0;
    status.filter_seconds = filter_seconds_;
    return status;
}

}  // namespace weft
