// One convolution layer of a neural network: everything a kernel has to know.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/conv_problem.h"

namespace weft {

// Order of the elements of a tensor, the last index varying fastest.
enum class LayerLayout : std::uint8_t { nchw, nhwc };

// Elements of input and output. f16 is IEEE half precision; its sums are made in fp32.
enum class LayerType : std::uint8_t { f32, f16 };

// A length along the height and one along the width.
struct Extent {
    int y = 1;
    int x = 1;
};

// Output channel m of image n at (y, x) is the sum over the inputs c of its group and taps (j, i):
//   weight[m][c][j][i] · input[n][c][y · stride.y - padding.y + j · dilation.y][the same in x]
// with zeros outside the input: cross-correlation, as in cuDNN, no bias. Group g has the inputs
// g · group_inputs() … and the outputs g · group_outputs() …; input and output are dense tensors of
// the same layout and type.
struct LayerProblem {
    int batch = 1;
    int in_channels = 1;
    int out_channels = 1;
    int groups = 1;  // divides both
    int height = 1;  // input plane
    int width = 1;
    Extent taps;  // 1..63 per side
    Extent stride;
    Extent padding = {.y = 0, .x = 0};  // zeros added at each of the two ends
    Extent dilation;
    LayerLayout layout = LayerLayout::nchw;
    LayerType type = LayerType::f32;
    // [out][in / groups][taps.y][taps.x] in either layout. An f16 layer uses them rounded to the
    // nearest half, as its peers do: see used_weights().
    std::vector<float> weights;

    // Elements of a tensor: a kernel may index them with 32 bits.
    static constexpr std::int64_t kMaxElements = 2'147'483'647;

    int out_height() const;
    int out_width() const;
    int group_inputs() const { return in_channels / groups; }
    int group_outputs() const { return out_channels / groups; }
    // Every channel is convolved by itself, with one set of taps.
    bool depthwise() const { return groups == in_channels && out_channels == in_channels; }
    std::int64_t inputs() const;  // elements of the tensors
    std::int64_t outputs() const;
    int sum_length() const { return group_inputs() * taps.y * taps.x; }  // products per output
};

std::size_t bytes_per_element(LayerType type);

// The weights as every kernel has to use them, in the order of `weights`.
std::vector<float> used_weights(const LayerProblem& problem);

// The share of zeros among the weights, 0..1.
double sparsity(const LayerProblem& problem);

// Throws std::invalid_argument with a sentence if the problem breaks a rule above, a number is not
// positive or a plane has no output.
void validate(const LayerProblem& problem);

// Input, weights and output once; 2 flops per product of the definition, zeros included.
Cost layer_cost(const LayerProblem& problem);

// "128×144×56×56 nchw f32, 144 outputs, 144 groups, 3×3 taps, stride 1, padding 1"; two lengths
// that differ are shown as y×x; groups and dilation are left out where they are 1.
std::string describe(const LayerProblem& problem);

std::string_view name_of(LayerLayout layout);  // "nchw"
std::string_view name_of(LayerType type);      // "f32"

}  // namespace weft
