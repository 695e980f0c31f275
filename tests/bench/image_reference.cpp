#include "tests/bench/image_reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include <fmt/format.h>

#include "tests/support/oracle.h"
#include "tests/support/sum_error.h"

namespace weft::bench {

namespace {

double weight_at(const Taps& t, int i, int j) {
    if (t.dense()) return t.weights[static_cast<std::size_t>(j) * t.width + i];
    return static_cast<double>(t.row[static_cast<std::size_t>(i)]) *
           t.column[static_cast<std::size_t>(j)];
}

std::vector<Place> places_of(const ConvProblem& p) {
    const bool large = p.taps().width > 63 || p.taps().height > 63;
    const int corner = std::min({large ? 8 : 40, p.width, p.height});
    std::vector<Place> out;
    for (int y = 0; y < corner; ++y) {
        for (int x = 0; x < corner; ++x) {
            out.push_back({x, y, 0});
            out.push_back({p.width - 1 - x, y, p.out_channels() - 1});
            out.push_back({x, p.height - 1 - y, p.out_channels() - 1});
            out.push_back({p.width - 1 - x, p.height - 1 - y, 0});
        }
    }
    const int stride = large ? 16 : 1;
    for (int x = 0; x < p.width; x += stride)
        out.push_back({x, p.height - 1, x % p.out_channels()});
    for (int y = 0; y < p.height; y += stride)
        out.push_back({p.width - 1, y, y % p.out_channels()});
    std::mt19937 random(7);
    const auto below = [&](int n) {
        return static_cast<int>(random() % static_cast<std::uint32_t>(n));
    };
    for (int k = 0; k < (large ? 2000 : 20000); ++k)
        out.push_back({below(p.width), below(p.height), below(p.out_channels())});
    return out;
}

bool near_edge(const ConvProblem& p, const Place& at, int margin) {
    return at.x < margin || at.y < margin || at.x >= p.width - margin || at.y >= p.height - margin;
}

// |sample| of f32; 0 for the types whose range is known.
double largest_sample(const ImageView& src) {
    if (src.type != PixelType::f32) return 0;
    double largest = 0;
    for (int y = 0; y < src.height; ++y)
        for (int k = 0; k < src.width * src.channels; ++k)
            largest = std::max(largest,
                               std::fabs(sample_value(src.row(y) + k * sizeof(float), src.type)));
    return largest;
}

}  // namespace

double sample_value(const std::byte* at, PixelType type) {
    switch (type) {
        case PixelType::u8:
            return std::to_integer<int>(*at);
        case PixelType::u16: {
            std::uint16_t v = 0;
            std::memcpy(&v, at, sizeof v);
            return v;
        }
        case PixelType::f32: {
            float v = 0;
            std::memcpy(&v, at, sizeof v);
            return v;
        }
    }
    return 0;
}

ImageReference::ImageReference(const ConvProblem& problem, const ImageView& src)
    : problem_(problem), places_(places_of(problem)), largest_(largest_sample(src)) {
    for (const Place& at : places_)
        for (std::size_t set = 0; set < problem.conv.front().taps.size(); ++set)
            sums_.push_back(sum_of_set(set, src, at));
}

ImageReference::Sum ImageReference::sum_of_set(std::size_t set, const ImageView& src,
                                               Place at) const {
    Sum sum;
    for (int c = 0; c < (problem_.sums_channels ? src.channels : 1); ++c, ++at.channel) {
        const Sum more = sum_at(problem_.channel(at.channel).taps[set], src, at);
        sum.value += more.value;
        sum.absolute += more.absolute;
        sum.weights += more.weights;
    }
    return sum;
}

ImageReference::Sum ImageReference::sum_at(const Taps& t, const ImageView& src,
                                           const Place& at) const {
    const std::size_t size = bytes_per_sample(src.type);
    Sum sum;
    for (int j = 0; j < t.height; ++j) {
        const int y =
            oracle::edge_source(at.y + j - t.anchor_y, src.height, oracle::Edge::reflect101);
        for (int i = 0; i < t.width; ++i) {
            const int x =
                oracle::edge_source(at.x + i - t.anchor_x, src.width, oracle::Edge::reflect101);
            const std::size_t index = static_cast<std::size_t>(x) * src.channels + at.channel;
            const double weight = weight_at(t, i, j);
            const double product = weight * sample_value(src.row(y) + index * size, src.type);
            sum.weights += std::fabs(weight);
            sum.value += product;
            sum.absolute += std::fabs(product);
        }
    }
    return sum;
}

std::string ImageReference::why_wrong(const Allowance& allowance,
                                      std::span<const double> got) const {
    const ConvProblem& p = problem_;
    const std::size_t sets = p.conv.front().taps.size();
    // A separable kernel uses factors whose product is the dense weight up to one rounding.
    const double added = p.sums_channels ? p.channels : 1;
    const double n = static_cast<double>(p.taps().width) * p.taps().height * added + 2;
    const double granted = test::sum_error(allowance.arithmetic, p, largest_);
    const double factor = test::roundings_factor(allowance.arithmetic);
    const auto bound_of = [&](const Sum& s) {
        return (oracle::gamma(factor * n) + allowance.relative) * s.absolute + granted * s.weights;
    };
    for (std::size_t k = 0; k < places_.size(); ++k) {
        const Place& at = places_[k];
        if (near_edge(p, at, allowance.margin)) continue;
        double value = sums_[k * sets].value;
        double bound = bound_of(sums_[k * sets]);
        for (std::size_t set = 1; set < sets; ++set) {
            const Sum& other = sums_[k * sets + set];
            value = p.combine == Combine::magnitude ? std::hypot(value, other.value)
                                                    : std::max(value, other.value);
            bound += bound_of(other);
        }
        const ChannelConv& conv = p.channel(at.channel);
        const double scaled = value * conv.scale + conv.bias;
        const double error = bound * std::fabs(conv.scale) + 4 * oracle::kUnit * std::fabs(scaled);
        const oracle::Interval right =
            oracle::finished(scaled, error, p.type != PixelType::f32, p.max_value);
        if (got[k] >= right.low - allowance.steps && got[k] <= right.high + allowance.steps)
            continue;
        return fmt::format("(y {}, x {}, channel {}): got {}, want {}, right from {} to {}", at.y,
                           at.x, at.channel, got[k], right.want, right.low - allowance.steps,
                           right.high + allowance.steps);
    }
    return {};
}

}  // namespace weft::bench
