#include "app/viewer/view/vectorscope.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "app/viewer/view/colour_matrix.h"
#include "kernels/with_sample_type.h"

namespace weft {
namespace {

constexpr double kNeutral = 128;

struct Rgb {
    double r = 0, g = 0, b = 0;
};

// ITU-R BT.601, BT.709 and BT.2020: the position of a colour whose components are 0 to 1. Cb and Cr
// from -0.5 to 0.5 take 224 steps in limited range, 255 in full.
ChromaPoint point_of(const Rgb& rgb, const FrameInfo& info) {
    const LumaShares shares = luma_shares(info);
    const double steps = info.full_range || info.is_rgb() ? 255 : 224;
    const double y = shares.r * rgb.r + (1 - shares.r - shares.b) * rgb.g + shares.b * rgb.b;
    return {kNeutral + steps * (rgb.b - y) / (2 * (1 - shares.b)),
            kNeutral + steps * (rgb.r - y) / (2 * (1 - shares.r))};
}

// One component in its plane.
struct Channel {
    ImageView plane;
    std::size_t offset = 0;

    template <class Sample>
    Sample at(int x, int y) const {
        const auto* row = reinterpret_cast<const Sample*>(plane.row(y));
        return row[static_cast<std::size_t>(x) * static_cast<std::size_t>(plane.channels) + offset];
    }
};

// nullopt without such a component.
std::optional<Channel> channel_of(std::span<const ImageView> planes, const FrameInfo& info,
                                  Component component) {
    for (std::size_t p = 0; p < info.planes.size(); ++p) {
        const std::vector<Component>& all = info.planes[p].components;
        const auto found = std::find(all.begin(), all.end(), component);
        if (found != all.end())
            return Channel{planes[p], static_cast<std::size_t>(found - all.begin())};
    }
    return std::nullopt;
}

std::size_t level_of(double steps) {
    return static_cast<std::size_t>(std::clamp(std::lround(steps), 0L, kLevels - 1L));
}

class Counter {
 public:
    Counter(const FrameInfo& info, int row_step)
        : info_(info), row_step_(row_step), scope_{std::vector<std::uint32_t>(kLevels * kLevels)} {}

    template <class Sample>
    void count_chroma(const Channel& u, const Channel& v) {
        const int scale = 1 << std::max(info_.depth_bits - 8, 0);
        const auto level = [&](Sample sample) {
            if constexpr (std::is_floating_point_v<Sample>)
                return level_of(kNeutral + 255 * (sample - 0.5));
            else
                return std::min<std::size_t>(sample / scale, kLevels - 1);
        };
        visit(u.plane,
              [&](int x, int y) { add(level(u.at<Sample>(x, y)), level(v.at<Sample>(x, y))); });
    }

    template <class Sample>
    void count_rgb(const Channel& r, const Channel& g, const Channel& b) {
        // Linear in the components, so one product for each instead of the matrix per pixel.
        const double scale = 1.0 / static_cast<double>(info_.max_value());
        const ChromaPoint red = point_of({scale, 0, 0}, info_);
        const ChromaPoint green = point_of({0, scale, 0}, info_);
        const ChromaPoint blue = point_of({0, 0, scale}, info_);
        visit(r.plane, [&](int x, int y) {
            const auto weigh = [&](double ChromaPoint::*axis) {
                return kNeutral + r.at<Sample>(x, y) * (red.*axis - kNeutral) +
                       g.at<Sample>(x, y) * (green.*axis - kNeutral) +
                       b.at<Sample>(x, y) * (blue.*axis - kNeutral);
            };
            const double cb = weigh(&ChromaPoint::cb);
            const double cr = weigh(&ChromaPoint::cr);
            if (!std::isnan(cb) && !std::isnan(cr)) add(level_of(cb), level_of(cr));
        });
    }

    Vectorscope result() { return std::move(scope_); }

 private:
    template <class Visit>
    void visit(const ImageView& plane, const Visit& pixel) const {
        for (int y = 0; y < plane.height; y += row_step_)
            for (int x = 0; x < plane.width; ++x) pixel(x, y);
    }
    void add(std::size_t cb, std::size_t cr) { ++scope_.counts[cr * kLevels + cb]; }

    const FrameInfo& info_;
    int row_step_;
    Vectorscope scope_;
};

}  // namespace

std::optional<Vectorscope> vectorscope(std::span<const ImageView> planes, const FrameInfo& info,
                                       int row_step) {
    Counter counter(info, row_step);
    const auto u = channel_of(planes, info, Component::u);
    const auto v = channel_of(planes, info, Component::v);
    const auto r = channel_of(planes, info, Component::r);
    const auto g = channel_of(planes, info, Component::g);
    const auto b = channel_of(planes, info, Component::b);
    if (u && v)
        with_sample_type(u->plane.type,
                         [&](auto sample) { counter.count_chroma<decltype(sample)>(*u, *v); });
    else if (r && g && b)
        with_sample_type(r->plane.type,
                         [&](auto sample) { counter.count_rgb<decltype(sample)>(*r, *g, *b); });
    else
        return std::nullopt;
    return counter.result();
}

std::vector<std::uint8_t> dot_brightness(const Vectorscope& scope) {
    const std::vector<std::uint8_t> bright = log_brightness(scope.counts);
    std::vector<std::uint8_t> result = bright;
    for (int y = 0; y < kLevels; ++y)
        for (int x = 0; x < kLevels; ++x) {
            const auto half = static_cast<std::uint8_t>(
                bright[static_cast<std::size_t>(y) * kLevels + static_cast<std::size_t>(x)] / 2);
            if (half == 0) continue;  // nearly all bins
            for (int v = std::max(y - 1, 0); v <= std::min(y + 1, kLevels - 1); ++v)
                for (int u = std::max(x - 1, 0); u <= std::min(x + 1, kLevels - 1); ++u) {
                    std::uint8_t& near =
                        result[static_cast<std::size_t>(v) * kLevels + static_cast<std::size_t>(u)];
                    near = std::max(near, half);
                }
        }
    return result;
}

Graticule graticule(const FrameInfo& info) {
    constexpr double kBar = 0.75;
    const auto target = [&](char letter, const Rgb& rgb) {
        return VectorscopeTarget{letter, point_of(rgb, info)};
    };
    // With luma 0 the colour differences are the components; green follows from red and blue.
    const LumaShares shares = luma_shares(info);
    constexpr double kLength = 0.5;
    Rgb skin{0.956 * kLength, 0, -1.106 * kLength};
    skin.g = -(shares.r * skin.r + shares.b * skin.b) / (1 - shares.r - shares.b);
    return {{target('R', {kBar, 0, 0}), target('Y', {kBar, kBar, 0}), target('G', {0, kBar, 0}),
             target('C', {0, kBar, kBar}), target('B', {0, 0, kBar}), target('M', {kBar, 0, kBar})},
            point_of(skin, info)};
}

}  // namespace weft
