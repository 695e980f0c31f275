// Which layers each row takes.
#include "kernels/layers/layer_forms.h"

#include "kernels/common/conv_layout.h"
#include "kernels/cuda_rows.h"
#include "kernels/device/cublas.h"
#include "kernels/device/cufft.h"
#include "kernels/layers/layer_depthwise.h"
#include "kernels/layers/layer_fft.h"
#include "kernels/layers/layer_shared_tile.h"
#include "kernels/layers/layer_sparse.h"

namespace weft {

namespace {

std::string why_not_any(const LayerProblem&, const Device& device) {
    return why_no_gpu(device);
}

std::string why_not_on_ampere(const Device& device) {
    if (std::string reason = why_no_gpu(device); !reason.empty()) return reason;
    if (device.compute_major >= 8) return "";
    return "its layer form needs asynchronous copies: a GPU of the Ampere generation or newer";
}

std::string why_not_depthwise_here(const LayerProblem& p, const Device& device) {
    std::string reason = why_not_on_ampere(device);
    return reason.empty() ? why_not_depthwise(p) : reason;
}

std::string why_not_gathered(const LayerProblem& p, const Device& device) {
    std::string reason = why_no_gpu(device);
    return reason.empty() ? why_no_tap_places(p) : reason;
}

std::string why_not_gemm(const LayerProblem& p, const Device& device) {
    std::string reason = why_not_on_ampere(device);
    return reason.empty() ? why_no_tap_places(p) : reason;
}

std::string why_not_im2col(const LayerProblem& p, const Device& device) {
    std::string reason = why_not_gathered(p, device);
    return reason.empty() ? why_no_cublas() : reason;
}

std::string why_not_sparse_tiled_here(const LayerProblem& p, const Device& device) {
    std::string reason = why_not_on_ampere(device);
    return reason.empty() ? why_not_sparse_tiled(p) : reason;
}

std::string why_not_shared_tile(const LayerProblem& p, const Device& device) {
    std::string reason = why_no_gpu(device);
    return reason.empty() ? why_no_tile_layer(p, most_shared_bytes(device)) : reason;
}

// Checks for the library last: it is large, and searched for only if it could be used.
std::string why_not_fft_layer_here(const LayerProblem& p, const Device& device) {
    if (std::string reason = why_no_gpu(device); !reason.empty()) return reason;
    std::string reason = why_not_fft_layer(p);
    return reason.empty() ? why_no_cufft() : reason;
}

Cost fft_cost(const LayerProblem& p) {
    Cost cost = layer_cost(p);
    cost.flops = fft_layer_flops(p);
    cost.flops_formula =
        "2.5 n log2 n for each tile of n samples and channel, 4 n for each pair of "
        "input and output";
    return cost;
}

// Only products of weights that are not zero.
Cost sparse_cost(const LayerProblem& p) {
    Cost cost = layer_cost(p);
    cost.flops *= 1.0 - sparsity(p);
    return cost;
}

}  // namespace

LayerForm gemm_layer_form() {
    return {.why_not = why_not_gemm, .prepare = prepare_layer_gemm, .cost = layer_cost};
}

LayerForm im2col_layer_form() {
    return {.why_not = why_not_im2col, .prepare = prepare_layer_im2col, .cost = layer_cost};
}

LayerForm sparse_layer_form() {
    return {.why_not = why_not_gathered, .prepare = prepare_layer_sparse, .cost = sparse_cost};
}

LayerForm sparse_tiled_layer_form() {
    return {.why_not = why_not_sparse_tiled_here,
            .prepare = prepare_layer_sparse_tiled,
            .cost = sparse_cost};
}

LayerForm shared_tile_layer_form() {
    return {
        .why_not = why_not_shared_tile, .prepare = prepare_layer_shared_tile, .cost = layer_cost};
}

LayerForm fft_layer_form() {
    return {.why_not = why_not_fft_layer_here, .prepare = prepare_layer_fft, .cost = fft_cost};
}

LayerForm depthwise_layer_form() {
    return {
        .why_not = why_not_depthwise_here, .prepare = prepare_layer_depthwise, .cost = layer_cost};
}

LayerForm direct_layer_form() {
    return {.why_not = why_not_any, .prepare = prepare_layer_direct, .cost = layer_cost};
}

}  // namespace weft
