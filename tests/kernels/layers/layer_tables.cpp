#include "tests/kernels/layers/layer_tables.h"

#include <array>

#include "tests/kernels/cases/dice.h"

namespace weft::test {

namespace {

constexpr std::array kLayouts = {LayerLayout::nchw, LayerLayout::nhwc};
constexpr std::array kTypes = {LayerType::f32, LayerType::f16};

// Whole small planes, vector and warp seams ± 1, odd sizes, tall and wide ones.
constexpr std::array<Extent, 18> kPlanes = {{{1, 1},
                                             {1, 7},
                                             {7, 1},
                                             {2, 3},
                                             {7, 7},
                                             {5, 8},
                                             {8, 15},
                                             {14, 14},
                                             {13, 16},
                                             {9, 17},
                                             {28, 28},
                                             {27, 31},
                                             {16, 32},
                                             {33, 33},
                                             {3, 65},
                                             {56, 56},
                                             {64, 9},
                                             {5, 130}}};

// Kinds of groups.
enum class Grouping { one, two, depthwise };

// Asymmetric by chance: a mirrored or transposed kernel cannot pass.
std::vector<float> noise_weights(Dice& dice, std::size_t count, double zeros) {
    std::vector<float> w(count);
    for (float& v : w)
        v = dice.fraction() < zeros ? 0.0F : static_cast<float>(dice.fraction() * 1.5 - 0.5);
    return w;
}

// Fills in the weights; `zeros` is the share of them that are zero.
LayerCase finished(Dice& dice, LayerProblem p, double zeros = 0.0) {
    p.weights = noise_weights(
        dice, static_cast<std::size_t>(p.out_channels) * static_cast<std::size_t>(p.sum_length()),
        zeros);
    return {.problem = std::move(p), .seed = static_cast<std::uint32_t>(dice.below(1 << 30))};
}

Dice dice_for(const std::vector<LayerCase>& cases, std::uint32_t table) {
    return Dice(static_cast<std::uint32_t>(cases.size()) + table);
}

void set_channels(LayerProblem& p, Grouping grouping, int in, int out) {
    switch (grouping) {
        case Grouping::one:
            p.in_channels = in;
            p.out_channels = out;
            return;
        case Grouping::two:
            p.groups = 2;
            p.in_channels = 2 * in;
            p.out_channels = 2 * out;
            return;
        case Grouping::depthwise:
            p.groups = p.in_channels = p.out_channels = in;
            return;
    }
}

// Layers whose planes keep their size at stride 1.
LayerProblem layer_of(Extent plane, Extent taps, int stride) {
    LayerProblem p;
    p.height = plane.y;
    p.width = plane.x;
    p.taps = taps;
    p.stride = {stride, stride};
    p.padding = {taps.y / 2, taps.x / 2};
    return p;
}

// Depthwise layers as networks have them: each plane with each layout, type, size and stride.
std::vector<LayerCase> depthwise() {
    constexpr std::array kChannels = {1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 33, 40, 64};
    constexpr std::array kBatches = {1, 2, 3, 5};
    std::vector<LayerCase> out;
    for (const Extent plane : kPlanes) {
        for (const LayerLayout layout : kLayouts) {
            for (const LayerType type : kTypes) {
                for (const int taps : {3, 5}) {
                    for (const int stride : {1, 2}) {
                        Dice dice = dice_for(out, 1000);
                        LayerProblem p = layer_of(plane, {taps, taps}, stride);
                        const bool large = plane.y * plane.x > 1000;
                        set_channels(p, Grouping::depthwise,
                                     large ? 1 + dice.below(9) : dice.of(kChannels), 0);
                        p.batch = dice.of(kBatches);
                        p.layout = layout;
                        p.type = type;
                        out.push_back(finished(dice, p));
                    }
                }
            }
        }
    }
    return out;
}

// Planes small enough for a thread, a warp or a block to take several, of one image or of many.
std::vector<LayerCase> depthwise_many() {
    struct Planes {
        int side;
        std::array<int, 3> channels;
    };
    constexpr std::array<Planes, 5> kPlanesOf = {{{7, {33, 97, 130}},
                                                  {8, {15, 33, 70}},
                                                  {14, {9, 17, 34}},
                                                  {28, {3, 5, 9}},
                                                  {56, {1, 2, 3}}}};
    constexpr std::array kBatches = {1, 3, 6, 9};
    std::vector<LayerCase> out;
    for (const Planes& planes : kPlanesOf) {
        for (const LayerType type : kTypes) {
            for (const int taps : {3, 5}) {
                for (const int stride : {1, 2}) {
                    Dice dice = dice_for(out, 6000);
                    LayerProblem p = layer_of({planes.side, planes.side}, {taps, taps}, stride);
                    set_channels(p, Grouping::depthwise, dice.of(planes.channels), 0);
                    p.batch = dice.of(kBatches);
                    p.type = type;
                    out.push_back(finished(dice, p));
                }
            }
        }
    }
    return out;
}

// The same with other properties of depthwise layers: tap sizes, paddings, strides, dilation.
std::vector<LayerCase> depthwise_any() {
    constexpr std::array<Extent, 16> kTaps = {{{1, 1},
                                               {2, 2},
                                               {3, 3},
                                               {3, 5},
                                               {5, 3},
                                               {4, 4},
                                               {5, 5},
                                               {6, 6},
                                               {7, 7},
                                               {1, 7},
                                               {7, 1},
                                               {7, 2},
                                               {8, 8},
                                               {9, 9},
                                               {11, 11},
                                               {11, 4}}};
    std::vector<LayerCase> out;
    for (const Extent taps : kTaps) {
        for (const LayerLayout layout : kLayouts) {
            for (const LayerType type : kTypes) {
                for (int k = 0; k < 6; ++k) {
                    Dice dice = dice_for(out, 2000);
                    LayerProblem p = layer_of({taps.y + dice.below(20), taps.x + dice.below(40)},
                                              taps, 1 + k % 2);
                    set_channels(p, Grouping::depthwise, 1 + dice.below(20), 0);
                    p.batch = 1 + dice.below(3);
                    p.layout = layout;
                    p.type = type;
                    if (k >= 2) p.padding = {dice.below(taps.y + 1), dice.below(taps.x + 1)};
                    if (k >= 4) p.dilation = {1 + dice.below(2), 2};
                    if (k == 5) p.stride = {1 + dice.below(3), 1 + dice.below(3)};
                    while (p.out_height() < 1 || p.out_width() < 1)
                        p.padding = {p.padding.y + 1, p.padding.x + 1};
                    out.push_back(finished(dice, p));
                }
            }
        }
    }
    return out;
}

// Every tap size with groups, paddings, strides and dilations, few channels.
std::vector<LayerCase> taps() {
    constexpr std::array<Extent, 12> kTaps = {{{1, 1},
                                               {1, 3},
                                               {3, 1},
                                               {2, 2},
                                               {3, 3},
                                               {5, 5},
                                               {4, 7},
                                               {7, 7},
                                               {1, 11},
                                               {9, 2},
                                               {11, 11},
                                               {10, 11}}};
    constexpr std::array kGroupings = {Grouping::one, Grouping::two, Grouping::depthwise};
    std::vector<LayerCase> out;
    for (const Extent taps : kTaps) {
        for (const Grouping grouping : kGroupings) {
            for (const LayerLayout layout : kLayouts) {
                for (const LayerType type : kTypes) {
                    for (int k = 0; k < 3; ++k) {
                        Dice dice = dice_for(out, 3000);
                        LayerProblem p = layer_of({1 + dice.below(18), 1 + dice.below(21)}, taps,
                                                  1 + dice.below(2));
                        set_channels(p, grouping, 1 + dice.below(5), 1 + dice.below(7));
                        p.batch = 1 + dice.below(3);
                        p.layout = layout;
                        p.type = type;
                        if (k > 0) p.padding = {dice.below(taps.y + 2), dice.below(taps.x + 2)};
                        if (k > 1) p.dilation = {1 + dice.below(3), 1 + dice.below(2)};
                        if (k > 1) p.stride = {1 + dice.below(3), 1 + dice.below(4)};
                        while (p.out_height() < 1 || p.out_width() < 1)
                            p.padding = {p.padding.y + 1, p.padding.x + 1};
                        out.push_back(finished(dice, p));
                    }
                }
            }
        }
    }
    return out;
}

// Channel counts at the seams of tiles in both directions, and of batches.
std::vector<LayerCase> channels() {
    constexpr std::array kCounts = {1, 2, 3, 8, 15, 16, 17, 31, 33, 63, 64, 65, 96, 127, 130};
    constexpr std::array<Extent, 6> kSizes = {{{1, 1}, {7, 7}, {13, 13}, {6, 11}, {4, 16}, {3, 5}}};
    std::vector<LayerCase> out;
    for (const int outputs : kCounts) {
        for (const LayerLayout layout : kLayouts) {
            for (const LayerType type : kTypes) {
                for (int k = 0; k < 4; ++k) {
                    Dice dice = dice_for(out, 4000);
                    const int taps = k < 2 ? 3 : 1 + 2 * dice.below(3);
                    LayerProblem p = layer_of(dice.of(kSizes), {taps, taps}, 1 + k % 2);
                    set_channels(p, k == 3 ? Grouping::two : Grouping::one,
                                 dice.of(kCounts) / 2 + 1, outputs);
                    p.batch = k == 0 ? 3 : 1;
                    p.layout = layout;
                    p.type = type;
                    out.push_back(finished(dice, p));
                }
            }
        }
    }
    return out;
}

// Zeros among the weights, from none to all; whole output channels without a weight.
std::vector<LayerCase> sparse() {
    constexpr std::array kZeros = {0.0, 0.5, 0.85, 0.93, 0.98, 1.0};
    std::vector<LayerCase> out;
    for (const double zeros : kZeros) {
        for (const LayerLayout layout : kLayouts) {
            for (const LayerType type : kTypes) {
                for (int k = 0; k < 6; ++k) {
                    Dice dice = dice_for(out, 5000);
                    const int taps = 1 + 2 * (k % 3);
                    LayerProblem p = layer_of({3 + dice.below(25), 3 + dice.below(25)},
                                              {taps, taps}, 1 + (k == 4 ? 1 : 0));
                    set_channels(p, k == 5 ? Grouping::two : Grouping::one, 1 + dice.below(40),
                                 1 + dice.below(40));
                    if (k == 3) p.padding = {0, 1};
                    if (k == 2) p.dilation = {2, 1};
                    while (p.out_height() < 1 || p.out_width() < 1)
                        p.padding = {p.padding.y + 1, p.padding.x + 1};
                    p.batch = 1 + dice.below(3);
                    p.layout = layout;
                    p.type = type;
                    out.push_back(finished(dice, p, zeros));
                }
            }
        }
    }
    return out;
}

// Few input channels and wide planes: widths at the seams of tiles, all variants of a first layer.
std::vector<LayerCase> bank() {
    constexpr std::array kWidths = {47, 48, 49, 63, 64, 65, 127, 130, 255, 256, 257, 300, 519};
    constexpr std::array kOutputs = {1, 3, 4, 8, 15, 16, 17, 33};
    constexpr std::array<Extent, 12> kTaps = {{{3, 3},
                                               {5, 5},
                                               {7, 7},
                                               {2, 9},
                                               {11, 11},
                                               {1, 3},
                                               {4, 5},
                                               {1, 1},
                                               {3, 12},
                                               {5, 4},
                                               {6, 8},
                                               {3, 13}}};
    std::vector<LayerCase> out;
    for (const Extent taps : kTaps) {
        for (const LayerLayout layout : kLayouts) {
            for (const LayerType type : kTypes) {
                for (int k = 0; k < 4; ++k) {
                    Dice dice = dice_for(out, 6000);
                    LayerProblem p = layer_of({1 + dice.below(19), dice.of(kWidths)}, taps, 1);
                    p.in_channels = 1 + k;
                    p.out_channels = dice.of(kOutputs);
                    p.batch = k == 1 ? 2 : 1;
                    p.layout = layout;
                    p.type = type;
                    if (k == 2) p.padding = {dice.below(taps.y + 2), dice.below(taps.x + 2)};
                    while (p.out_height() < 1) ++p.padding.y;
                    out.push_back(finished(dice, p));
                }
            }
        }
    }
    return out;
}

constexpr std::array<LayerTable, 7> kTables = {{
    {"Depthwise", depthwise},
    {"DepthwiseMany", depthwise_many},
    {"DepthwiseAny", depthwise_any},
    {"Taps", taps},
    {"Channels", channels},
    {"Sparse", sparse},
    {"Bank", bank},
}};

}  // namespace

std::span<const LayerTable> layer_tables() {
    return kTables;
}

std::vector<const LayerTable*> all_layer_tables() {
    std::vector<const LayerTable*> out;
    for (const LayerTable& table : kTables) out.push_back(&table);
    return out;
}

// Every seventh case of every table.
std::vector<LayerCase> layer_sanitizer_cases() {
    std::vector<LayerCase> out;
    for (const LayerTable& table : kTables) {
        const std::vector<LayerCase> cases = table.cases();
        for (std::size_t k = 0; k < cases.size(); k += 7) out.push_back(cases[k]);
    }
    return out;
}

}  // namespace weft::test
