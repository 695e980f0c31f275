#include "app/pipeline/stack/lowering.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "filters/planes.h"
#include "kernels/pixel_type.h"

namespace weft {
namespace {

float mid_value(const FrameInfo& info) {
    return info.sample == SampleType::f32 ? 0.5F : static_cast<float>(1U << (info.depth_bits - 1));
}

bool is_filtered(const ComponentSelection& selection, Component c) {
    return std::ranges::find(selection.filtered, c) != selection.filtered.end();
}

// Index of `c` among the frame's components in the order y u v a or r g b a.
std::size_t rank_of(Component c, const FrameInfo& info) {
    std::size_t smaller = 0;
    for (const PlaneInfo& plane : info.planes)
        smaller += static_cast<std::size_t>(
            std::ranges::count_if(plane.components, [c](Component other) { return other < c; }));
    return smaller;
}

// The linear part for one component, as the channel of a problem.
ChannelConv channel_conv(const Convolution& conv, std::size_t rank) {
    const std::size_t count = conv.components.size();
    if (count > 1 && rank >= count)
        throw std::invalid_argument("the filter has " + std::to_string(count) +
                                    " matrices, but the frame's component " +
                                    std::to_string(rank + 1) + " is to be filtered as well");
    const ComponentTaps& taps = conv.components.at(count == 1 ? 0 : rank);
    return {taps.taps, taps.scale, taps.bias};
}

ConvProblem empty_problem(const Convolution& conv, const PlaneInfo& plane, const FrameInfo& info) {
    ConvProblem problem;
    problem.width = plane.width;
    problem.height = plane.height;
    problem.channels = static_cast<int>(plane.components.size());
    problem.type = pixel_type(info.sample);
    problem.max_value = info.max_value();
    problem.combine = conv.combine;
    problem.border = conv.border;
    // Pixels outside the picture are clamped and rounded like those inside.
    problem.border_value =
        info.sample == SampleType::f32
            ? conv.border_value
            : std::nearbyint(std::clamp(conv.border_value, 0.0F, info.max_value()));
    return problem;
}

// ---- the channels of an interleaved plane at one tap size, as kernels require ----

struct Extent {
    int width = 1;
    int height = 1;
    int anchor_x = 0;
    int anchor_y = 0;
    bool operator==(const Extent&) const = default;
};

Extent extent_of(const Taps& taps) {
    return {taps.width, taps.height, taps.anchor_x, taps.anchor_y};
}

// The smallest extent that contains both around a common anchor.
Extent join(const Extent& a, const Extent& b) {
    const int left = std::max(a.anchor_x, b.anchor_x);
    const int top = std::max(a.anchor_y, b.anchor_y);
    const int right = std::max(a.width - a.anchor_x, b.width - b.anchor_x);
    const int bottom = std::max(a.height - a.anchor_y, b.height - b.anchor_y);
    return {left + right, top + bottom, left, top};
}

Taps padded_to(const Taps& taps, const Extent& e) {
    if (extent_of(taps) == e) return taps;
    return padded_taps(taps, e.width, e.height, e.anchor_x, e.anchor_y);
}

Taps zero_taps() {
    Taps taps = identity_taps();
    for (auto* weights : {&taps.weights, &taps.row, &taps.column})
        std::ranges::fill(*weights, 0.0F);
    return taps;
}

// Returns its input: max(x, x, …), or sqrt(x² + 0²) for samples, which are never negative.
ChannelConv pass_through(std::size_t sets, Combine combine) {
    ChannelConv channel;
    for (std::size_t k = 0; k < sets; ++k)
        channel.taps.push_back(k == 0 || combine == Combine::maximum ? identity_taps()
                                                                     : zero_taps());
    return channel;
}

Extent common_extent(const std::vector<std::optional<ChannelConv>>& channels) {
    std::optional<Extent> extent;
    for (const auto& channel : channels) {
        if (!channel) continue;
        for (const Taps& taps : channel->taps)
            extent = extent ? join(*extent, extent_of(taps)) : extent_of(taps);
    }
    return extent.value_or(Extent{});
}

std::size_t set_count(const std::vector<std::optional<ChannelConv>>& channels) {
    std::size_t count = 1;
    for (const auto& channel : channels)
        if (channel) count = std::max(count, channel->taps.size());
    return count;
}

// One entry for all channels if they are equal, otherwise one per channel, all with the same number
// of tap sets, size and anchor: smaller taps are padded with zeros, and channels without a value
// get identity taps. Separable taps stay separable, so that a blur of rgb in rgba keeps the kernels
// that need factors. Throws std::invalid_argument if taps known only by their factors are combined
// with taps that have none.
std::vector<ChannelConv> unify_channels(const std::vector<std::optional<ChannelConv>>& channels,
                                        Combine combine) {
    const Extent extent = common_extent(channels);
    const std::size_t sets = set_count(channels);
    std::vector<ChannelConv> unified;
    for (const auto& channel : channels) {
        ChannelConv all = channel ? *channel : pass_through(sets, combine);
        if (all.taps.size() != sets)
            throw std::invalid_argument(
                "the channels of a plane have different numbers of matrices");
        for (Taps& taps : all.taps) taps = padded_to(taps, extent);
        unified.push_back(std::move(all));
    }
    if (std::ranges::count(unified, unified.front()) == std::ssize(unified)) unified.resize(1);
    return unified;
}

// ---- the work on each plane ----

ConvProblem plane_problem(const Convolution& conv, const ComponentSelection& selection,
                          const PlaneInfo& plane, const FrameInfo& info) {
    ConvProblem problem = empty_problem(conv, plane, info);
    std::vector<std::optional<ChannelConv>> channels;
    for (Component c : plane.components) {
        if (is_filtered(selection, c))
            channels.emplace_back(channel_conv(conv, rank_of(c, info)));
        else
            channels.emplace_back(std::nullopt);
    }
    problem.conv = unify_channels(channels, conv.combine);
    return problem;
}

PlaneBlend plane_blend(const TemporalBlend& blend, const PlaneInfo& plane, const FrameInfo& info,
                       unsigned mask) {
    PlaneBlend work{blend, info.max_value(), mask, {}};
    for (Component c : plane.components)
        work.black.push_back(is_chroma(c) ? mid_value(info) : 0.0F);
    return work;
}

PlaneMeans plane_means(const SampleMeans& means, const PlaneInfo& plane, const FrameInfo& info,
                       unsigned mask) {
    PlaneMeans work{means.block_px, info.max_value(), mask, {}};
    for (std::size_t k = 0; k < plane.components.size() && !means.otherwise.empty(); ++k)
        work.otherwise.at(k) = means.otherwise.at(rank_of(plane.components[k], info));
    return work;
}

PlaneWork plane_work(const Operation& operation, const PlaneInfo& plane, const FrameInfo& info) {
    PlaneWork work;
    unsigned filtered = 0;
    for (std::size_t k = 0; k < plane.components.size(); ++k) {
        const Component c = plane.components[k];
        if (is_filtered(operation.selection, c))
            filtered |= 1U << k;
        else if (operation.selection.neutral_chroma && is_chroma(c))
            work.fill_mask |= 1U << k;
    }
    work.fill_value = mid_value(info);
    if (filtered == 0) return work;
    if (const auto* conv = std::get_if<Convolution>(&operation.compute))
        work.compute = plane_problem(*conv, operation.selection, plane, info);
    else if (const auto* means = std::get_if<SampleMeans>(&operation.compute))
        work.compute = plane_means(*means, plane, info, filtered);
    else
        work.compute =
            plane_blend(std::get<TemporalBlend>(operation.compute), plane, info, filtered);
    return work;
}

ChannelIndex find_component(const FrameInfo& info, Component component) {
    for (std::size_t p = 0; p < info.planes.size(); ++p)
        for (std::size_t k = 0; k < info.planes[p].components.size(); ++k)
            if (info.planes[p].components[k] == component)
                return {static_cast<int>(p), static_cast<int>(k)};
    throw std::invalid_argument("the frame has no red, green and blue");
}

GrayRoute gray_route(const FrameInfo& info) {
    GrayRoute route;
    route.r = find_component(info, Component::r);
    route.g = find_component(info, Component::g);
    route.b = find_component(info, Component::b);
    route.spread_masks.assign(info.planes.size(), 0U);
    for (const ChannelIndex& c : {route.r, route.g, route.b})
        route.spread_masks[static_cast<std::size_t>(c.plane)] |= 1U << c.channel;
    return route;
}

GrayRoute luma_route(const Operation& operation, const FrameInfo& info) {
    GrayRoute route = gray_route(info);
    route.luma = luma_matrix(info);
    Operation on_luma = operation;
    on_luma.selection = {.filtered = {Component::y}};
    const PlaneInfo plane{info.width, info.height, {Component::y}};
    FrameInfo gray = info;
    gray.planes = {plane};
    route.work = plane_work(on_luma, plane, gray);
    return route;
}

// Adds nothing to the sums of another channel.
ChannelConv without_weights(ChannelConv like) {
    for (Taps& taps : like.taps) {
        for (auto* weights : {&taps.weights, &taps.row, &taps.column})
            std::ranges::fill(*weights, 0.0F);
        taps.gaussian_x = taps.gaussian_y = 0;
    }
    return like;
}

GrayRoute sum_route(const Convolution& conv, const FrameInfo& info) {
    GrayRoute route = gray_route(info);
    const PlaneInfo plane =
        route.planar()
            ? PlaneInfo{info.width, info.height, {Component::r, Component::g, Component::b}}
            : info.planes[static_cast<std::size_t>(route.r.plane)];
    ConvProblem problem = empty_problem(conv, plane, info);
    problem.sums_channels = true;
    std::vector<std::optional<ChannelConv>> channels;
    channels.reserve(plane.components.size());
    for (Component c : plane.components)
        channels.emplace_back(c == Component::a ? without_weights(channel_conv(conv, 0))
                                                : channel_conv(conv, rank_of(c, info)));
    problem.conv = unify_channels(channels, conv.combine);
    route.work.compute = std::move(problem);
    return route;
}

// 1 at the anchor and 0 elsewhere.
bool is_identity(const std::vector<float>& weights, int anchor) {
    for (std::size_t k = 0; k < weights.size(); ++k)
        if (weights[k] != (k == static_cast<std::size_t>(anchor) ? 1.0F : 0.0F)) return false;
    return true;
}

bool is_identity(const Taps& taps) {
    if (!taps.separable())
        return is_identity(taps.weights, taps.anchor_y * taps.width + taps.anchor_x);
    return is_identity(taps.row, taps.anchor_x) && is_identity(taps.column, taps.anchor_y);
}

// Whether every sample is unchanged. In f32 images a NaN would spread to neighbours whose weight is
// 0.
bool changes_nothing(const ConvProblem& p) {
    const auto gives_back = [](const ChannelConv& channel) {
        return channel.scale == 1 && channel.bias == 0 && is_identity(channel.taps.front());
    };
    return p.type != PixelType::f32 && p.combine == Combine::single &&
           std::ranges::all_of(p.conv, gives_back);
}

// For steps such as a slider at zero produces: gaussian=sigma=0, sharpen=amount=0.
PlaneWork without_identity(PlaneWork work) {
    const auto* problem = std::get_if<ConvProblem>(&work.compute);
    if (problem != nullptr && changes_nothing(*problem)) work.compute = std::monostate{};
    return work;
}

}  // namespace

const PlaneMeans* LoweredStep::means() const {
    for (const PlaneWork& work : planes)
        if (const auto* means = std::get_if<PlaneMeans>(&work.compute)) return means;
    return nullptr;
}

LoweredStep lower(const Operation& operation, const FrameInfo& info) {
    LoweredStep step;
    const auto* conv = std::get_if<Convolution>(&operation.compute);
    if (conv != nullptr && conv->sums_rgb) {
        step.gray = sum_route(*conv, info);
        return step;
    }
    if (operation.selection.rgb_luma && info.is_rgb()) {
        step.gray = luma_route(operation, info);
        return step;
    }
    for (const PlaneInfo& plane : info.planes)
        step.planes.push_back(without_identity(plane_work(operation, plane, info)));
    return step;
}

}  // namespace weft
