#include "tests/bench/verify.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include <fmt/format.h>

#include "tests/support/oracle.h"
#include "tests/support/sum_error.h"

namespace weft::bench {

namespace {

struct Point {
    int x = 0, y = 0, channel = 0;
};

double sample_at(const ImageView& image, int x, int y, int channel) {
    const std::size_t index = static_cast<std::size_t>(x) * image.channels + channel;
    const std::byte* const at = image.row(y) + index * bytes_per_sample(image.type);
    switch (image.type) {
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

// A sum and the bound of its error in fp32, for both forms of the taps.
struct Sum {
    double value = 0, bound = 0;
};

double weight_at(const Taps& t, int i, int j) {
    if (t.dense()) return t.weights[static_cast<std::size_t>(j) * t.width + i];
    return static_cast<double>(t.row[static_cast<std::size_t>(i)]) *
           t.column[static_cast<std::size_t>(j)];
}

Sum sum_at(const Taps& t, Arithmetic arithmetic, const ImageView& src, const Point& at) {
    double value = 0;
    double absolute = 0;
    double weights = 0;
    for (int j = 0; j < t.height; ++j) {
        const int y =
            oracle::edge_source(at.y + j - t.anchor_y, src.height, oracle::Edge::reflect101);
        for (int i = 0; i < t.width; ++i) {
            const int x =
                oracle::edge_source(at.x + i - t.anchor_x, src.width, oracle::Edge::reflect101);
            const double product = weight_at(t, i, j) * sample_at(src, x, y, at.channel);
            weights += std::fabs(weight_at(t, i, j));
            value += product;
            absolute += std::fabs(product);
        }
    }
    // A separable row works with factors whose product is the dense weight up to one rounding.
    const double n = static_cast<double>(t.width) * t.height + 2;
    return {value, oracle::gamma(n) * absolute + test::sum_error(arithmetic) * weights};
}

oracle::Interval right_at(const ConvProblem& p, Arithmetic arithmetic, const ImageView& src,
                          const Point& at) {
    const ChannelConv& conv = p.channel(at.channel);
    Sum s = sum_at(conv.taps.front(), arithmetic, src, at);
    if (p.combine == Combine::magnitude) {
        const Sum other = sum_at(conv.taps.back(), arithmetic, src, at);
        s = {std::hypot(s.value, other.value), s.bound + other.bound};
    }
    const double value = s.value * conv.scale + conv.bias;
    const double bound = s.bound * std::fabs(conv.scale) + 4 * oracle::kUnit * std::fabs(value);
    return oracle::finished(value, bound, p.type != PixelType::f32, p.max_value);
}

std::vector<Point> points_of(const ConvProblem& p) {
    constexpr int kCorner = 40;
    constexpr int kRandom = 20000;
    std::vector<Point> out;
    for (int y = 0; y < kCorner; ++y) {
        for (int x = 0; x < kCorner; ++x) {
            out.push_back({x, y, 0});
            out.push_back({p.width - 1 - x, y, p.channels - 1});
            out.push_back({x, p.height - 1 - y, p.channels - 1});
            out.push_back({p.width - 1 - x, p.height - 1 - y, 0});
        }
    }
    for (int x = 0; x < p.width; ++x) out.push_back({x, p.height - 1, x % p.channels});
    for (int y = 0; y < p.height; ++y) out.push_back({p.width - 1, y, y % p.channels});
    std::mt19937 random(7);
    const auto below = [&](int n) {
        return static_cast<int>(random() % static_cast<std::uint32_t>(n));
    };
    for (int k = 0; k < kRandom; ++k)
        out.push_back({below(p.width), below(p.height), below(p.channels)});
    return out;
}

}  // namespace

std::string why_wrong(const ConvProblem& problem, Arithmetic arithmetic, const ImageView& src,
                      const ImageView& got) {
    for (const Point& at : points_of(problem)) {
        const oracle::Interval right = right_at(problem, arithmetic, src, at);
        const double is = sample_at(got, at.x, at.y, at.channel);
        if (is >= right.low && is <= right.high) continue;
        return fmt::format("(y {}, x {}, channel {}): got {}, want {}, right from {} to {}", at.y,
                           at.x, at.channel, is, right.want, right.low, right.high);
    }
    return {};
}

}  // namespace weft::bench
