#include "app/pipeline/stack/frame_filter.h"

#include <algorithm>

#include <fmt/format.h>

namespace weft {
namespace {

FrameInfo field_info(FrameInfo info, int field) {
    info.matrix = luma_matrix(info);  // from the frame's height, not the field's
    info.height = (info.height + 1 - field) / 2;
    for (PlaneInfo& plane : info.planes) plane.height = (plane.height + 1 - field) / 2;
    info.interlaced = false;
    return info;
}

bool has_two_fields(const FrameInfo& info) {
    return std::ranges::all_of(info.planes, [](const PlaneInfo& p) { return p.height > 1; });
}

void add_times(const ChainTimes& more, ChainTimes& sum) {
    sum.upload.merge(more.upload);
    sum.kernels.merge(more.kernels);
    sum.download.merge(more.download);
    sum.replays += more.replays;
    for (std::size_t s = 0; s < more.steps.size(); ++s) {
        sum.steps[s].frames.merge(more.steps[s].frames);
        sum.steps[s].launches += more.steps[s].launches;
    }
}

}  // namespace

std::vector<ChainPlan> plan_frames(const Stack& stack, const FrameInfo& info, const Device& device,
                                   const ForcedKernels& forced, Fields fields) {
    if (fields == Fields::together || !has_two_fields(info))
        return {plan_chain(stack, info, device, forced)};
    return {plan_chain(stack, field_info(info, 0), device, forced),
            plan_chain(stack, field_info(info, 1), device, forced)};
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

FrameFilter::FrameFilter(const std::vector<ChainPlan>& plans, const ChainOptions& options) {
    for (const ChainPlan& plan : plans) chains_.emplace_back(plan, options);
}

// The second field follows the first at every stage.
void FrameFilter::submit(std::span<const ImageView> src, std::span<const ImageView> dst,
                         std::function<void()> source_read) {
    if (chains_.size() == 1) return chains_.front().submit(src, dst, std::move(source_read));
    chains_[0].submit(field_views(src, 0), field_views(dst, 0));
    try {
        chains_[1].submit(field_views(src, 1), field_views(dst, 1));
    } catch (...) {
        chains_[0].give_up();
        throw;
    }
    source_read_.push_back(std::move(source_read));
}

void FrameFilter::finish() {
    for (FilterChain& chain : chains_) chain.finish();
    if (chains_.size() == 1) return;
    if (source_read_.front()) source_read_.front()();
    source_read_.pop_front();
}

void FrameFilter::give_up() noexcept {
    for (FilterChain& chain : chains_) chain.give_up();
    if (chains_.size() > 1) source_read_.pop_back();
}

void FrameFilter::run(std::span<const ImageView> src, std::span<const ImageView> dst,
                      std::function<void()> source_read) {
    submit(src, dst, std::move(source_read));
    finish();
}

void FrameFilter::observe(const StepObserver& observer) {
    for (FilterChain& chain : chains_) chain.observe(observer);
}

void FrameFilter::trace(const FileTrace& file) {
    for (std::size_t k = 0; k < chains_.size(); ++k)
        chains_[k].trace(file, chains_.size() > 1 ? fmt::format("field {}: ", k) : "");
}

void FrameFilter::release() {
    for (FilterChain& chain : chains_) chain.release();
}

ChainTimes FrameFilter::times() const {
    ChainTimes sum = chains_.front().times();
    for (std::size_t k = 1; k < chains_.size(); ++k) add_times(chains_[k].times(), sum);
    return sum;
}

}  // namespace weft
