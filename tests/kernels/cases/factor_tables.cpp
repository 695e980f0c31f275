// Tables of taps that are known by their factors.
#include <array>
#include <cmath>

#include "filters/made_taps.h"
#include "tests/kernels/cases/case_maker.h"
#include "tests/kernels/cases/conv_table_parts.h"

namespace weft::test {

// Factored taps: small ones have dense weights too, those above 63 per side do not.
std::vector<ConvCase> factored() {
    constexpr std::array<Size, 11> kSizes = {{{3, 3},
                                              {5, 5},
                                              {9, 9},
                                              {13, 13},
                                              {12, 7},
                                              {63, 63},
                                              {101, 101},
                                              {101, 1},
                                              {1, 361},
                                              {361, 5},
                                              {511, 511}}};
    constexpr std::array<Size, 4> kImages = {{{65, 33}, {257, 9}, {31, 64}, {700, 3}}};
    std::vector<ConvCase> out;
    for (const Size size : kSizes) {
        for (const PixelType type : kTypes) {
            for (int k = 0; k < 2; ++k) {
                Dice dice(static_cast<std::uint32_t>(out.size()) + 6000);
                const Borders border = kBorders[out.size() % kBorders.size()];
                const Image image{dice.of(kImages), 1 + dice.below(4), type, border};
                std::vector<ChannelConv> conv;
                const int entries = k == 0 ? 1 : image.channels;
                conv.reserve(entries);
                for (int e = 0; e < entries; ++e)
                    conv.push_back(one_set(random_factored(dice, size)));
                ConvCase c = make_case(dice, image, conv);
                if (k == 1) move_anchor(c.problem, size.width - 1, size.height / 3);
                out.push_back(c);
            }
        }
    }
    return out;
}

// The seams again for kernels that take only factors; integer factors keep exact sums.
std::vector<ConvCase> factored_seams() {
    constexpr std::array<Size, 7> kSizes = {
        {{3, 3}, {5, 5}, {2, 4}, {9, 9}, {13, 1}, {1, 7}, {31, 15}}};
    std::vector<ConvCase> out;
    for (const int width : kWidths) {
        for (const int height : kHeights) {
            Dice dice(static_cast<std::uint32_t>(out.size()) + 6200);
            const Image image{
                {width, height}, 1 + dice.below(4), dice.of(kTypes), dice.of(kBorders)};
            const Size size = dice.of(kSizes);
            const Taps taps = dice.below(2) == 0
                                  ? random_factored(dice, size)
                                  : separable_taps(small_integers(dice, size.width),
                                                   small_integers(dice, size.height));
            out.push_back(make_case(dice, image, {one_set(taps)}));
        }
    }
    return out;
}

// Unequal numbers of factors about the sizes of unrolled kernels, in all channels and anchors.
std::vector<ConvCase> factored_rectangles() {
    constexpr std::array kLonger = {4, 6, 9, 11, 13, 17, 18, 24, 25, 33, 34, 41, 48, 57, 65, 66};
    constexpr std::array<Size, 4> kImages = {{{150, 30}, {70, 61}, {261, 25}, {9, 50}}};
    // Has blocks whose windows are inside the image, whatever the taps.
    constexpr Size kLarge{270, 140};
    std::vector<ConvCase> out;
    for (const PixelType type : kTypes) {
        for (const int longer : kLonger) {
            for (int channels = 1; channels <= 4; ++channels) {
                Dice dice(static_cast<std::uint32_t>(out.size()) + 6900);
                const int shorter = 1 + dice.below(longer);
                const Size size =
                    dice.below(2) == 0 ? Size{longer, shorter} : Size{shorter, longer};
                const bool large = type == PixelType::u16 && (longer > 40 || channels == 4);
                const Image image{large ? kLarge : dice.of(kImages), channels, type,
                                  dice.of(kBorders)};
                ConvCase c = make_case(dice, image, {one_set(random_factored(dice, size))});
                if (!large) move_anchor(c.problem, dice.below(size.width), dice.below(size.height));
                out.push_back(c);
            }
        }
    }
    return out;
}

// Factors far from one, which the scale brings back: nothing may overflow or lose bits between.
std::vector<ConvCase> scaled_factors() {
    constexpr std::array kExponents = {-45, -25, -22, 0, 22, 25, 45};
    constexpr std::array kSides = {3, 9, 15, 21};
    const auto times = [](std::vector<float> factors, int exponent) {
        for (float& f : factors) f = std::ldexp(f, exponent);
        return factors;
    };
    std::vector<ConvCase> out;
    for (const PixelType type : kTypes) {
        for (const int row : kExponents) {
            for (const int column : kExponents) {
                Dice dice(static_cast<std::uint32_t>(out.size()) + 6700);
                const int side = dice.of(kSides);
                const Taps taps = random_factored(dice, {side, side});
                const Image image{{140, 37}, 1, type, dice.of(kBorders)};
                ConvCase c = make_case(dice, image, {one_set(taps)});
                ChannelConv& conv = c.problem.conv.front();
                conv.taps = {separable_taps(times(taps.row, row), times(taps.column, column))};
                conv.scale = std::ldexp(conv.scale, -row - column);
                out.push_back(c);
            }
        }
    }
    return out;
}

// Symmetric and antisymmetric factors: OpenCV has special loops for them.
std::vector<ConvCase> symmetric_factors() {
    const std::vector<std::vector<float>> rows = {
        {1, 2, 1},
        {1, -2, 1},
        {-1, 0, 1},
        {1, 4, 6, 4, 1},
        {-1, -2, 0, 2, 1},
        {1, 1, 1, 1, 1, 1, 1},
        {0.25F, 0.5F, 0.25F},
        {0.1F, 0.2F, 0.4F, 0.2F, 0.1F},
        {0.125F, 0.125F, 0.125F, 0.125F, 0.125F, 0.125F, 0.125F, 0.125F}};
    std::vector<ConvCase> out;
    for (const std::vector<float>& row : rows) {
        for (const std::vector<float>& column : rows) {
            Dice dice(static_cast<std::uint32_t>(out.size()) + 6500);
            const Image image{{70, 13}, 1 + dice.below(3), dice.of(kTypes), dice.of(kBorders)};
            out.push_back(make_case(dice, image, {one_set(separable_taps(row, column))}));
        }
    }
    return out;
}

// Gaussians by their sigmas. The factors end at 6 sigma, so that they are the whole Gaussian.
std::vector<ConvCase> large_gaussians() {
    struct Sigmas {
        double x, y;
    };
    constexpr std::array<Sigmas, 8> kSigmas = {
        {{4, 4}, {12, 12}, {20, 7}, {6.3, 33}, {42, 42}, {15, 0}, {0, 25}, {2, 40}}};
    constexpr std::array<Size, 6> kImages = {
        {{97, 61}, {33, 150}, {260, 20}, {64, 64}, {5, 9}, {1, 1}}};
    const auto radius = [](double sigma) { return static_cast<int>(std::ceil(6 * sigma)); };
    std::vector<ConvCase> out;
    for (const Sigmas s : kSigmas) {
        for (const Borders border : kBorders) {
            Dice dice(static_cast<std::uint32_t>(out.size()) + 7100);
            const Image image{dice.of(kImages), 1 + dice.below(4), kTypes[out.size() % 3], border};
            const Taps taps = gaussian_taps(s.x, s.y, radius(s.x), radius(s.y));
            std::vector<ChannelConv> conv(dice.below(2) == 0 ? 1 : image.channels, one_set(taps));
            if (conv.size() > 1)
                conv.back() = one_set(padded_taps(identity_taps(), taps.width, taps.height,
                                                  taps.anchor_x, taps.anchor_y));
            out.push_back(make_case(dice, image, conv));
        }
    }
    return out;
}

// Sobel as the filter makes it: small exact integers, factors known, both matrices odd functions;
// without and with a scale and a bias.
std::vector<ConvCase> sobel() {
    std::vector<ConvCase> out;
    for (const PixelType type : kTypes) {
        for (const Borders border : kBorders) {
            Dice dice(static_cast<std::uint32_t>(out.size()) + 4500);
            ChannelConv conv = one_set(separable_taps({-1, 0, 1}, {1, 2, 1}));
            conv.taps.push_back(separable_taps({1, 2, 1}, {-1, 0, 1}));
            for (const int width : {1021, 261}) {  // the lane models take narrow images only
                ConvCase c = make_case(dice, {{width, 9}, 1, type, border}, {conv});
                c.problem.combine = Combine::magnitude;
                out.push_back(c);
                c.problem.conv.front().scale = 1.0F;
                c.problem.conv.front().bias = 0.0F;
                out.push_back(c);
            }
        }
    }
    return out;
}

}  // namespace weft::test
