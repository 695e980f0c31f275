#include "tests/kernels/conv_tables.h"

#include <array>
#include <cmath>

#include "tests/kernels/dice.h"

namespace weft::test {

namespace {

constexpr std::array kBorders = {Border::reflect101, Border::reflect, Border::replicate,
                                 Border::wrap, Border::constant};
constexpr std::array kTypes = {PixelType::u8, PixelType::u16, PixelType::f32};

struct Size {
    int width = 1, height = 1;
};

// Tile and warp seams ± 1, a prime; and the heights at which strips and unrolled loops end.
constexpr std::array kWidths = {1,  2,   3,   31,  32,  33,  63,  64,
                                65, 127, 128, 129, 255, 256, 257, 1021};
constexpr std::array kHeights = {1, 2, 3, 7, 8, 9, 31, 33, 64};
constexpr std::array<Size, 20> kTapSizes = {{{1, 1},   {1, 3},   {3, 1},   {2, 2},   {3, 3},
                                             {4, 4},   {5, 5},   {7, 3},   {6, 8},   {8, 8},
                                             {9, 9},   {11, 11}, {12, 12}, {13, 13}, {15, 15},
                                             {21, 17}, {31, 31}, {63, 63}, {1, 63},  {63, 1}}};

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

Taps random_taps(Dice& dice, Size size, bool integers) {
    return dense_taps(size.width, size.height, weights(dice, size.width * size.height, integers));
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

// Factors with Σ|f| of at most 15, so that the product of two keeps u16 sums exact.
std::vector<float> small_integers(Dice& dice, int count) {
    std::vector<float> f(count, 0.0F);
    for (int k = 0; k < 15; ++k) f[dice.below(count)] += dice.below(3) == 0 ? -1.0F : 1.0F;
    return f;
}

Taps random_factored(Dice& dice, Size size) {
    return separable_taps(bell(dice, size.width), bell(dice, size.height));
}

void move_anchor(ConvProblem& p, int x, int y) {
    for (ChannelConv& conv : p.conv) {
        for (Taps& t : conv.taps) {
            t.anchor_x = x;
            t.anchor_y = y;
        }
    }
}

struct Image {
    Size size;
    int channels = 1;
    PixelType type = PixelType::u8;
    Border border = Border::reflect101;
};

// Sums of large integer weights would saturate nearly everywhere and hide errors.
void bring_into_range(ConvProblem& p) {
    for (ChannelConv& conv : p.conv) {
        if (conv.scale != 1.0F || conv.bias != 0.0F) continue;
        conv.scale = static_cast<float>(1.0 / std::max(1.0, absolute_sum(conv.taps.front())));
        conv.bias = p.max_value * 0.25F;
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

ChannelConv one_set(Taps taps) {
    return {.taps = {std::move(taps)}, .scale = 1.0F, .bias = 0.0F};
}

// Every width with every height, small taps; type, channels, border and layout vary along.
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

// Every tap size with every border and type, anchors at the centre, in corners and anywhere.
std::vector<ConvCase> tap_sizes() {
    constexpr std::array<Size, 6> kImages = {
        {{33, 9}, {65, 31}, {129, 17}, {31, 64}, {257, 8}, {64, 33}}};
    std::vector<ConvCase> out;
    for (const Size size : kTapSizes) {
        for (const Border border : kBorders) {
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

// One matrix per channel; the last channel passes through, as alpha does.
std::vector<ConvCase> per_channel() {
    constexpr std::array<Size, 4> kSizes = {{{3, 3}, {5, 5}, {4, 7}, {13, 13}}};
    std::vector<ConvCase> out;
    for (const PixelType type : kTypes) {
        for (const Border border : kBorders) {
            for (int channels = 2; channels <= 4; ++channels) {
                Dice dice(static_cast<std::uint32_t>(out.size()) + 3000);
                const Size size = dice.of(kSizes);
                std::vector<ChannelConv> conv;
                for (int c = 0; c + 1 < channels; ++c) {
                    conv.push_back(one_set(random_taps(dice, size, c % 2 == 0)));
                    conv.back().scale = static_cast<float>(c + 1) * 0.25F;
                    conv.back().bias = static_cast<float>(c) * 3.5F;
                }
                const Taps& first = conv.front().taps.front();
                conv.push_back(one_set(padded_taps(identity_taps(), size.width, size.height,
                                                   first.anchor_x, first.anchor_y)));
                out.push_back(make_case(dice, {{67, 29}, channels, type, border}, conv));
            }
        }
    }
    return out;
}

std::vector<ChannelConv> several_sets(Dice& dice, Size size, int sets, int entries) {
    std::vector<ChannelConv> out(entries);
    for (ChannelConv& conv : out)
        for (int k = 0; k < sets; ++k)
            conv.taps.push_back(random_taps(dice, size, dice.below(2) == 0));
    return out;
}

// Magnitudes and maxima of two to sixteen tap sets, shared and per channel.
std::vector<ConvCase> combined() {
    constexpr std::array<Size, 5> kSizes = {{{3, 3}, {2, 2}, {5, 5}, {7, 3}, {12, 12}}};
    std::vector<ConvCase> out;
    for (const PixelType type : kTypes) {
        for (const Border border : kBorders) {
            for (const int sets : {2, 2, 3, 3, 5, 8, 16, 16}) {
                Dice dice(static_cast<std::uint32_t>(out.size()) + 4000);
                const Image image{{129, 31}, 1 + dice.below(4), type, border};
                const int entries = dice.below(3) == 0 ? image.channels : 1;
                ConvCase c =
                    make_case(dice, image, several_sets(dice, dice.of(kSizes), sets, entries));
                const bool magnitude = out.size() % 2 == 0;
                c.problem.combine = magnitude ? Combine::magnitude : Combine::maximum;
                if (magnitude) c.problem.conv.front().scale = 0.03F;
                out.push_back(c);
            }
        }
    }
    return out;
}

// Sums over all channels: alone and combined, taps shared and of each channel's own.
std::vector<ConvCase> summed_channels() {
    constexpr std::array<Size, 6> kSizes = {{{3, 3}, {5, 5}, {7, 7}, {11, 11}, {4, 6}, {1, 13}}};
    std::vector<ConvCase> out;
    for (const PixelType type : kTypes) {
        for (const Border border : kBorders) {
            for (const int sets : {1, 1, 2, 3, 16, 16}) {
                Dice dice(static_cast<std::uint32_t>(out.size()) + 4800);
                const Image image{{131, 21}, 1 + dice.below(4), type, border};
                const int entries = dice.below(4) == 0 ? 1 : image.channels;
                ConvCase c =
                    make_case(dice, image, several_sets(dice, dice.of(kSizes), sets, entries));
                c.problem.sums_channels = true;
                if (sets > 1)
                    c.problem.combine = out.size() % 2 == 0 ? Combine::magnitude : Combine::maximum;
                c.problem.conv.front().scale *= 0.4F;
                out.push_back(c);
            }
        }
    }
    return out;
}

// Sobel as the filter makes it: small exact integers, factors known, both matrices odd functions.
std::vector<ConvCase> sobel() {
    std::vector<ConvCase> out;
    for (const PixelType type : kTypes) {
        for (const Border border : kBorders) {
            Dice dice(static_cast<std::uint32_t>(out.size()) + 4500);
            ChannelConv conv = one_set(separable_taps({-1, 0, 1}, {1, 2, 1}));
            conv.taps.push_back(separable_taps({1, 2, 1}, {-1, 0, 1}));
            ConvCase c = make_case(dice, {{1021, 9}, 1, type, border}, {conv});
            c.problem.combine = Combine::magnitude;
            out.push_back(c);
        }
    }
    return out;
}

// Scale and bias: ties, negative results, saturation at both ends, huge and zero scales.
std::vector<ConvCase> finishes() {
    struct Finish {
        float scale, bias;
    };
    constexpr std::array<Finish, 10> kFinishes = {{{1.0F, 0.0F},
                                                   {0.5F, 0.0F},
                                                   {0.25F, 0.5F},
                                                   {1.0F / 25.0F, 0.0F},
                                                   {-1.0F, 255.0F},
                                                   {1.5F, -3.25F},
                                                   {0.0F, 128.5F},
                                                   {1e4F, 0.0F},
                                                   {1.0F / 3.0F, 1e-3F},
                                                   {1.0F, 1e6F}}};
    std::vector<ConvCase> out;
    for (const Finish& finish : kFinishes) {
        for (const PixelType type : kTypes) {
            for (const float max_value : {255.0F, 1023.0F, 4095.0F, 65535.0F}) {
                if (max_value > 255.0F && type != PixelType::u16) continue;
                Dice dice(static_cast<std::uint32_t>(out.size()) + 5000);
                ChannelConv conv = one_set(random_taps(dice, {5, 5}, out.size() % 3 != 0));
                conv.scale = finish.scale;
                conv.bias = finish.bias;
                ConvCase c =
                    make_case(dice, {{130, 11}, 1 + dice.below(4), type, Border::wrap}, {conv});
                c.problem.max_value = max_value;
                out.push_back(c);
            }
        }
    }
    return out;
}

// Taps known by factors: small ones with dense weights too, and those past 63 a side without.
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
                const Border border = kBorders[out.size() % kBorders.size()];
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

// Symmetric and antisymmetric factors: OpenCV has loops of their own for them.
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

// Images smaller than the taps: the border repeats several times.
std::vector<ConvCase> tiny_images() {
    constexpr std::array<Size, 8> kImages = {
        {{1, 1}, {2, 1}, {1, 2}, {2, 2}, {3, 5}, {7, 5}, {1, 40}, {40, 1}}};
    constexpr std::array<Size, 5> kSizes = {{{3, 3}, {31, 31}, {63, 63}, {1, 63}, {8, 8}}};
    std::vector<ConvCase> out;
    for (const Size image_size : kImages) {
        for (const Size size : kSizes) {
            for (const Border border : kBorders) {
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

// Every odd square of taps up to 17 a side on fp32 of one channel: forms of kernels made for it
// count in rows of 128 samples and steps of rows.
std::vector<ConvCase> fp32_squares() {
    constexpr std::array<Size, 8> kImages = {
        {{1, 1}, {5, 2}, {126, 41}, {127, 9}, {129, 33}, {261, 40}, {385, 17}, {128, 4}}};
    std::vector<ConvCase> out;
    for (int side = 3; side <= 17; side += 2) {
        for (const Border border : kBorders) {
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
    return out;
}

// Past 65,535 in a side: the largest grid height of CUDA, and of 16-bit arithmetic.
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

// Zeros but for `count` places, which may coincide.
Taps few_taps(Dice& dice, Size size, int count) {
    std::vector<float> w(static_cast<std::size_t>(size.width) * size.height, 0.0F);
    for (int k = 0; k < count; ++k)
        w[static_cast<std::size_t>(dice.below(size.width * size.height))] =
            static_cast<float>((dice.fraction() * 1.5 - 0.5) * 4.0 / count);
    return dense_taps(size.width, size.height, w);
}

// Taps of one value, as the box filter makes them and in all other forms that mean the same.
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
    return out;
}

// Few taps in large frames, one set and several, shared and for each channel; in every fifth case
// none at all.
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

constexpr std::array<ConvTable, 17> kTables = {{
    {"Seams", seams},
    {"TapSizes", tap_sizes},
    {"PerChannel", per_channel},
    {"Combined", combined},
    {"SummedChannels", summed_channels},
    {"Sobel", sobel},
    {"Finishes", finishes},
    {"Factored", factored},
    {"FactoredSeams", factored_seams},
    {"Boxes", boxes},
    {"SymmetricFactors", symmetric_factors},
    {"TinyImages", tiny_images},
    {"Layouts", layouts},
    {"Fp32Squares", fp32_squares},
    {"LongSides", long_sides},
    {"LargestExactSums", largest_exact_sums},
    {"SparseTaps", sparse_taps},
}};

}  // namespace

std::span<const ConvTable> conv_tables() {
    return kTables;
}

std::vector<const ConvTable*> all_tables() {
    std::vector<const ConvTable*> out;
    out.reserve(kTables.size());
    for (const ConvTable& table : conv_tables()) out.push_back(&table);
    return out;
}

std::vector<ConvCase> sanitizer_cases() {
    constexpr std::array<Size, 9> kSizes = {
        {{1, 1}, {3, 3}, {4, 4}, {5, 5}, {9, 9}, {15, 15}, {17, 33}, {63, 1}, {40, 63}}};
    std::vector<ConvCase> out;
    for (const Size size : kSizes) {
        for (const PixelType type : kTypes) {
            for (int channels = 1; channels <= 4; ++channels) {
                Dice dice(static_cast<std::uint32_t>(out.size()) + 9900);
                const Image image{{75, 37}, channels, type, dice.of(kBorders)};
                const int sets = std::array{1, 1, 2, 16}[out.size() % 4];
                const int entries = dice.below(2) == 0 ? 1 : channels;
                ConvCase c = make_case(dice, image, several_sets(dice, size, sets, entries));
                if (sets == 2) c.problem.combine = Combine::magnitude;
                if (sets == 16) c.problem.combine = Combine::maximum;
                if (sets == 1 && out.size() % 8 < 4)
                    c.problem.conv = {one_set(random_factored(dice, size))};
                out.push_back(c);
            }
        }
    }
    const std::vector<ConvCase> summed = summed_channels();
    for (std::size_t k = 0; k < summed.size(); k += 13) out.push_back(summed[k]);
    return out;
}

bool row_takes(const ConvKernel& row, const Device& device, const ConvCase& c) {
    return why_cannot(row, c.problem, device).empty();
}

}  // namespace weft::test
