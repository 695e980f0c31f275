// Converts a step's meaning (Operation) into the work on each plane of a frame. Pure: no pixels, no
// device.
#pragma once

#include <array>
#include <optional>
#include <variant>
#include <vector>

#include "filters/frame_info.h"
#include "filters/operation.h"
#include "kernels/conv_problem.h"

namespace weft {

// A blend in time of one plane; channels whose bit in `channel_mask` is clear copy the newest
// frame.
struct PlaneBlend {
    TemporalBlend blend;
    float max_value = 255.0F;
    unsigned channel_mask = 0;
    // The first frame's value for each channel, for TemporalBlend::black_first: 0, the result for a
    // still scene, and mid-gray for chroma.
    std::vector<float> black;
};

// Means of one plane; channels whose bit in `channel_mask` is clear are unchanged.
struct PlaneMeans {
    int block_px = 0;  // as in SampleMeans
    float max_value = 255.0F;
    unsigned channel_mask = 0;
    std::array<float, 4> otherwise = {};  // one per channel
};

// One step's work on one plane computes a convolution, a blend in time, means, or nothing, which
// leaves the plane unchanged; then it sets some channels to a constant.
struct PlaneWork {
    std::variant<std::monostate, ConvProblem, PlaneBlend, PlaneMeans> compute;
    unsigned fill_mask = 0;
    float fill_value = 0;

    bool computes() const { return compute.index() != 0; }
    bool writes() const { return computes() || fill_mask != 0; }
};

struct ChannelIndex {
    int plane = 0;
    int channel = 0;
};

// The detour of RGB frames through one gray picture, which is written back to r, g and b.
struct GrayRoute {
    ChannelIndex r, g, b;
    // How luma is computed, which `work` then filters. Without it `work` itself sums r, g and b:
    // from their plane, or, if each has its own, from a picture that holds r, g, b.
    std::optional<ColorMatrix> luma;
    std::vector<unsigned> spread_masks;  // one per plane of the frame
    PlaneWork work;

    bool planar() const { return r.plane != g.plane || r.plane != b.plane; }
};

struct LoweredStep {
    std::vector<PlaneWork> planes;  // one per plane of the frame; empty if `gray` is set
    std::optional<GrayRoute> gray;

    // The work of the first plane that takes means; null if none does.
    const PlaneMeans* means() const;
    bool writes(std::size_t plane) const {
        return gray ? gray->spread_masks[plane] != 0 : planes[plane].writes();
    }
};

// Components are found by PlaneInfo; channels of an interleaved plane that the step does not filter
// get identity taps of the others' size; planes with only identity taps are not touched. Alpha is
// untouched unless it is selected. Throws std::invalid_argument with a sentence if the operation
// does not fit the frame: too few matrices for its components, or taps without a common size.
LoweredStep lower(const Operation& operation, const FrameInfo& info);

}  // namespace weft
