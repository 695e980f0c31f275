#include "app/pipeline/stack/stack_step.h"

#include <algorithm>
#include <functional>

#include "kernels/pixels/pixel_ops.h"

namespace weft {
namespace {

ImageBuffer buffer_like(const ImageView& view) {
    const auto where = view.space == MemorySpace::device ? Allocation::device : Allocation::host;
    return {view.width, view.height, view.channels, view.type, where};
}

unsigned all_channels(const ImageView& view) {
    return (1U << view.channels) - 1U;
}

}  // namespace

PlaneHistory::PlaneHistory(std::size_t count, const ImageView& like) : frames_(count) {
    for (std::size_t k = 1; k < count; ++k) slots_.push_back(buffer_like(like));
}

std::span<const ImageView> PlaneHistory::frames(const ImageView& current, std::size_t past) {
    frames_[0] = current;
    for (std::size_t age = 1; age < frames_.size(); ++age) {
        if (past == 0) {
            frames_[age] = current;
            continue;
        }
        const std::size_t number = past - std::min(age, past);
        frames_[age] = slots_[number % slots_.size()].view();
    }
    return frames_;
}

void PlaneHistory::remember(const ImageView& current, std::size_t past, StreamView stream) {
    if (!slots_.empty()) copy_image(current, slots_[past % slots_.size()].view(), stream);
}

PlaneRunner::PlaneRunner(const PlaneWork& work, const Plan& plan, const ImageView& like,
                         const Device& device)
    : work_(&work) {
    if (const auto* problem = std::get_if<ConvProblem>(&work.compute))
        conv_ = plan.kernel->prepare(*problem, device);
    if (const auto* blend = std::get_if<PlaneBlend>(&work.compute))
        history_ = std::make_unique<PlaneHistory>(blend->blend.weights.size(), like);
}

int PlaneRunner::run(const ImageView& in, const ImageView& out, std::size_t past,
                     StreamView stream) {
    int launches = 0;
    if (conv_) {
        conv_->launch(in, out, stream);
        ++launches;
    } else if (history_) {
        launches += blend(in, out, past, stream);
    }
    return launches + fill(in, out, stream);
}

int PlaneRunner::blend(const ImageView& in, const ImageView& out, std::size_t past,
                       StreamView stream) {
    const auto& work = std::get<PlaneBlend>(work_->compute);
    int launches = 0;
    if (work.blend.black_first && past == 0) {
        copy_image(in, out, stream);
        for (std::size_t k = 0; k < work.black.size(); ++k) {
            const unsigned bit = 1U << k;
            if ((work.channel_mask & bit) == 0) continue;
            fill_channels(out, work.black[k], bit, stream);
            ++launches;
        }
    } else {
        blend_frames(work.blend, history_->frames(in, past), out, work.max_value, work.channel_mask,
                     stream);
        ++launches;
    }
    history_->remember(in, past, stream);
    return launches;
}

int PlaneRunner::fill(const ImageView& in, const ImageView& out, StreamView stream) const {
    if (work_->fill_mask == 0) return 0;
    if (!work_->computes() && work_->fill_mask != all_channels(out)) copy_image(in, out, stream);
    fill_channels(out, work_->fill_value, work_->fill_mask, stream);
    return 1;
}

StackStep::StackStep(const StepPlan& plan, std::span<const ImageView> planes, const Device& device)
    : plan_(&plan) {
    if (const std::optional<GrayRoute>& gray = plan.lowered.gray) {
        ImageView like = planes[static_cast<std::size_t>(gray->r.plane)];
        like.channels = gray->luma ? 1 : 3;
        if (gray->luma || gray->planar()) gray_in_ = buffer_like(like);
        like.channels = 1;
        gray_out_ = buffer_like(like);
        runners_.emplace_back(gray->work, plan.plans.front(), like, device);
        return;
    }
    for (std::size_t p = 0; p < planes.size(); ++p) {
        runners_.emplace_back(plan.lowered.planes[p], plan.plans[p], planes[p], device);
        if (writes(p)) written_.push_back(p);
    }
}

int StackStep::run(std::span<const ImageView> in, std::span<const ImageView> out, std::size_t past,
                   StreamView stream, StreamFork& fork) {
    if (plan_->lowered.gray) return run_gray(in, out, past, stream);
    int launches = 0;
    const auto filter = [&](std::size_t branch, StreamView side) {
        const std::size_t p = written_[branch];
        launches += runners_[p].run(in[p], out[p], past, side);
    };
    fork.run(stream, written_.size(), std::cref(filter));  // by reference: nothing is allocated
    return launches;
}

std::vector<ImageView> StackStep::conv_sources(std::span<const ImageView> in) const {
    if (plan_->lowered.gray) return {gray_source(in)};
    return {in.begin(), in.end()};
}

ImageView StackStep::gray_source(std::span<const ImageView> in) const {
    const GrayRoute& route = *plan_->lowered.gray;
    if (route.luma || route.planar()) return gray_in_.view();
    return in[static_cast<std::size_t>(route.r.plane)];
}

// Returns the number of launches.
int StackStep::make_gray_source(std::span<const ImageView> in, StreamView stream) const {
    const GrayRoute& route = *plan_->lowered.gray;
    const auto channel = [&](const ChannelIndex& c) {
        return ChannelView{in[static_cast<std::size_t>(c.plane)], c.channel};
    };
    if (route.luma) {
        extract_luma(channel(route.r), channel(route.g), channel(route.b), *route.luma,
                     gray_in_.view(), stream);
        return 1;
    }
    if (!route.planar()) return 0;
    int launches = 0;
    for (const ChannelIndex& c : {route.r, route.g, route.b})
        spread_luma(in[static_cast<std::size_t>(c.plane)], gray_in_.view(), 1U << launches++,
                    stream);
    return launches;
}

int StackStep::run_gray(std::span<const ImageView> in, std::span<const ImageView> out,
                        std::size_t past, StreamView stream) {
    const GrayRoute& route = *plan_->lowered.gray;
    int launches = make_gray_source(in, stream);
    launches += runners_.front().run(gray_source(in), gray_out_.view(), past, stream);
    for (std::size_t p = 0; p < out.size(); ++p) {
        const unsigned mask = route.spread_masks[p];
        if (mask == 0) continue;
        if (mask != all_channels(out[p])) copy_image(in[p], out[p], stream);
        spread_luma(gray_out_.view(), out[p], mask, stream);
        ++launches;
    }
    return launches;
}

}  // namespace weft
