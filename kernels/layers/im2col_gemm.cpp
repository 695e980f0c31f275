// im2col_gemm on the host.
#include "kernels/common/kernel_terms.h"
#include "kernels/device/cublas.h"
#include "kernels/device/cuda_build.h"
#include "kernels/layers/image_layer.h"
#include "kernels/layers/layer_args.h"

namespace weft {

// In im2col_gemm.cu, in builds with CUDA only.
std::unique_ptr<PreparedLayer> prepare_layer_im2col(const LayerProblem& problem,
                                                    const Device& device);

namespace {

// Checks for the library last: it is large, and searched for only if it could be used.
std::string why_not_im2col(const LayerProblem& p, const Device&) {
    std::string reason = why_no_tap_places(p);
    return reason.empty() ? why_no_cublas() : reason;
}

}  // namespace

extern constinit const LayerKernel kIm2colGemmLayer = {
    .name = "im2col_gemm",
    .why_not = why_not_im2col,
    .prepare = cuda_only<prepare_layer_im2col>(),
    .cost = layer_cost,
};

extern constinit const ConvKernel kIm2colGemmKernel = {
    .name = "im2col_gemm",
    .summary =
        "the input of every product written out as a matrix, then cuBLAS: the cost that others "
        "avoid",
    .source = "Chellapilla, Puri, Simard, 2006; Caffe",
    .limits =
        "NVIDIA GPU; cuBLAS 12 or 13; layers; images as planes of fp32, dense taps; 256 MiB for "
        "the matrix",
    .space = MemorySpace::device,
    .sums_channels = true,
    .why_not = why_not_as_layer_of<kIm2colGemmLayer>,
    .prepare = cuda_only<prepare_as_layer_of<kIm2colGemmLayer>>(),
    .cost = dense_cost,
};

}  // namespace weft
