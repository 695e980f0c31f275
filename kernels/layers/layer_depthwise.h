// How depthwise layers are cut into threads: the plan of the forms of column_row_reuse for layers,
// worked out on the host. No CUDA; internal to kernels/.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/common/quotient.h"
#include "kernels/device/device.h"
#include "kernels/layer_problem.h"
#include "kernels/layers/layer_kernel.h"

namespace weft {

// Each is a kernel of its own.
enum class DepthwiseCut : std::uint8_t {
    lanes,         // nchw through registers: layer_lanes.cuh
    small_planes,  // nchw, 7×7, one thread per plane: layer_small_planes.cuh
    planes,        // nchw through shared memory, everything else: layer_planes.cuh
    pixels,        // nhwc: layer_pixels.cuh
};

// How the lanes form is compiled for a layer: planes of 14 rows, which networks for 224×224 images
// have, are strips of their own.
struct LaneShape {
    int columns = 0;     // input columns of a lane: 2 or 4
    bool whole = false;  // a strip is a plane
    int rows = 0;        // output rows of a strip
};

constexpr int kWholeRows = 14;

// Strips of few rows make enough warps; those of many rows read fewer rows twice.
constexpr int lane_rows(int stride, int columns, bool whole) {
    if (whole) return kWholeRows / stride;
    return stride == 2 && columns == 4 ? 4 : 7;
}

struct DepthwiseArgs {
    const void* input = nullptr;
    void* output = nullptr;
    const float* weights = nullptr;  // device: DepthwisePlan::weights
    int batch = 1, channels = 1;
    int height = 1, width = 1, out_height = 1, out_width = 1;
    int padding_y = 0, padding_x = 0;
    int groups = 1;      // runs of a thread's outputs per output row
    int strip_rows = 1;  // output rows of a strip
    int strips = 1;      // in a plane
    // Strips that follow one another. In the planes form, a block takes the same strips of several
    // images, counted through the planes of one image; in the lanes form, a warp takes strips that
    // are counted through the planes of all images.
    int block_strips = 1;
    int tiles = 1;          // blocks for one image
    int block_images = 1;   // neighbouring images that a block takes
    int stages = 1;         // images whose input a block keeps; with two it fetches one ahead
    int stage_vectors = 0;  // of 16 bytes, per image
    int chunks = 1;         // pixels: each of 32 channels
    unsigned planes = 0;    // lanes, small_planes: over all images
    Quotient by_groups, by_strips, by_channels;
};

// The compiled forms: taps K×K, stride S in both directions, V outputs of a row per thread.
struct DepthwiseForm {
    DepthwiseCut cut;
    int taps, stride, outputs;
    LaneShape lanes;  // lanes only
};

struct DepthwisePlan {
    DepthwiseForm form{};
    DepthwiseArgs args;
    // planes: rows are whole groups and the padding keeps the planes' size, so that only the first
    // and the last group of a row meet its ends.
    bool whole_groups = false;
    // pixels: every pixel's channels begin at a multiple of 16 bytes.
    bool whole_vectors = false;
    int blocks = 0;
    int warps = 0;  // per block
    int shared_bytes = 0;
    // lanes: [channel][padded_taps()], else [tap][channel]
    std::vector<float> weights;
};

constexpr int kMaxPlaneThreads = 256;
constexpr int kPixelWarps = 4;
constexpr int kSmallWarps = 4;
constexpr int kSmallSide = 7;
constexpr int kLaneWarps = 4;
constexpr int kMostRowLanes = 31;  // the last lane of a warp is the one beyond the ends of rows

// A channel's taps, in whole vectors of four.
constexpr int padded_taps(int taps) {
    return (taps * taps + 3) / 4 * 4;
}

// Outputs in a row that a thread computes. 7 divides the planes of networks for 224×224 images and
// makes neighbouring threads use different banks of shared memory; registers limit the others.
constexpr int depthwise_outputs(int taps) {
    return taps <= 5 ? 7 : 4;
}

// Rows of a thread's tile in nchw. At stride 2 there are four inputs for an output, and low tiles
// let more threads share a multiprocessor's memory; larger taps would read too many rows twice.
constexpr int plane_rows(int taps, int stride) {
    return stride == 2 && taps == 3 ? 4 : 7;
}

// Rows that a warp of the nhwc form keeps: the current one and those in flight.
constexpr int pixel_ring(int stride) {
    return stride == 1 ? 5 : 7;
}

// Empty, or a sentence that gives the reason why the depthwise kernels reject the layer.
std::string why_not_depthwise(const LayerProblem& problem);

// For a GPU with so many multiprocessors.
DepthwisePlan plan_depthwise(const LayerProblem& problem, int multiprocessors);

// Distributes the images of a planes plan with two stages over as many blocks as the GPU holds at a
// time.
void share_images(DepthwisePlan& plan, int resident_blocks);

// Defined in layer_depthwise.cu, in builds with CUDA only.
std::unique_ptr<PreparedLayer> prepare_layer_depthwise(const LayerProblem& problem,
                                                       const Device& device);

}  // namespace weft
