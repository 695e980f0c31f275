// Pictures that noise never resembles. Sums over noise stay near their mean; over flat regions and
// over the signs of the taps they reach the largest values that a kernel's accumulators must hold.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "tests/kernels/cases/case_maker.h"
#include "tests/kernels/cases/conv_table_parts.h"

namespace weft::test {

namespace {

// A disc of equal weights; pixels of its edge get their covered share of 16 × 16 points, as in the
// filter of that name. As two planes of bytes, the lower bytes are then alike, and their sums over
// a flat picture are large: 8 · 2^22 at a radius of 27.
Taps disc(double radius) {
    constexpr int kPoints = 16;
    const int reach = static_cast<int>(std::ceil(radius));
    const int side = 2 * reach + 1;
    std::vector<float> weights(static_cast<std::size_t>(side) * side, 0.0F);
    int sum = 0;
    for (int y = 0; y < side * kPoints; ++y)
        for (int x = 0; x < side * kPoints; ++x) {
            const double dx = (x + 0.5) / kPoints - 0.5 - reach;
            const double dy = (y + 0.5) / kPoints - 0.5 - reach;
            if (dx * dx + dy * dy > radius * radius) continue;
            weights[static_cast<std::size_t>(y / kPoints) * side + x / kPoints] += 1.0F;
            ++sum;
        }
    for (float& w : weights) w /= static_cast<float>(sum);
    return dense_taps(side, side, weights);
}

Taps one_sign(Dice& dice, int side, double sign) {
    std::vector<float> weights(static_cast<std::size_t>(side) * side);
    for (float& w : weights)
        w = static_cast<float>(sign * (1 + dice.fraction()) / (1.5 * side * side));
    return dense_taps(side, side, weights);
}

// Results over the whole range without saturation, which would hide errors.
ChannelConv in_range(const Taps& taps, float most) {
    double negative = 0;
    for (const float w : taps.weights) negative += std::max(-static_cast<double>(w), 0.0);
    ChannelConv conv = one_set(taps);
    conv.scale = static_cast<float>(1.0 / absolute_sum(taps));
    conv.bias = static_cast<float>(most * negative / absolute_sum(taps));
    return conv;
}

using Value = std::function<double(int x, int y)>;

std::vector<Value> pictures(const Taps& t, double most) {
    const auto positive = [&t](int x, int y) {
        return t.weights[static_cast<std::size_t>(y % t.height * t.width + x % t.width)] > 0;
    };
    return {[=](int, int) { return most; },
            [=](int, int) { return std::floor(most * 0.785); },
            [=](int x, int) { return x < 40 ? 0.0 : most; },
            [=](int x, int y) { return std::floor(most * (x + y) / 160.0); },
            [=](int x, int y) { return std::hypot(x - 50, y - 20) < 18 ? most : 3.0; },
            [=](int x, int y) { return positive(x, y) ? most : 0.0; },
            [=](int x, int y) { return positive(x, y) ? 0.0 : most; }};
}

}  // namespace

std::vector<ConvCase> structured_pictures() {
    Dice taps_dice(31);
    std::vector<Taps> filters;
    for (const double radius : {4.0, 12.0, 17.0, 20.0, 24.0, 27.0, 30.0})
        filters.push_back(disc(radius));
    for (const int side : {5, 9, 10, 17, 18, 33, 49, 63}) {
        filters.push_back(one_sign(taps_dice, side, side % 2 == 0 ? -1.0 : 1.0));
        filters.push_back(random_taps(taps_dice, {side, side}, false));
        filters.push_back(random_taps(taps_dice, {side, side}, true));
    }
    for (const int side : {5, 15, 31}) filters.push_back(random_factored(taps_dice, {side, side}));
    std::vector<ConvCase> out;
    for (const Taps& taps : filters) {
        for (const PixelType type : {PixelType::u8, PixelType::u8, PixelType::u16}) {
            Dice dice(static_cast<std::uint32_t>(out.size()) + 7700);
            const Image image{{97, 16}, 1, type, dice.of(kBorders)};
            ConvCase c = make_case(dice, image, {one_set(taps)});
            const double most = static_cast<double>(c.problem.max_value);
            c.problem.conv = {in_range(taps, c.problem.max_value)};
            const std::vector<Value> values = pictures(c.problem.taps(), most);
            const Value& at = values[out.size() % values.size()];
            for (int y = 0; y < image.size.height; ++y)
                for (int x = 0; x < image.size.width; ++x) c.samples.push_back(at(x, y));
            out.push_back(std::move(c));
        }
    }
    return out;
}

}  // namespace weft::test
