// cuDNN, cuBLAS and cuSPARSE as rows for layers.
#include "tests/bench/peers/blas_layer.h"
#include "tests/bench/peers/cudnn_layer.h"
#include "tests/bench/peers/table.h"

namespace weft::bench {

namespace {

std::string why_not_cudnn(const LayerProblem&, const Device& device) {
    return device.is_gpu() ? why_no_cudnn() : "it runs on an NVIDIA GPU, and the device is the CPU";
}

std::string why_not_tf32(const LayerProblem& p, const Device& device) {
    if (std::string why = why_not_cudnn(p, device); !why.empty()) return why;
    return p.type == LayerType::f32 ? "" : "TF32 is for f32";
}

std::string why_not_im2col(const LayerProblem& p, const Device& device) {
    if (!device.is_gpu()) return "it runs on an NVIDIA GPU, and the device is the CPU";
    if (p.depthwise()) return "a depthwise layer is no matrix product";
    return p.type == LayerType::f32 && p.layout == LayerLayout::nchw ? "" : "it takes f32 nchw";
}

std::string why_not_cublas(const LayerProblem& p, const Device& device) {
    std::string why = why_not_im2col(p, device);
    return why.empty() ? why_no_cublas() : why;
}

std::string why_not_cusparse(const LayerProblem& p, const Device& device) {
    if (std::string why = why_not_im2col(p, device); !why.empty()) return why;
    if (sparsity(p) < 0.5) return "it is for weights that are mostly zero";
    return why_no_cusparse();
}

template <CudnnChoice Choice, bool Tf32>
std::unique_ptr<PreparedLayer> prepare(const LayerProblem& p, const Device& device) {
    return prepare_cudnn(p, device, Choice, Tf32);
}

template <bool Tf32>
std::unique_ptr<PreparedLayer> prepare_graph(const LayerProblem& p, const Device& device) {
    return prepare_cudnn_graph(p, device, Tf32);
}

// Winograd and Fourier transforms round more often: at 5×5 taps cuDNN's Winograd erred by 7e-4 on
// an H200.
double of_transforms(const LayerProblem& p) {
    return p.type == LayerType::f16 ? 2e-3 : 1e-3;
}

// Both factors lose 2^-11, and transforms spread it.
double of_tf32(const LayerProblem&) {
    return 4e-3;
}

double of_fp32(const LayerProblem&) {
    return 0;
}

LayerPeer cudnn(std::string_view name,
                std::unique_ptr<PreparedLayer> (*prepare)(const LayerProblem&, const Device&),
                bool tf32) {
    return {.row = {.name = name,
                    .why_not = tf32 ? why_not_tf32 : why_not_cudnn,
                    .prepare = prepare,
                    .cost = layer_cost},
            .relative = tf32 ? of_tf32 : of_transforms};
}

}  // namespace

// `heuristic` is the algorithm that cuDNN's heuristics choose, `fastest` the one that its own
// timing finds, `graph` the fastest engine that its graph API ranks.
std::vector<LayerPeer> layer_peer_rows() {
    return {
        cudnn("cudnn/heuristic", prepare<CudnnChoice::heuristic, false>, false),
        cudnn("cudnn/fastest", prepare<CudnnChoice::fastest, false>, false),
        cudnn("cudnn/implicit_gemm", prepare<CudnnChoice::implicit_gemm, false>, false),
        cudnn("cudnn/implicit_precomp_gemm", prepare<CudnnChoice::implicit_precomp_gemm, false>,
              false),
        cudnn("cudnn/fastest_tf32", prepare<CudnnChoice::fastest, true>, true),
        cudnn("cudnn/graph", prepare_graph<false>, false),
        cudnn("cudnn/graph_tf32", prepare_graph<true>, true),
        // A dense product of all images.
        {.row = {.name = "cublas/im2col_sgemm",
                 .why_not = why_not_cublas,
                 .prepare = prepare_cublas,
                 .cost = layer_cost},
         .relative = of_fp32},
        // A product with compressed rows.
        {.row = {.name = "cusparse/im2col_spmm",
                 .why_not = why_not_cusparse,
                 .prepare = prepare_cusparse,
                 .cost = layer_cost},
         .relative = of_fp32},
    };
}

}  // namespace weft::bench
