#include "tests/support/oracle.h"

#include <algorithm>
#include <cmath>

namespace oracle {

namespace {

// A value known to within `bound`; `exact` if fp32 computes it without error.
struct Known {
    double value = 0, bound = 0;
    bool exact = false;
    bool exact_sums = exact;  // before they were combined
};

bool integer(double v) {
    return std::floor(v) == v;
}

// The image with its border filled in, for one matrix size.
struct Padded {
    int width = 0, height = 0;
    std::vector<double> samples;
    double largest = 0;  // |sample|
    bool integers = true;
};

Padded pad(const Problem& p, const Matrix& m, int channel) {
    Padded out;
    out.width = p.image.width + m.width - 1;
    out.height = p.image.height + m.height - 1;
    for (int y = 0; y < out.height; ++y) {
        const int sy = edge_source(y - m.anchor_y, p.image.height, p.edge_y);
        for (int x = 0; x < out.width; ++x) {
            const int sx = edge_source(x - m.anchor_x, p.image.width, p.edge_x);
            const bool outside = sx < 0 || sy < 0;
            out.samples.push_back(outside ? p.edge_value
                                          : p.image.samples[p.image.index(sx, sy, channel)]);
            out.largest = std::max(out.largest, std::fabs(out.samples.back()));
            out.integers = out.integers && integer(out.samples.back());
        }
    }
    return out;
}

bool all_integers(const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), integer);
}

double absolute_sum(const std::vector<double>& values) {
    double sum = 0;
    for (const double v : values) sum += std::fabs(v);
    return sum;
}

bool all_integer(const Matrix& m) {
    return m.weights.empty() ? all_integers(m.row) && all_integers(m.column)
                             : all_integers(m.weights);
}

// Σ w x and Σ |w x| of every pixel.
struct Sums {
    std::vector<double> plain, absolute;
};

Sums dense_sums(const Padded& image, const Matrix& m, int width, int height) {
    Sums out;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            double plain = 0, absolute = 0;
            for (int j = 0; j < m.height; ++j) {
                const double* in =
                    image.samples.data() + static_cast<std::size_t>(y + j) * image.width + x;
                const double* w = m.weights.data() + static_cast<std::size_t>(j) * m.width;
                for (int i = 0; i < m.width; ++i) {
                    plain += w[i] * in[i];
                    absolute += std::fabs(w[i] * in[i]);
                }
            }
            out.plain.push_back(plain);
            out.absolute.push_back(absolute);
        }
    }
    return out;
}

// Columns, then rows: the same sums in O(width + height).
Sums factored_sums(const Padded& image, const Matrix& m, int width, int height) {
    Sums tall;  // image.height rows of `width`
    for (int y = 0; y < image.height; ++y) {
        for (int x = 0; x < width; ++x) {
            double plain = 0, absolute = 0;
            for (int i = 0; i < m.width; ++i) {
                const double v =
                    m.row[i] * image.samples[static_cast<std::size_t>(y) * image.width + x + i];
                plain += v;
                absolute += std::fabs(v);
            }
            tall.plain.push_back(plain);
            tall.absolute.push_back(absolute);
        }
    }
    Sums out;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            double plain = 0, absolute = 0;
            for (int j = 0; j < m.height; ++j) {
                const std::size_t at = static_cast<std::size_t>(y + j) * width + x;
                plain += m.column[j] * tall.plain[at];
                absolute += std::fabs(m.column[j]) * tall.absolute[at];
            }
            out.plain.push_back(plain);
            out.absolute.push_back(absolute);
        }
    }
    return out;
}

const Channel& channel_of(const Problem& p, int c) {
    return p.channels[p.channels.size() == 1 ? 0 : static_cast<std::size_t>(c)];
}

// The sum of one tap set over one channel.
struct ChannelSum {
    Sums sums;
    double roundings = 0;  // that a kernel may make
    double weight = 0;     // Σ|w|
    bool integers = false;
    double largest = 0;  // Σ|w| · max|x|
};

ChannelSum channel_sum(const Problem& p, std::size_t set, int channel) {
    const Matrix& m = channel_of(p, channel).matrices[set];
    const Padded image = pad(p, m, channel);
    const bool dense = !m.weights.empty();
    ChannelSum out;
    out.sums = dense ? dense_sums(image, m, p.image.width, p.image.height)
                     : factored_sums(image, m, p.image.width, p.image.height);
    // A kernel may use the factors of dense weights: width + height roundings, plus one for the
    // rounding of each dense weight.
    const double factors = m.width + m.height + 1;
    out.roundings = dense ? std::max(factors, static_cast<double>(m.width) * m.height) : factors;
    out.weight = dense ? absolute_sum(m.weights) : absolute_sum(m.row) * absolute_sum(m.column);
    out.integers = all_integer(m) && image.integers;
    out.largest = out.weight * image.largest;
    return out;
}

void add(const ChannelSum& more, ChannelSum& sum) {
    for (std::size_t i = 0; i < sum.sums.plain.size(); ++i) {
        sum.sums.plain[i] += more.sums.plain[i];
        sum.sums.absolute[i] += more.sums.absolute[i];
    }
    sum.roundings += more.roundings + 1;
    sum.weight += more.weight;
    sum.integers = sum.integers && more.integers;
    sum.largest += more.largest;
}

// The sums of one channel, or over all channels.
std::vector<Known> known_sums(const Problem& p, std::size_t set, int channel) {
    ChannelSum sum = channel_sum(p, set, channel);
    if (p.sums_channels)
        for (int c = 1; c < p.image.channels; ++c) add(channel_sum(p, set, c), sum);
    const bool exact = sum.integers && sum.largest < 16777216.0;
    std::vector<Known> out;
    for (std::size_t i = 0; i < sum.sums.plain.size(); ++i)
        out.push_back({sum.sums.plain[i],
                       exact ? 0.0
                             : gamma(p.roundings_factor * sum.roundings) * sum.sums.absolute[i] +
                                   p.sum_error * sum.weight,
                       exact});
    return out;
}

