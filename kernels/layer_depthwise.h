// How depthwise layers are cut into threads: the plan of the two forms of column_row_reuse for
// layers, worked out on the host. No CUDA; internal to kernels/.
#pragma once

#include <string>
#include <vector>

#include "kernels/device.h"
#include "kernels/layer_problem.h"

namespace weft {

struct DepthwiseArgs {
    const void* input = nullptr;
    void* output = nullptr;
    const float* weights = nullptr;  // device: [tap][channel]
    int batch = 1, channels = 1;
    int height = 1, width = 1, out_height = 1, out_width = 1;
    int padding_y = 0, padding_x = 0;
    int groups = 1;      // of V outputs, in an output row
    int strip_rows = 1;  // output rows of a strip
    int strips = 1;      // in a plane
    // nchw: a block takes the same strips, counted through an image's planes, of several images.
    int block_strips = 1;
    int tiles = 1;          // blocks for one image
    int block_images = 1;   // neighbouring images that a block takes
    int stages = 1;         // images whose input a block keeps: it fetches one ahead with two
    int stage_vectors = 0;  // of 16 bytes, for one image
    // nhwc: chunks of 32 channels.
    int chunks = 1;
};

// The compiled forms: taps K×K, stride S in both directions, V outputs of a row a thread.
struct DepthwiseForm {
    LayerLayout layout;
    int taps, stride, outputs;
};

struct DepthwisePlan {
    DepthwiseForm form{};
    DepthwiseArgs args;
    // nchw: rows are whole groups and the padding keeps the planes' size, so that only the first
    // and the last group of a row meet its ends.
    bool whole_groups = false;
    // nhwc: every pixel's channels begin at a multiple of 16 bytes.
    bool whole_vectors = false;
    int blocks = 0;
    int warps = 0;  // of a block
    int shared_bytes = 0;
    std::vector<float> weights;
};

constexpr int kMaxPlaneThreads = 256;
constexpr int kPixelWarps = 4;

// Outputs in a row that a thread computes. 7 divides the planes of networks for 224×224 images and
// makes neighbouring threads meet different banks of shared memory; registers set the others.
constexpr int depthwise_outputs(int taps) {
    return taps <= 5 ? 7 : 4;
}

// Rows of a thread's tile in nchw. At stride 2 there are four inputs for an output, and low tiles
// let more threads share a multiprocessor's memory; larger taps would read too many rows twice.
constexpr int plane_rows(int taps, int stride) {
    return stride == 2 && taps == 3 ? 4 : 7;
}

// Rows that a warp of the nhwc form keeps: the one it computes and those on their way.
constexpr int pixel_ring(int stride) {
    return stride == 1 ? 5 : 7;
}

// Empty, or why the depthwise kernels do not take the layer: a sentence.
std::string why_not_depthwise(const LayerProblem& problem);

// For a GPU with so many multiprocessors.
DepthwisePlan plan_depthwise(const LayerProblem& problem, int multiprocessors);

// Shares the images of an nchw plan with two stages out over as many blocks as the GPU holds at a
// time.
void share_images(DepthwisePlan& plan, int resident_blocks);

}  // namespace weft
