// Tables that vary the image: sizes at the seams, layouts, long sides.
#include <array>

#include "tests/kernels/cases/case_maker.h"
#include "tests/kernels/cases/conv_table_parts.h"

namespace weft::test {

// Every width with every height, small taps; type, channels, border and layout vary too.
std::vector<ConvCase> seams() {
    constexpr std::array<Size, 7> kSmall = {
        {{3, 3}, {5, 5}, {2, 2}, {7, 3}, {1, 3}, {3, 1}, {4, 4}}};
    std::vector<ConvCase> out;
    for (const PixelType type : kTypes) {
        for (const int width : kWidths) {
            for (const int height : kHeights) {
                Dice dice(static_cast<std::uint32_t>(out.size()) + 1000);
                const Image image{{width, height}, 1 + dice.below(4), type, dice.of(kBorders)};
                const bool integers = dice.below(2) == 0;
                out.push_back(make_case(dice, image,
                                        {one_set(random_taps(dice, dice.of(kSmall), integers))}));
            }
        }
    }
    return out;
}

// Images smaller than the taps: the border repeats several times.
std::vector<ConvCase> tiny_images() {
    constexpr std::array<Size, 8> kImages = {
        {{1, 1}, {2, 1}, {1, 2}, {2, 2}, {3, 5}, {7, 5}, {1, 40}, {40, 1}}};
    constexpr std::array<Size, 5> kSizes = {{{3, 3}, {31, 31}, {63, 63}, {1, 63}, {8, 8}}};
    std::vector<ConvCase> out;
    for (const Size image_size : kImages) {
        for (const Size size : kSizes) {
            for (const Borders border : kBorders) {
                Dice dice(static_cast<std::uint32_t>(out.size()) + 7000);
                const Image image{image_size, 1 + dice.below(4), dice.of(kTypes), border};
                ConvCase c =
                    make_case(dice, image, {one_set(random_taps(dice, size, dice.below(2) == 0))});
                if (dice.below(2) == 0)
                    move_anchor(c.problem, dice.below(size.width), dice.below(size.height));
                out.push_back(c);
            }
        }
    }
    return out;
}

// Every layout of source and output with every type and channel count.
std::vector<ConvCase> layouts() {
    std::vector<ConvCase> out;
    for (const Layout source : kLayouts) {
        for (const Layout output : kLayouts) {
            for (const PixelType type : kTypes) {
                for (int channels = 1; channels <= 4; ++channels) {
                    Dice dice(static_cast<std::uint32_t>(out.size()) + 8000);
                    const Image image{{37, 19}, channels, type, dice.of(kBorders)};
                    ConvCase c = make_case(
                        dice, image, {one_set(random_taps(dice, {5, 5}, dice.below(2) == 0))});
                    c.source_layout = source;
                    c.output_layout = output;
                    out.push_back(c);
                }
            }
        }
    }
    return out;
}

// Every odd square of taps up to 17 per side on fp32 of one channel, and up to 9 of several: forms
// of kernels made for them count in rows of 128 samples and steps of rows.
std::vector<ConvCase> fp32_squares() {
    constexpr std::array<Size, 8> kImages = {
        {{1, 1}, {5, 2}, {126, 41}, {127, 9}, {129, 33}, {261, 40}, {385, 17}, {128, 4}}};
    std::vector<ConvCase> out;
    for (int side = 3; side <= 17; side += 2) {
        for (const Borders border : kBorders) {
            for (const Size size : kImages) {
                Dice dice(static_cast<std::uint32_t>(out.size()) + 8500);
                const Taps taps = random_taps(dice, {side, side}, dice.below(2) == 0);
                ChannelConv conv = one_set(taps);
                if (dice.below(2) == 0) conv.scale = 0.75F;
                if (dice.below(2) == 0) conv.bias = -2.5F;
                out.push_back(make_case(dice, {size, 1, PixelType::f32, border}, {conv}));
            }
        }
    }
    for (int side = 3; side <= 9; side += 2) {
        for (int channels = 2; channels <= 4; ++channels) {
            for (const Size size : {Size{67, 31}, Size{129, 18}, Size{5, 2}}) {
                Dice dice(static_cast<std::uint32_t>(out.size()) + 8500);
                const ChannelConv conv = one_set(random_taps(dice, {side, side}, false));
                const Image image{size, channels, PixelType::f32, dice.of(kBorders)};
                out.push_back(make_case(dice, image, {conv}));
            }
        }
    }
    return out;
}

// Sides above 65,535: the largest grid height of CUDA, and the limit of 16-bit arithmetic.
std::vector<ConvCase> long_sides() {
    std::vector<ConvCase> out;
    for (const Size size : {Size{3, 70000}, Size{70000, 3}}) {
        for (const Size taps : {Size{3, 3}, Size{5, 5}, Size{1, 9}}) {
            Dice dice(static_cast<std::uint32_t>(out.size()) + 9000);
            out.push_back(make_case(dice, {size, 1, PixelType::u8, Border::reflect101},
                                    {one_set(random_taps(dice, taps, true))}));
        }
    }
    return out;
}

// Over 2^25 samples, and more rows and columns than 65535 blocks of 8. The oracle takes some 4 GB
// and 10 s for one of the largest.
std::vector<ConvCase> largest_sizes() {
    constexpr int kLong = 65535 * 8 + 9;
    std::vector<ConvCase> out;
    const auto add = [&out](Size size, int channels, PixelType type, const auto& conv) {
        Dice dice(static_cast<std::uint32_t>(out.size()) + 9700);
        const Borders border = kBorders.at(out.size() % kBorders.size());
        ConvCase c = make_case(dice, {size, channels, type, border}, conv(dice));
        if (c.problem.conv.front().taps.size() == 2) c.problem.combine = Combine::magnitude;
        out.push_back(std::move(c));
    };
    const auto integers = [](Dice& dice) {
        return std::vector{one_set(random_taps(dice, {3, 3}, true))};
    };
    const auto fractions = [](Dice& dice) {
        return std::vector{one_set(random_taps(dice, {5, 5}, false))};
    };
    const auto factors = [](Dice& dice) {
        return std::vector{one_set(random_factored(dice, {9, 7}))};
    };
    const auto pair = [](Dice& dice) { return several_sets(dice, {3, 3}, 2, 1); };
    add({8193, 4321}, 1, PixelType::u8, integers);
    add({8193, 4321}, 1, PixelType::u16, factors);
    add({8193, 4321}, 1, PixelType::f32, fractions);
    add({8193, 4321}, 1, PixelType::u8, pair);
    for (const Size size : {Size{5, kLong}, Size{kLong, 5}}) {
        add(size, 3, PixelType::u8, fractions);
        add(size, 1, PixelType::u16, integers);
        add(size, 1, PixelType::f32, factors);
        add(size, 1, PixelType::u16, pair);
    }
    return out;
}

}  // namespace weft::test