Known magnitude(const Known& a, const Known& b) {
    const double squares = a.value * a.value + b.value * b.value;
    // An earlier magnitude that is not an integer is rounded when it is squared.
    const bool whole = a.exact && b.exact && integer(a.value) && integer(b.value);
    const double m = std::sqrt(squares);
    if (whole && squares < 16777216.0) return {m, 0.0, true};
    // Squares below fp32's normal range lose up to half the smallest subnormal, 2^-149, each.
    constexpr double kUnderflow = 0x1p-74;
    return {m, std::hypot(a.bound, b.bound) + 2.5 * kUnit * m + kUnderflow, false,
            a.exact_sums && b.exact_sums};
}

Known larger(const Known& a, const Known& b) {
    const Known& best = a.value >= b.value ? a : b;
    return {best.value, std::max(a.bound, b.bound), a.exact && b.exact};
}

Known combine(Combination how, const Known& a, const Known& b) {
    switch (how) {
        case Combination::single:
            break;
        case Combination::magnitude:
            return magnitude(a, b);
        case Combination::maximum:
            return larger(a, b);
    }
    return a;
}

Interval finish(const Known& s, const Channel& channel, const Problem& p) {
    const double v = s.value * channel.scale + channel.bias;
    const double carried = std::fabs(static_cast<double>(channel.scale)) * s.bound;
    // 1e-38: products below fp32's normal range lose up to the smallest subnormal each.
    const double bound = carried + kUnit * (std::fabs(v) + carried) + 1e-38;
    const double levels = p.magnitude_by_formula ? HUGE_VAL : 1.0;
    if (!s.exact) return finished(v, bound, p.rounded, p.max_value, levels);
    const float by_formula = std::fma(static_cast<float>(s.value), channel.scale, channel.bias);
    const Interval exact = finished(by_formula, 0.0, p.rounded, p.max_value);
    if (!p.rounded || integer(s.value) || p.magnitude_by_formula) return exact;
    // A root that fp32 rounds: a kernel may compute it in double.
    const Interval in_double = finished(v, bound, true, p.max_value);
    return {in_double.want, std::max(std::min(exact.low, in_double.low), in_double.want - 1),
            std::min(std::max(exact.high, in_double.high), in_double.want + 1)};
}

}  // namespace

int edge_source(int position, int size, Edge edge) {
    while (position < 0 || position >= size) {
        const bool before = position < 0;
        switch (edge) {
            case Edge::constant:
                return -1;
            case Edge::replicate:
                position = before ? 0 : size - 1;
                break;
            case Edge::wrap:
                position += before ? size : -size;
                break;
            case Edge::reflect:
                position = before ? -1 - position : 2 * size - 1 - position;
                break;
            case Edge::reflect101:
                if (size == 1) return 0;
                position = before ? -position : 2 * size - 2 - position;
                break;
            case Edge::ffmpeg:
                position = before ? -position : 2 * size - 1 - position;
                break;
            case Edge::ffmpeg_backwards:
                position = before ? -1 - position : 2 * size - 2 - position;
                break;
        }
    }
    return position;
}

std::vector<double> gaussian(double sigma) {
    const int reach = static_cast<int>(std::ceil(8 * sigma));
    std::vector<double> samples;
    double sum = 0;
    for (int x = -reach; x <= reach; ++x) {
        samples.push_back(std::exp(-x * x / (2 * sigma * sigma)));
        sum += samples.back();
    }
    for (double& s : samples) s /= sum;
    return samples;
}

double round_half_even(double v) {
    const double below = std::floor(v);
    const double fraction = v - below;
    if (fraction < 0.5) return below;
    if (fraction > 0.5) return below + 1;
    return std::fmod(below, 2.0) == 0.0 ? below : below + 1;
}

Interval finished(double value, double bound, bool rounded, double max_value, double levels) {
    const auto store = [&](double v) {
        return rounded ? std::clamp(round_half_even(v), 0.0, max_value) : v;
    };
    const double want = store(value);
    if (!rounded) return {want, value - bound, value + bound};
    return {want, std::max(store(value - bound), want - levels),
            std::min(store(value + bound), want + levels)};
}

Answer convolve(const Problem& p) {
    Answer out;
    out.want = {p.image.width, p.image.height, p.sums_channels ? 1 : p.image.channels, {}};
    const std::size_t samples = out.want.index(0, p.image.height, 0);
    out.want.samples.resize(samples);
    out.low.resize(samples);
    out.high.resize(samples);
    out.reproducible.resize(samples);
    for (int c = 0; c < out.want.channels; ++c) {
        const Channel& channel = channel_of(p, c);
        std::vector<Known> combined = known_sums(p, 0, c);
        for (std::size_t k = 1; k < channel.matrices.size(); ++k) {
            const std::vector<Known> next = known_sums(p, k, c);
            for (std::size_t i = 0; i < combined.size(); ++i)
                combined[i] = combine(p.combination, combined[i], next[i]);
        }
        for (std::size_t i = 0; i < combined.size(); ++i) {
            const Interval v = finish(combined[i], channel, p);
            const std::size_t at = i * out.want.channels + c;
            out.want.samples[at] = v.want;
            out.low[at] = v.low;
            out.high[at] = v.high;
            out.reproducible[at] = combined[i].exact_sums;
        }
    }
    return out;
}

}  // namespace oracle
