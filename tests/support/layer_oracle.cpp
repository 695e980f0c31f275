#include "tests/support/layer_oracle.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace oracle {

namespace {

struct Index {
    std::size_t n = 0, channel = 0, y = 0, x = 0;
};

Index place_of(const Layer& l, std::size_t index) {
    const auto next = [&index](int length) {
        // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): an index exists, so no length is 0
        const std::size_t at = index % static_cast<std::size_t>(length);
        index /= static_cast<std::size_t>(length);
        return at;
    };
    Index at;
    if (l.channels_last) {
        at.channel = next(l.out_channels);
        at.x = next(l.out_width());
        at.y = next(l.out_height());
    } else {
        at.x = next(l.out_width());
        at.y = next(l.out_height());
        at.channel = next(l.out_channels);
    }
    at.n = index;
    return at;
}

double input_at(const Layer& l, std::size_t n, int channel, int y, int x) {
    if (y < 0 || y >= l.height || x < 0 || x >= l.width) return 0;
    const auto c = static_cast<std::size_t>(channel);
    const auto row = static_cast<std::size_t>(y);
    const auto column = static_cast<std::size_t>(x);
    const auto channels = static_cast<std::size_t>(l.in_channels);
    const auto height = static_cast<std::size_t>(l.height);
    const auto width = static_cast<std::size_t>(l.width);
    return l.input[l.channels_last ? ((n * height + row) * width + column) * channels + c
                                   : ((n * channels + c) * height + row) * width + column];
}

int length_after(int length, int padding, int dilation, int taps, int stride) {
    int count = 0;
    for (int first = -padding; first + dilation * (taps - 1) < length + padding; first += stride)
        ++count;
    return count;
}

}  // namespace

int Layer::out_height() const {
    return length_after(height, padding_y, dilation_y, taps_y, stride_y);
}

int Layer::out_width() const {
    return length_after(width, padding_x, dilation_x, taps_x, stride_x);
}

std::size_t Layer::outputs() const {
    return static_cast<std::size_t>(batch) * static_cast<std::size_t>(out_channels) *
           static_cast<std::size_t>(out_height()) * static_cast<std::size_t>(out_width());
}

Interval layer_output(const Layer& l, std::size_t index, double more) {
    const Index at = place_of(l, index);
    const int inputs = l.in_channels / l.groups;
    const int group = static_cast<int>(at.channel) / (l.out_channels / l.groups);
    std::size_t w = at.channel * static_cast<std::size_t>(inputs * l.taps_y * l.taps_x);
    double sum = 0;
    double absolute = 0;
    for (int c = 0; c < inputs; ++c) {
        for (int j = 0; j < l.taps_y; ++j) {
            for (int i = 0; i < l.taps_x; ++i, ++w) {
                const int y = static_cast<int>(at.y) * l.stride_y - l.padding_y + j * l.dilation_y;
                const int x = static_cast<int>(at.x) * l.stride_x - l.padding_x + i * l.dilation_x;
                const double weight = l.half ? round_to_half(l.weights[w]) : l.weights[w];
                const double v = weight * input_at(l, at.n, group * inputs + c, y, x);
                sum += v;
                absolute += std::fabs(v);
            }
        }
    }
    const double roundings = inputs * l.taps_y * l.taps_x * 0x1p-23;
    // 1e-38: products below fp32's normal range lose up to the smallest subnormal each.
    const double bound = roundings / (1 - roundings) * absolute + 1e-38 + more;
    if (!l.half) return {sum, sum - bound, sum + bound};
    return {round_to_half(sum), round_to_half(sum - bound), round_to_half(sum + bound)};
}

double round_to_half(double v) {
    if (v == 0 || !std::isfinite(v)) return v;
    const int exponent = std::max(std::ilogb(v), -14);
    const double step = std::ldexp(1.0, exponent - 10);
    const double rounded = round_half_even(v / step) * step;
    return std::fabs(rounded) > 65504 ? std::copysign(std::numeric_limits<double>::infinity(), v)
                                      : rounded;
}

}  // namespace oracle
