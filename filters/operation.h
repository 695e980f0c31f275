// The computation of one step of a stack, independent of its implementation: the contract between
// filters and kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "filters/frame_info.h"
#include "filters/taps.h"

namespace weft {

// How pixels outside the image are made. Names and meanings are OpenCV's:
// reflect101 gfedcb|abcdefgh|gfedcba, reflect fedcba|abcdefgh|hgfedcb,
// replicate aaaaaa|abcdefgh|hhhhhhh, wrap cdefgh|abcdefgh|abcdefg, constant vvvvvv|abcdefgh|vvvvvv.
// `ffmpeg` is the border of ffmpeg's 3×3 filters (5.1): reflect101 at the left and at the
// top, reflect at the right and the bottom, gfedcb|abcdefgh|hgfedcb. `ffmpeg_backwards` is the same
// along an axis that players show backwards, fedcba|abcdefgh|gfedcba; no parameter names it.
// An image smaller than the taps is reflected as often as needed.
enum class Border : std::uint8_t {
    reflect101,
    reflect,
    replicate,
    wrap,
    constant,
    ffmpeg,
    ffmpeg_backwards
};

// The borders along both axes, which differ only where ffmpeg's is on a turned picture.
struct Borders {
    Border x = Border::reflect101;
    Border y = Border::reflect101;

    constexpr Borders() = default;
    constexpr Borders(Border both) : x(both), y(both) {}
    constexpr Borders(Border along_x, Border along_y) : x(along_x), y(along_y) {}
    bool operator==(const Borders&) const = default;
};

// How the sums of several tap sets over the same pixels become one value.
//   single     one tap set: its sum
//   magnitude  two or more tap sets: sqrt(a * a + b * b + …)
//   maximum    two or more tap sets: the largest sum
enum class Combine : std::uint8_t { single, magnitude, maximum };

// The largest number of tap sets of one component.
inline constexpr std::size_t kMaxTapSets = 16;

// The linear part of a step for one component.
// out = saturate(round_half_even(fma(combine(sums), scale, bias)))
struct ComponentTaps {
    std::vector<Taps> taps = {};  // as many as `combine` needs
    float scale = 1.0F;
    float bias = 0.0F;
};

// Computes each output frame from one input frame.
struct Convolution {
    // One entry: every filtered component uses it. Otherwise entry k is for the frame's k-th
    // component in the order y u v a or r g b a, and there are at least as many as are filtered.
    std::vector<ComponentTaps> components = {};
    Combine combine = Combine::single;
    // RGB frames only: a tap set's sum runs over r, g and b, the first three entries; the result,
    // finished with the first entry's scale and bias, is written to all three.
    bool sums_rgb = false;
    Borders border = {};
    float border_value = 0.0F;  // in sample units, for Border::constant
};

// Several consecutive frames in, one out:
// s = Σ_k weights[k] * in(t - k); if absolute: s = |s|; v = fma(s, scale, bias);
// if v < threshold: v = 0; out = saturate(round_half_even(v)).
// At the start of a stream the missing earlier frames are the first frame.
struct TemporalBlend {
    std::vector<float> weights = {};
    bool absolute = false;
    float scale = 1.0F;
    float bias = 0.0F;
    float threshold = 0.0F;    // in sample units; 0: none
    bool black_first = false;  // the first frame's output is black in the filtered components
};

// Means of samples of the same frame, integers rounded half to even: everything that is smaller
// than a block is gone.
struct SampleMeans {
    // The side of the blocks in pixels of the frame, for every component alike. They begin at the
    // left upper corner of each region, and a block that its region cuts is the mean of its part;
    // without regions, with Where::invert and with a mask, at that of the frame. 0: each region
    // becomes the mean of the samples next to it, of those that no region changes.
    int block_px = 0;
    // One per component, in the order y u v a or r g b a: a region with no such sample next to it.
    std::vector<float> otherwise = {};
};

// The components that a step writes, and its treatment of the others.
struct ComponentSelection {
    std::vector<Component> filtered = {};  // components that are computed
    bool neutral_chroma = false;           // u and v that are not filtered become mid-gray (edges)
    bool rgb_luma = false;  // on RGB frames: compute luma, filter that, write it to r, g and b
};

struct Operation {
    std::variant<Convolution, TemporalBlend, SampleMeans> compute;
    ComponentSelection selection;
    std::vector<std::string> notes;  // sentences for the user: "acts on BT.709 luma of RGB"
};

}  // namespace weft
