// Tables that vary the use of sums: matrices per channel, several combined, scale and bias.
#include <array>
#include <utility>

#include "tests/kernels/cases/case_maker.h"
#include "tests/kernels/cases/conv_table_parts.h"

namespace weft::test {

// One matrix per channel; the last channel passes through, as alpha does.
std::vector<ConvCase> per_channel() {
    constexpr std::array<Size, 4> kSizes = {{{3, 3}, {5, 5}, {4, 7}, {13, 13}}};
    std::vector<ConvCase> out;
    for (const PixelType type : kTypes) {
        for (const Borders border : kBorders) {
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

// Magnitudes and maxima of two to sixteen tap sets, shared and per channel.
std::vector<ConvCase> combined() {
    constexpr std::array<Size, 5> kSizes = {{{3, 3}, {2, 2}, {5, 5}, {7, 3}, {12, 12}}};
    std::vector<ConvCase> out;
    for (const PixelType type : kTypes) {
        for (const Borders border : kBorders) {
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

// The same dense taps for three or four channels, from the smallest to the widest.
std::vector<ConvCase> colour_matrices() {
    constexpr std::array<Size, 14> kSizes = {{{4, 1},
                                              {5, 5},
                                              {7, 6},
                                              {9, 9},
                                              {10, 3},
                                              {12, 12},
                                              {17, 17},
                                              {18, 2},
                                              {24, 11},
                                              {31, 9},
                                              {33, 33},
                                              {41, 4},
                                              {49, 15},
                                              {50, 3}}};
    constexpr std::array<Size, 4> kColourImages = {{{67, 33}, {130, 19}, {64, 40}, {5, 2}}};
    std::vector<ConvCase> out;
    for (const Size taps : kSizes) {
        for (int channels = 3; channels <= 4; ++channels) {
            for (const Borders border : kBorders) {
                Dice dice(static_cast<std::uint32_t>(out.size()) + 3600);
                const Image image{dice.of(kColourImages), channels, PixelType::u8, border};
                const bool whole = out.size() % 2 == 0;
                out.push_back(make_case(dice, image, {one_set(random_taps(dice, taps, whole))}));
            }
        }
    }
    return out;
}

// Sums over all channels: alone and combined, with shared and per-channel taps.
std::vector<ConvCase> summed_channels() {
    constexpr std::array<Size, 6> kSizes = {{{3, 3}, {5, 5}, {7, 7}, {11, 11}, {4, 6}, {1, 13}}};
    std::vector<ConvCase> out;
    for (const PixelType type : kTypes) {
        for (const Borders border : kBorders) {
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

}  // namespace weft::test
