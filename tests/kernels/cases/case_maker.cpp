#include "tests/kernels/cases/case_maker.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace weft::test {

namespace {

// Integers whose Σ|w| · 65535 stays under 2^24, so that u16 sums are exact too: 255 in all.
std::vector<float> integer_weights(Dice& dice, int count) {
    std::vector<float> w(count, 0.0F);
    for (int left = 255; left > 0;) {
        const int step = 1 + dice.below(std::min(left, 9));
        float& target = w[dice.below(count)];
        target += static_cast<float>(target < 0 || dice.below(3) == 0 ? -step : step);
        left -= step;
    }
    return w;
}

// Fractions of both signs with Σ|w| about 2: sums stay near the range of the pixels.
std::vector<float> fractional_weights(Dice& dice, int count) {
    std::vector<float> w(count);
    for (float& v : w) v = static_cast<float>((dice.fraction() * 1.5 - 0.5) * 4.0 / count);
    return w;
}

std::vector<float> weights(Dice& dice, int count, bool integers) {
    return integers ? integer_weights(dice, count) : fractional_weights(dice, count);
}

// A bell of about unit sum that is not symmetric, so that mirrored taps show.
std::vector<float> bell(Dice& dice, int count) {
    std::vector<float> f(count);
    double total = 0;
    for (int i = 0; i < count; ++i) {
        const double d = (i - count * 0.45) / (count * 0.3 + 0.5);
        f[i] = static_cast<float>(std::exp(-d * d) * (0.8 + 0.4 * dice.fraction()));
        total += f[i];
    }
    for (float& v : f) v = static_cast<float>(v / total);
    return f;
}

// Sums of large integer weights would saturate nearly everywhere and hide errors.
void bring_into_range(ConvProblem& p) {
    for (ChannelConv& conv : p.conv) {
        if (conv.scale != 1.0F || conv.bias != 0.0F) continue;
        conv.scale = static_cast<float>(1.0 / std::max(1.0, absolute_sum(conv.taps.front())));
        conv.bias = p.max_value * 0.25F;
    }
}

}  // namespace

Taps random_taps(Dice& dice, Size size, bool integers) {
    return dense_taps(size.width, size.height, weights(dice, size.width * size.height, integers));
}

std::vector<float> small_integers(Dice& dice, int count) {
    std::vector<float> f(count, 0.0F);
    for (int k = 0; k < 15; ++k) f[dice.below(count)] += dice.below(3) == 0 ? -1.0F : 1.0F;
    return f;
}

Taps random_factored(Dice& dice, Size size) {
    return separable_taps(bell(dice, size.width), bell(dice, size.height));
}

ChannelConv one_set(Taps taps) {
    return {.taps = {std::move(taps)}, .scale = 1.0F, .bias = 0.0F};
}

std::vector<ChannelConv> several_sets(Dice& dice, Size size, int sets, int entries) {
    std::vector<ChannelConv> out(entries);
    for (ChannelConv& conv : out)
        for (int k = 0; k < sets; ++k)
            conv.taps.push_back(random_taps(dice, size, dice.below(2) == 0));
    return out;
}

void move_anchor(ConvProblem& p, int x, int y) {
    for (ChannelConv& conv : p.conv) {
        for (Taps& t : conv.taps) {
            t.anchor_x = x;
            t.anchor_y = y;
        }
    }
}

ConvCase make_case(Dice& dice, const Image& image, std::vector<ChannelConv> conv) {
    constexpr std::array kMax16 = {1023.0F, 4095.0F, 65535.0F};
    ConvCase c;
    c.problem.width = image.size.width;
    c.problem.height = image.size.height;
    c.problem.channels = image.channels;
    c.problem.type = image.type;
    c.problem.max_value = image.type == PixelType::u16 ? dice.of(kMax16) : 255.0F;
    c.problem.conv = std::move(conv);
    if (image.type != PixelType::f32 && dice.below(3) != 0) bring_into_range(c.problem);
    c.problem.border = image.border;
    c.problem.border_value = image.type == PixelType::f32 ? -7.0F : 97.0F;
    c.source_layout = dice.of(kLayouts);
    c.output_layout = dice.of(kLayouts);
    c.integer_samples = dice.below(2) == 0;
    c.seed = static_cast<std::uint32_t>(dice.below(1 << 30));
    return c;
}

}  // namespace weft::test
