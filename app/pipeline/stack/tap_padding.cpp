#include "app/pipeline/stack/tap_padding.h"

#include <algorithm>
#include <stdexcept>

namespace weft {
namespace {

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

bool same(const Taps& a, const Taps& b) {
    return extent_of(a) == extent_of(b) && a.weights == b.weights && a.row == b.row &&
           a.column == b.column;
}

bool same(const ChannelConv& a, const ChannelConv& b) {
    return a.scale == b.scale && a.bias == b.bias &&
           std::ranges::equal(a.taps, b.taps,
                              [](const Taps& x, const Taps& y) { return same(x, y); });
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

}  // namespace

std::vector<ChannelConv> unify_channels(const std::vector<std::optional<ChannelConv>>& channels,
                                        Combine combine) {
    const Extent extent = common_extent(channels);
    const std::size_t sets = set_count(channels);
    std::vector<ChannelConv> unified;
    for (const auto& channel : channels) {
        ChannelConv all = channel ? *channel : pass_through(sets, combine);
        if (all.taps.size() != sets)
            throw std::invalid_argument(
                "the channels of a plane have matrices of different number");
        for (Taps& taps : all.taps) taps = padded_to(taps, extent);
        unified.push_back(std::move(all));
    }
    const bool equal = std::ranges::all_of(
        unified, [&](const ChannelConv& channel) { return same(channel, unified.front()); });
    if (equal) unified.resize(1);
    return unified;
}

}  // namespace weft
