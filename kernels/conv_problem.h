// One convolution on one plane: everything a kernel has to know, and nothing of files or filters.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "filters/operation.h"
#include "kernels/image_view.h"

namespace weft {

// Taps and finish of one channel: out = saturate(rhe(fma(combine(sums), scale, bias))), with
// magnitude computed as m = sqrt(fma(b, b, a * a)), then sqrt(fma(c, c, m * m)) with the third sum
// and so on, so that exact sums give the same bits everywhere.
// All channels of a problem have the same number of tap sets, tap sizes and anchors
// (see padded_taps); a channel that must pass through carries identity taps.
struct ChannelConv {
    std::vector<Taps> taps;  // 1, or 2..kMaxTapSets that are combined
    float scale = 1.0F;
    float bias = 0.0F;

    bool operator==(const ChannelConv&) const = default;
};

struct ConvProblem {
    int width = 0;  // pixels, 1..kMaxSide
    int height = 0;
    int channels = 1;                // 1..4, interleaved
    PixelType type = PixelType::u8;  // for input and output
    float max_value = 255.0F;        // saturation ceiling of u8 and u16; f32 does not saturate
    std::vector<ChannelConv> conv;   // one entry for all channels, or one per channel (depthwise)
    Combine combine = Combine::single;
    // A tap set's sum runs over all channels, each with the taps of its own entry of `conv`. The
    // output then has one channel, finished by the first entry's scale and bias.
    bool sums_channels = false;
    Borders border = {};
    float border_value = 0.0F;  // for u8 and u16 a whole number in 0..max_value
    // Every kernel that takes it gives the same bits: all taps (without `weights`, their factors)
    // are whole numbers, and sums_are_exact(), or else sums are exact in double. Not for f32.
    bool exact_sums = false;

    // Far above the 65,535 that files are limited to by default, and low enough that a row of four
    // f32 channels with its halo is counted in an int.
    static constexpr int kMaxSide = 16'777'216;

    int out_channels() const { return sums_channels ? 1 : channels; }
    const ChannelConv& channel(int c) const { return conv[conv.size() == 1 ? 0 : c]; }
    const Taps& taps() const { return conv.front().taps.front(); }  // for sizes and anchor
    bool operator==(const ConvProblem&) const = default;
};

// The least that any implementation has to move and compute, for "percent of the limit".
struct Cost {
    double bytes = 0;  // input read once plus output written once
    double flops = 0;  // 2 per tap and sample for this kernel's method
    // The same in words, for lists and help.
    std::string_view bytes_formula = "each sample read once and written once";
    std::string_view flops_formula = {};
};

// True if `holds` returns true for every tap set of every channel.
template <class Holds>
bool every_tap_set(const ConvProblem& problem, Holds holds) {
    return std::ranges::all_of(
        problem.conv, [&](const ChannelConv& c) { return std::ranges::all_of(c.taps, holds); });
}

// Throws std::invalid_argument with a sentence if the problem breaks a rule above.
void validate(const ConvProblem& problem);

// Throws std::invalid_argument with a sentence unless both images have the problem's size and type,
// `channels` and out_channels() channels, and are in `space`. Overlap is not checked.
void check_images(const ConvProblem& problem, const ImageView& src, const ImageView& dst,
                  MemorySpace space);

// True when computing by `row` and `column` keeps the arithmetic contract: factors exist, and those
// of integer weights are integers themselves, so that their sums stay exact.
bool factors_keep_exactness(const Taps& taps);

// True when every sum is exact in fp32, in any order: whole-number taps on integer samples, with
// Σ|w| · max_value below 2^24. All kernels that keep the contract then give the same bits.
bool sums_are_exact(const ConvProblem& problem);

// True when all kernels that take the problem give the same bits: exact_sums, or sums_are_exact()
// unless a magnitude needs double (rounding.h).
bool same_bits_everywhere(const ConvProblem& problem);

// "1280×720 u8, 3 channels, 5×5 taps, reflect101": for reasons and messages.
std::string describe(const ConvProblem& problem);

std::string_view name_of(PixelType type);    // "u8"
std::string name_of(const Borders& border);  // "reflect101", "ffmpeg by ffmpeg_backwards"
std::string_view name_of(Combine combine);   // "magnitude"

}  // namespace weft
