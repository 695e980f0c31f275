// Tables that vary dense taps: sizes, few of them, one value, sums at the edge of exactness.
#include <array>
#include <cmath>

#include "tests/kernels/cases/case_maker.h"
#include "tests/kernels/cases/conv_table_parts.h"

namespace weft::test {

namespace {

constexpr std::array<Size, 20> kTapSizes = {{{1, 1},   {1, 3},   {3, 1},   {2, 2},   {3, 3},
                                             {4, 4},   {5, 5},   {7, 3},   {6, 8},   {8, 8},
                                             {9, 9},   {11, 11}, {12, 12}, {13, 13}, {15, 15},
                                             {21, 17}, {31, 31}, {63, 63}, {1, 63},  {63, 1}}};

// Zeros except at `count` places, which may coincide.
Taps few_taps(Dice& dice, Size size, int count) {
    std::vector<float> w(static_cast<std::size_t>(size.width) * size.height, 0.0F);
    for (int k = 0; k < count; ++k)
        w[static_cast<std::size_t>(dice.below(size.width * size.height))] =
            static_cast<float>((dice.fraction() * 1.5 - 0.5) * 4.0 / count);
    return dense_taps(size.width, size.height, w);
}

// One channel keeps its samples.
void pass_one_channel(Dice& dice, ConvProblem& p) {
    const Taps& t = p.taps();
    const ChannelConv pass =
        one_set(padded_taps(identity_taps(), t.width, t.height, t.anchor_x, t.anchor_y));
    p.conv.resize(static_cast<std::size_t>(p.channels), p.conv.front());
    p.conv[static_cast<std::size_t>(dice.below(p.channels))] = pass;
}

}  // namespace

// Every tap size with every border and type, anchors at the centre, in corners and anywhere.
std::vector<ConvCase> tap_sizes() {
    constexpr std::array<Size, 6> kImages = {
        {{33, 9}, {65, 31}, {129, 17}, {31, 64}, {257, 8}, {64, 33}}};
    std::vector<ConvCase> out;
    for (const Size size : kTapSizes) {
        for (const Borders border : kBorders) {
            for (const PixelType type : kTypes) {
                Dice dice(static_cast<std::uint32_t>(out.size()) + 2000);
                const int channels = size.width * size.height > 300 ? 1 : 1 + dice.below(4);
                const Image image{dice.of(kImages), channels, type, border};
                const bool integers = dice.below(2) == 0;
                ConvCase c = make_case(dice, image, {one_set(random_taps(dice, size, integers))});
                const int anchors = static_cast<int>(out.size()) % 4;
                if (anchors == 1) move_anchor(c.problem, 0, size.height - 1);
                if (anchors == 2) move_anchor(c.problem, size.width - 1, 0);
                if (anchors == 3)
                    move_anchor(c.problem, dice.below(size.width), dice.below(size.height));
                out.push_back(c);
            }
        }
    }
    return out;
}

// Integer sums just under 2^24, where fp32 is still exact and a DFT or a float intermediate
// would not be.
std::vector<ConvCase> largest_exact_sums() {
    std::vector<ConvCase> out;
    for (const Size size : {Size{11, 11}, Size{12, 12}, Size{31, 31}, Size{63, 63}}) {
        for (const PixelType type : {PixelType::u8, PixelType::u16}) {
            for (const float sign : {1.0F, -1.0F}) {
                Dice dice(static_cast<std::uint32_t>(out.size()) + 9500);
                const int count = size.width * size.height;
                const float each = std::floor(16777215.0F / 255.0F / static_cast<float>(count));
                std::vector<float> w(count, each);
                for (int i = 0; i < count; i += 2) w[i] *= sign;
                ChannelConv conv = one_set(dense_taps(size.width, size.height, w));
                conv.scale = 1.0F / 65536.0F;
                conv.bias = sign > 0 ? 0.0F : 100.0F;
                ConvCase c = make_case(dice, {{100, 21}, 1, type, Border::reflect}, {conv});
                c.problem.max_value = 255.0F;
                out.push_back(c);
            }
        }
    }
    return out;
}

// Taps of one value, as the box filter makes them and in all equivalent forms.
std::vector<ConvCase> boxes() {
    constexpr std::array<Size, 16> kSizes = {{{1, 1},
                                              {2, 2},
                                              {5, 5},
                                              {31, 3},
                                              {3, 31},
                                              {16, 17},
                                              {63, 63},
                                              {64, 100},
                                              {101, 101},
                                              {200, 1},
                                              {1, 129},
                                              {255, 120},
                                              {257, 300},
                                              {1, 511},
                                              {511, 1},
                                              {511, 511}}};
    constexpr std::array<Size, 4> kImages = {{{300, 40}, {67, 70}, {1021, 5}, {530, 33}}};
    std::vector<ConvCase> out;
    for (const Size size : kSizes) {
        for (const PixelType type : kTypes) {
            for (int k = 0; k < 4; ++k) {
                Dice dice(static_cast<std::uint32_t>(out.size()) + 9600);
                const bool dense = k == 1 && size.width <= 63 && size.height <= 63;
                const float each = k == 2 ? 1.0F / static_cast<float>(size.width) : 1.0F;
                const std::vector<float> row(static_cast<std::size_t>(size.width), each);
                const std::vector<float> column(static_cast<std::size_t>(size.height),
                                                k == 3 ? -0.25F : 1.0F);
                Taps taps = separable_taps(row, column);
                if (dense) taps = dense_taps(size.width, size.height, taps.weights);
                ChannelConv conv = one_set(taps);
                conv.scale = k == 3 ? -0.5F : static_cast<float>(1.0 / absolute_sum(taps));
                ConvCase c = make_case(
                    dice, {dice.of(kImages), 1 + dice.below(4), type, dice.of(kBorders)}, {conv});
                if (k % 2 == 1)
                    move_anchor(c.problem, dice.below(size.width), dice.below(size.height));
                out.push_back(c);
            }
        }
    }
    // The sizes at which unrolled kernels change their form.
    for (const int side : {3, 7, 15, 17, 33}) {
        for (const PixelType type : kTypes) {
            for (const Size image : kImages) {
                Dice dice(static_cast<std::uint32_t>(out.size()) + 9600);
                const std::vector<float> ones(static_cast<std::size_t>(side), 1.0F);
                ChannelConv conv = one_set(separable_taps(ones, ones));
                conv.scale = 1.0F / static_cast<float>(side * side);
                out.push_back(make_case(dice, {image, 1, type, dice.of(kBorders)}, {conv}));
            }
        }
    }
    return out;
}

// Boxes of any size and anchor at the seams of the images; and pictures whose columns are full or
// empty, with the sizes about which sums no longer fit 16 or 32 bits.
std::vector<ConvCase> box_seams() {
    std::vector<ConvCase> out;
    const auto box_of = [](Size size) {
        const std::vector<float> row(static_cast<std::size_t>(size.width), 1.0F);
        const std::vector<float> column(static_cast<std::size_t>(size.height), 1.0F);
        ChannelConv conv = one_set(separable_taps(row, column));
        conv.scale = static_cast<float>(1.0 / (size.width * size.height));
        return conv;
    };
    for (const int width : kWidths) {
        for (const int height : kHeights) {
            for (const int reach : {17, 40}) {
                Dice dice(static_cast<std::uint32_t>(out.size()) + 9700);
                const Image image{
                    {width, height}, 1 + dice.below(4), dice.of(kTypes), dice.of(kBorders)};
                const Size size{1 + dice.below(reach), 1 + dice.below(reach)};
                ConvCase c = make_case(dice, image, {box_of(size)});
                move_anchor(c.problem, dice.below(size.width), dice.below(size.height));
                if (dice.below(3) == 0) pass_one_channel(dice, c.problem);
                out.push_back(c);
            }
        }
    }
    constexpr std::array<Size, 11> kFull = {{{3, 64},
                                             {3, 65},
                                             {2, 128},
                                             {3, 129},
                                             {16, 16},
                                             {1, 257},
                                             {257, 1},
                                             {15, 17},
                                             {300, 64},
                                             {181, 181},
                                             {182, 181}}};
    for (const Size size : kFull) {
        for (const PixelType type : kTypes) {
            for (const int channels : {1, 3}) {
                Dice dice(static_cast<std::uint32_t>(out.size()) + 9750);
                ConvCase c =
                    make_case(dice, {{97, 9}, channels, type, dice.of(kBorders)}, {box_of(size)});
                const double most = type == PixelType::f32 ? 1.0 : c.problem.max_value;
                const int stripe = 1 + dice.below(size.width);
                for (int k = 0; k < 97 * 9 * channels; ++k)
                    c.samples.push_back(k / channels % 97 / stripe % 2 == 0 ? most : 0);
                out.push_back(c);
            }
        }
    }
    return out;
}

// Few taps in large frames, one set and several, shared and per channel; every fifth case has none
// at all.
std::vector<ConvCase> sparse_taps() {
    constexpr std::array<Size, 8> kSizes = {
        {{1, 1}, {9, 9}, {17, 5}, {33, 31}, {63, 63}, {63, 1}, {2, 60}, {12, 40}}};
    constexpr std::array<Size, 4> kImages = {{{127, 33}, {420, 100}, {400, 99}, {45, 70}}};
    std::vector<ConvCase> out;
    for (const Size size : kSizes) {
        for (const PixelType type : kTypes) {
            for (int k = 0; k < 5; ++k) {
                Dice dice(static_cast<std::uint32_t>(out.size()) + 9800);
                const bool large = size.width * size.height > 2000;
                const Size image = large ? Size{300, 35} : dice.of(kImages);
                const int channels = 1 + dice.below(4);
                const int sets = std::array{1, 1, 2, 1, 3}[static_cast<std::size_t>(k)];
                std::vector<ChannelConv> conv(k == 3 ? channels : 1);
                for (ChannelConv& c : conv)
                    for (int s = 0; s < sets; ++s)
                        c.taps.push_back(few_taps(dice, size, k == 1 ? 0 : 1 + dice.below(9)));
                ConvCase c =
                    make_case(dice, {image, channels, type, dice.of(kBorders)}, std::move(conv));
                if (sets > 1) c.problem.combine = k == 2 ? Combine::magnitude : Combine::maximum;
                move_anchor(c.problem, dice.below(size.width), dice.below(size.height));
                out.push_back(c);
            }
        }
    }
    return out;
}

}  // namespace weft::test
