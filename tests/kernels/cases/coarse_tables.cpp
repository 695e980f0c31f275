// Taps whose sums are too coarse in fp32: the bound of one level must hold for them as well.
#include <array>
#include <cmath>

#include "tests/kernels/cases/case_maker.h"
#include "tests/kernels/cases/conv_table_parts.h"

namespace weft::test {

namespace {

// One value inside the circle: each addition to a flat picture's sum rounds the same way.
Taps disc(double radius) {
    const int side = 2 * static_cast<int>(std::ceil(radius)) + 1;
    std::vector<float> weights;
    int inside = 0;
    for (int j = 0; j < side; ++j) {
        for (int i = 0; i < side; ++i) {
            const bool in = std::hypot(i - side / 2, j - side / 2) <= radius;
            weights.push_back(in ? 1.0F : 0.0F);
            inside += in ? 1 : 0;
        }
    }
    for (float& w : weights) w /= static_cast<float>(inside);
    return dense_taps(side, side, weights);
}

// Nearly equal factors of unit sum.
Taps wide_factors(int width, int height) {
    const auto factors = [](int count) {
        std::vector<float> out;
        for (int k = 0; k < count; ++k)
            out.push_back((1.0F + 0.001F * static_cast<float>(k % 3)) / static_cast<float>(count));
        return out;
    };
    return separable_taps(factors(width), factors(height));
}

// Large weights that nearly cancel.
Taps cancelling(Dice& dice, Size size, float weight) {
    std::vector<float> weights;
    const int count = size.width * size.height;
    float sum = 0;
    for (int k = 0; k + 1 < count; ++k) {
        weights.push_back(std::floor(static_cast<float>(dice.fraction()) * weight) *
                          (k % 2 == 0 ? 1.0F : -1.0F));
        sum += weights.back();
    }
    weights.push_back(1.0F - sum);
    return dense_taps(size.width, size.height, weights);
}

float weight_at(const Taps& t, int i, int j) {
    if (i < 0 || j < 0 || i >= t.width || j >= t.height) return 0;
    return t.dense() ? t.weights[static_cast<std::size_t>(j) * t.width + i]
                     : t.row[static_cast<std::size_t>(i)] * t.column[static_cast<std::size_t>(j)];
}

// The largest sample where the middle output's tap is positive, which maximises its sum.
std::vector<double> signs_of_taps(const ConvProblem& p) {
    std::vector<double> samples;
    for (int y = 0; y < p.height; ++y)
        for (int x = 0; x < p.width; ++x)
            for (int c = 0; c < p.channels; ++c) {
                const Taps& t = p.channel(c).taps.front();
                const float w =
                    weight_at(t, x - p.width / 2 + t.anchor_x, y - p.height / 2 + t.anchor_y);
                samples.push_back(w > 0 ? p.max_value : 0.0);
            }
    return samples;
}

// Noise, flat pictures and the taps' signs.
void add_pictures(ConvProblem p, std::vector<ConvCase>& out) {
    const std::size_t count = static_cast<std::size_t>(p.width) * p.height * p.channels;
    p.border = kBorders[out.size() % kBorders.size()];
    const auto add = [&](std::vector<double> samples) {
        ConvCase c;
        c.problem = p;
        c.seed = static_cast<std::uint32_t>(out.size()) + 9700;
        c.samples = std::move(samples);
        out.push_back(c);
    };
    add({});
    for (const double level : {1.0, 0.87, 0.53})
        add(std::vector<double>(count, std::floor(p.max_value * level)));
    add(signs_of_taps(p));
}

ConvProblem problem_of(PixelType type, float max_value, Size size, std::vector<ChannelConv> conv) {
    ConvProblem p;
    p.width = size.width;
    p.height = size.height;
    p.type = type;
    p.max_value = max_value;
    p.conv = std::move(conv);
    return p;
}

void add_cancelling(PixelType type, float max_value, std::vector<ConvCase>& out) {
    for (const Size size : {Size{2, 1}, Size{3, 3}, Size{5, 4}, Size{15, 15}}) {
        for (const float weight : {1e4F, 1e6F}) {
            Dice dice(static_cast<std::uint32_t>(out.size()) + 9750);
            ConvProblem p =
                problem_of(type, max_value, {45, 21}, {one_set(cancelling(dice, size, weight))});
            add_pictures(p, out);
            p.channels = 3;
            p.conv = several_sets(dice, size, 1, 3);
            for (ChannelConv& c : p.conv) c.taps.front() = cancelling(dice, size, weight);
            add_pictures(p, out);
            p.sums_channels = true;
            add_pictures(p, out);
            p = problem_of(type, max_value, {45, 21}, {one_set(cancelling(dice, size, weight))});
            p.conv.front().taps.push_back(cancelling(dice, size, weight));
            p.conv.front().scale = 0.5F;
            p.combine = out.size() % 2 == 0 ? Combine::magnitude : Combine::maximum;
            add_pictures(p, out);
        }
    }
}

// Magnitudes of exact sums, which a large scale and a bias bring into range: planes of constant
// slopes, whose roots fp32 rounds by several levels.
void add_shifted_magnitudes(PixelType type, float max_value, float scale, bool exact,
                            std::vector<ConvCase>& out) {
    const Taps across = dense_taps(3, 3, {-3, 0, 3, -10, 0, 10, -3, 0, 3});
    const Taps down = dense_taps(3, 3, {-3, -10, -3, 0, 0, 0, 3, 10, 3});
    ConvProblem p = problem_of(type, max_value, {45, 21}, {{{across, down}, scale}});
    p.combine = Combine::magnitude;
    p.exact_sums = exact;
    for (int slope = 1; slope <= 3; ++slope) {
        const double root = 32 * std::hypot(slope, 5 - slope);
        p.conv.front().bias = static_cast<float>(max_value / 2 - root * scale);
        ConvCase c;
        c.problem = p;
        c.seed = static_cast<std::uint32_t>(out.size()) + 9900;
        for (int y = 0; y < p.height; ++y)
            for (int x = 0; x < p.width; ++x) c.samples.push_back(slope * x + (5 - slope) * y);
        out.push_back(c);
    }
}

}  // namespace

std::vector<ConvCase> coarse_sums() {
    std::vector<ConvCase> out;
    for (const double radius : {8.0, 12.0, 25.0, 27.1, 30.0})
        add_pictures(problem_of(PixelType::u16, 65535.0F, {70, 35}, {one_set(disc(radius))}), out);
    for (const Size size : {Size{151, 151}, Size{511, 3}, Size{511, 511}})
        add_pictures(problem_of(PixelType::u16, 65535.0F, {50, 21},
                                {one_set(wide_factors(size.width, size.height))}),
                     out);
    add_cancelling(PixelType::u8, 255.0F, out);
    add_cancelling(PixelType::u16, 1023.0F, out);
    add_cancelling(PixelType::u16, 65535.0F, out);
    for (const bool exact : {false, true}) {
        add_shifted_magnitudes(PixelType::u8, 255.0F, 2e6F, exact, out);
        add_shifted_magnitudes(PixelType::u16, 1023.0F, 3e6F, exact, out);
        add_shifted_magnitudes(PixelType::u16, 65535.0F, 4e6F, exact, out);
    }
    return out;
}

}  // namespace weft::test
