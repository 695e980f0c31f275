// Images by the kernels for layers: the image as fp32 planes including its border, a layer without
// padding over them, and the rest of the problem sample by sample. Internal to kernels/.
#pragma once

#include <memory>
#include <string>

#include "kernels/common/conv_layout.h"
#include "kernels/layers/layer_kernel.h"

namespace weft {

// The layer: f32 in nchw, an output channel per tap set. Channels that are summed are its input
// channels; otherwise those that share their taps are its images and others its groups, and channel
// c's set s is plane c · sets + s of the output.
LayerProblem image_as_layer(const ConvProblem& problem);

// Empty, or a sentence: taps without weights, planes that are too large, or the layer kernel's own
// reason.
std::string why_not_as_layer(const ConvProblem& problem, const Device& device,
                             const LayerKernel& kernel);

// Owns the planes: 4 bytes for each sample with the border and for each sum. Defined in
// image_layer.cu, in builds with CUDA only.
std::unique_ptr<PreparedConv> prepare_as_layer(const ConvProblem& problem, const Device& device,
                                               const LayerKernel& kernel);

struct ImageLayerArgs {
    ConvImages images;
    float* padded = nullptr;      // device: [channel][y][x], the layer's input
    const float* sums = nullptr;  // device: [channel][set][y][x], its output
    int channels = 1;
    int out_channels = 1;
    int sets = 1;
    bool magnitude = false;
};

// The same for the layer kernel that an image kernel names in its entry.
template <const LayerKernel& kernel>
std::string why_not_as_layer_of(const ConvProblem& problem, const Device& device) {
    return why_not_as_layer(problem, device, kernel);
}

template <const LayerKernel& kernel>
std::unique_ptr<PreparedConv> prepare_as_layer_of(const ConvProblem& problem,
                                                  const Device& device) {
    return prepare_as_layer(problem, device, kernel);
}

}  // namespace weft
