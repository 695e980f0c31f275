// The list of kernels. Adding one is a source file and a row here.
#include <algorithm>
#include <array>
#include <functional>

#include "kernels/box/box_layout.h"
#include "kernels/common/dense_args.h"
#include "kernels/common/direct_layout.h"
#include "kernels/conv_kernel.h"
#include "kernels/cuda_rows.h"
#include "kernels/device/cufft.h"
#include "kernels/fft/fft_layout.h"
#include "kernels/layers/image_layer.h"
#include "kernels/layers/layer_forms.h"
#include "kernels/reuse/reuse_layout.h"
#include "kernels/rounding.h"
#include "kernels/separable/fused_layout.h"
#include "kernels/sparse/sparse_image.h"
#include "kernels/tensor/tensor_int8_layout.h"
#include "kernels/tensor/tensor_layout.h"

namespace weft {

extern const ConvKernel opencv_cpu_row;  // opencv_cpu.cpp

namespace {

bool every_tap_set(const ConvProblem& p, const std::function<bool(const Taps&)>& holds) {
    return std::ranges::all_of(
        p.conv, [&](const ChannelConv& c) { return std::ranges::all_of(c.taps, holds); });
}

std::string why_not_dense(const ConvProblem& p, const Device& device) {
    if (std::string reason = why_no_gpu(device); !reason.empty()) return reason;
    if (!every_tap_set(p, &Taps::dense))
        return "it takes dense taps up to 63×63, and these are larger: separable_reuse takes them";
    return "";
}

std::string why_not_fp32_sums(const ConvProblem& p, const Device& device) {
    std::string reason = why_not_dense(p, device);
    return reason.empty() ? why_not_dense_in_fp32(p) : reason;
}

std::string why_not_column_row_reuse(const ConvProblem& p, const Device& device) {
    std::string reason = why_not_fp32_sums(p, device);
    return reason.empty() ? why_not_reuse(p, device) : reason;
}

std::string why_not_classic(const ConvProblem& p, const Device& device) {
    if (std::string reason = why_not_fp32_sums(p, device); !reason.empty()) return reason;
    if (p.taps().width > kClassicColumns)
        return "it takes taps up to 33 columns wide: the lanes of a warp exchange no more";
    return "";
}

std::string why_no_room(int shared_bytes, const Device& device) {
    if (shared_bytes <= most_shared_bytes(device)) return "";
    return "its tile and the halo of these taps do not fit into a block's shared memory";
}

std::string why_not_shared_tile(const ConvProblem& p, const Device& device) {
    std::string reason = why_not_fp32_sums(p, device);
    return reason.empty() ? why_no_room(shared_tile_bytes(p), device) : reason;
}

// Checks for the library last: it is large, and searched for only if it could be used.
std::string why_not_fft_here(const ConvProblem& p, const Device& device) {
    if (std::string reason = why_not_dense(p, device); !reason.empty()) return reason;
    std::string reason = why_not_fft(p);
    return reason.empty() ? why_no_cufft() : reason;
}

std::string why_not_sparse(const ConvProblem& p, const Device& device) {
    std::string reason = why_not_fp32_sums(p, device);
    return reason.empty() ? why_no_room(sparse_image_bytes(p), device) : reason;
}

std::string why_not_separable(const ConvProblem& p, const Device& device) {
    if (std::string reason = why_no_gpu(device); !reason.empty()) return reason;
    if (p.combine != Combine::single)
        return "it takes one tap set, and this problem combines several";
    if (!every_tap_set(p, &Taps::separable))
        return "it takes taps that are a row times a column, and these are not known to be";
    if (!every_tap_set(p, factors_keep_exactness))
        return "the taps are whole numbers and their factors are fractions: two passes would round "
               "what dense taps compute exactly";
    return "";
}

std::string why_not_separable_reuse(const ConvProblem& p, const Device& device) {
    if (std::string reason = why_not_separable(p, device); !reason.empty()) return reason;
    std::string reason = why_not_fused(p, device);
    return reason.empty() ? why_not_factors_in_fp32(p) : reason;
}

std::string why_not_box_sum(const ConvProblem& p, const Device& device) {
    std::string reason = why_no_gpu(device);
    return reason.empty() ? why_not_box(p, device) : reason;
}

std::string why_no_tensor_cores(const Device& device) {
    if (std::string reason = why_no_gpu(device); !reason.empty()) return reason;
    if (device.compute_major >= 8) return "";
    return "it needs tensor cores with fp32 sums: a GPU of the Ampere generation or newer";
}

std::string why_not_dense_on_tensor_cores(const ConvProblem& p, const Device& device) {
    std::string reason = why_no_tensor_cores(device);
    return reason.empty() ? why_not_tensor_dense(p, device) : reason;
}

std::string why_not_int8_on_tensor_cores(const ConvProblem& p, const Device& device) {
    std::string reason = why_no_tensor_cores(device);
    return reason.empty() ? why_not_tensor_int8(p) : reason;
}

std::string why_not_separable_on_tensor_cores(const ConvProblem& p, const Device& device) {
    std::string reason = why_no_tensor_cores(device);
    return reason.empty() ? why_not_tensor_separable(p, device) : reason;
}

double samples(const ConvProblem& p) {
    return static_cast<double>(p.width) * p.height * p.channels;
}

double image_bytes(const ConvProblem& p) {
    const double pixels = static_cast<double>(p.width) * p.height;
    return pixels * (p.channels + p.out_channels()) * static_cast<double>(bytes_per_sample(p.type));
}

Cost dense_cost(const ConvProblem& p) {
    const double taps = static_cast<double>(p.taps().width) * p.taps().height *
                        static_cast<double>(p.conv.front().taps.size());
    return {.bytes = image_bytes(p),
            .flops = 2.0 * samples(p) * taps,
            .flops_formula = "2 × width × height of the taps, for each tap set and sample"};
}

Cost fft_cost(const ConvProblem& p) {
    return {.bytes = image_bytes(p),
            .flops = fft_flops(p),
            .flops_formula = "5 n log2 n + 3 n for each tile of n samples, its overlap included"};
}

Cost sparse_cost(const ConvProblem& p) {
    return {.bytes = image_bytes(p),
            .flops = 2.0 * samples(p) * taps_not_zero(p),
            .flops_formula = "2 × taps that are not zero, for each tap set and sample"};
}

Cost separable_cost(const ConvProblem& p) {
    const double taps = p.taps().width + p.taps().height;
    return {.bytes = image_bytes(p),
            .flops = 2.0 * samples(p) * taps,
            .flops_formula = "2 × (width + height) of the taps, for each sample"};
}

// Counts the running sums themselves: a sample enters and leaves a column, a column a window.
Cost box_cost(const ConvProblem& p) {
    return {.bytes = image_bytes(p),
            .flops = 2.0 * samples(p) * 10.0,
            .flops_formula = "20 for each sample, whatever the size of the box"};
}

// An image computed by a row's layer form.
template <LayerForm (*form)()>
std::string why_not_as_layer_of(const ConvProblem& p, const Device& device) {
    return why_not_as_layer(p, device, form());
}

template <LayerForm (*form)()>
std::unique_ptr<PreparedConv> prepare_as_layer_of(const ConvProblem& p, const Device& device) {
    return prepare_as_layer(p, device, form());
}

// In the order of lists and tables.
auto all_rows() {
    return std::to_array<ConvKernel>({
        ConvKernel{
            .name = "box_sum",
            .summary = "running sums down the columns, then along the rows, in one launch: cost "
                       "does not grow with the box",
            .source = "running sums (McDonnell, CGIP 1981; Crow, SIGGRAPH 1984)",
            .limits = "NVIDIA GPU; 8 and 16 bits; taps all of one value, up to 511 a side (16 "
                      "bits: 65,537 taps)",
            .space = MemorySpace::device,
            .why_not = why_not_box_sum,
            .prepare = prepare_box_sum,
            .cost = box_cost,
        },
        ConvKernel{
            .name = "tensor_separable",
            .summary = "a column pass and a row pass as banded matrices on tensor cores, in one "
                       "launch and without an image between",
            .source = "banded Toeplitz blocks (HardBoiled, CGO 2026); accumulators as operands "
                      "(FlashAttention-2)",
            .limits = "NVIDIA GPU from Ampere on; 8-bit, 1, 2 or 4 channels; row × column up to "
                      "33 × 63; within 1 step, whole numbers exact",
            .space = MemorySpace::device,
            .arithmetic = Arithmetic::half_between,
            .why_not = why_not_separable_on_tensor_cores,
            .prepare = prepare_tensor_separable,
            .cost = separable_cost,
        },
        ConvKernel{
            .name = "tensor_int8",
            .summary = "every tap row as a banded matrix of signed bytes on integer tensor cores, "
                       "times the pixels as they are in memory",
            .source = "banded Toeplitz blocks (ConvStencil, PPoPP 2024) with rows reused in "
                      "registers (Lu, Zhang, Wang, CLUSTER 2020)",
            .limits = "NVIDIA GPU from Ampere on; 8-bit, 1 channel; dense taps up to 63×63; "
                      "within 1 step, whole numbers up to ±127 exact",
            .space = MemorySpace::device,
            .arithmetic = Arithmetic::half_taps,
            .why_not = why_not_int8_on_tensor_cores,
            .prepare = prepare_tensor_int8,
            .cost = dense_cost,
        },
        ConvKernel{
            .name = "tensor_dense",
            .summary = "every tap row as a banded matrix on tensor cores: 16 rows of image times "
                       "the band of eight outputs",
            .source = "banded Toeplitz blocks (ConvStencil, PPoPP 2024; HardBoiled, CGO 2026)",
            .limits = "NVIDIA GPU from Ampere on; 8-bit, 1, 2 or 4 channels; dense taps up to "
                      "63×63; within 1 step, whole numbers exact",
            .space = MemorySpace::device,
            .arithmetic = Arithmetic::half_taps,
            .why_not = why_not_dense_on_tensor_cores,
            .prepare = prepare_tensor_dense,
            .cost = dense_cost,
        },
        ConvKernel{
            .name = "column_row_reuse",
            .summary = "columns by warp shuffles, rows by rolling accumulators: each sample is "
                       "loaded once a strip",
            .source = "Lu, Zhang, Wang, CLUSTER 2020 and TPDS 2021; patent CN111797985",
            .limits = "NVIDIA GPU; dense taps up to 63×63; depthwise layers from Ampere on, 3×3 to "
                      "7×7, stride 1 and 2",
            .space = MemorySpace::device,
            .why_not = why_not_column_row_reuse,
            .prepare = prepare_column_row_reuse,
            .cost = dense_cost,
            .layer = depthwise_layer_form(),
        },
        ConvKernel{
            .name = "separable_reuse",
            .summary = "both passes in one launch: sixteen results of a column on their way, then "
                       "eight pixels of a row, sums between them in shared memory",
            .source = "register blocking, textbook; passes fused as in Lu, Zhang, Wang, TPDS 2021",
            .limits = "NVIDIA GPU; one tap set, known as row × column, up to 511 a side",
            .space = MemorySpace::device,
            .why_not = why_not_separable_reuse,
            .prepare = prepare_separable_reuse,
            .cost = separable_cost,
        },
        ConvKernel{
            .name = "direct_separable",
            .summary = "a pass along rows into fp32, then one along columns: cost grows with the "
                       "side of the taps, not with their area",
            .source = "textbook",
            .limits = "NVIDIA GPU; one tap set, known as row × column, up to 511 a side",
            .space = MemorySpace::device,
            .why_not = why_not_separable,
            .prepare = prepare_direct_separable,
            .cost = separable_cost,
        },
        ConvKernel{
            .name = "column_row_reuse_classic",
            .summary = "column and row reuse as published: a column a lane, the window by a "
                       "butterfly of shuffles, taps in shared memory; to compare",
            .source = "Lu, Zhang, Wang, CLUSTER 2020 and TPDS 2021; patent CN111797985",
            .limits = "NVIDIA GPU; dense taps up to 33 wide and 63 high",
            .space = MemorySpace::device,
            .why_not = why_not_classic,
            .prepare = prepare_reuse_classic,
            .cost = dense_cost,
        },
        ConvKernel{
            .name = "shared_tile",
            .summary = "a tile and its halo in shared memory, one window an output; to compare",
            .source = "textbook",
            .limits = "NVIDIA GPU; dense taps up to 63×63 and layers, both while a tile with its "
                      "halo fits into shared memory",
            .space = MemorySpace::device,
            .why_not = why_not_shared_tile,
            .prepare = prepare_shared_tile,
            .cost = dense_cost,
            .layer = shared_tile_layer_form(),
        },
        ConvKernel{
            .name = "fft",
            .summary = "tiles through the frequency domain by cuFFT: cost hardly grows with the "
                       "taps; to compare, for very large ones",
            .source = "overlap-save, textbook; cuFFT, loaded at run time",
            .limits = "NVIDIA GPU with cuFFT; one set of dense taps up to 63×63, no whole numbers; "
                      "8 bits and f32; layers whose taps take up to 128 a side with their "
                      "dilation; of f32 a NaN, an infinity and the rounding errors of a large "
                      "sample spread over a tile of up to 1024×1024",
            .space = MemorySpace::device,
            .arithmetic = Arithmetic::fourier,
            .why_not = why_not_fft_here,
            .prepare = prepare_fft,
            .cost = fft_cost,
            .layer = fft_layer_form(),
        },
        ConvKernel{
            .name = "direct",
            .summary =
                "one output per thread, every sample loaded again for every tap: the baseline",
            .source = "textbook",
            .limits = "NVIDIA GPU; dense taps up to 63×63",
            .space = MemorySpace::device,
            .sums_channels = true,
            .why_not = why_not_dense,
            .prepare = prepare_direct,
            .cost = dense_cost,
            .layer = direct_layer_form(),
        },
        ConvKernel{
            .name = "implicit_gemm",
            .summary = "a layer as a product of matrices, the input gathered by index arithmetic "
                       "inside a tiled GEMM; f16 on tensor cores",
            .source = "Chetlur et al., cuDNN, 2014",
            .limits = "NVIDIA GPU from Ampere on; layers; images as planes of fp32, dense taps",
            .space = MemorySpace::device,
            .sums_channels = true,
            .why_not = why_not_as_layer_of<gemm_layer_form>,
            .prepare = prepare_as_layer_of<gemm_layer_form>,
            .cost = dense_cost,
            .layer = gemm_layer_form(),
        },
        ConvKernel{
            .name = "im2col_gemm",
            .summary = "the input of every product written out as a matrix, then cuBLAS: what the "
                       "others save",
            .source = "Chellapilla, Puri, Simard, 2006; Caffe",
            .limits = "NVIDIA GPU; cuBLAS 12 or 13; layers; images as planes of fp32, dense taps; "
                      "256 MiB for the matrix",
            .space = MemorySpace::device,
            .sums_channels = true,
            .why_not = why_not_as_layer_of<im2col_layer_form>,
            .prepare = prepare_as_layer_of<im2col_layer_form>,
            .cost = dense_cost,
            .layer = im2col_layer_form(),
        },
        ConvKernel{
            .name = "sparse_direct_tiled",
            .summary = "weights that are not zero, their values and indices and the input in "
                       "shared memory, lists shared out evenly",
            .source = "Fang et al., Computer Engineering & Science 2018; Park et al., ICLR 2017",
            .limits =
                "NVIDIA GPU from Ampere on; layers in nchw and images as planes of fp32, dense "
                "taps with many weights of zero",
            .space = MemorySpace::device,
            .sums_channels = true,
            .why_not = why_not_as_layer_of<sparse_tiled_layer_form>,
            .prepare = prepare_as_layer_of<sparse_tiled_layer_form>,
            .cost = sparse_cost,
            .layer = sparse_tiled_layer_form(),
        },
        ConvKernel{
            .name = "sparse_direct",
            .summary = "taps that are not zero, as values and distances: of images in a tile of "
                       "shared memory, of layers in the input",
            .source = "Fang et al., Computer Engineering & Science 2018; Park et al., ICLR 2017",
            .limits = "NVIDIA GPU; dense taps up to 63×63 and layers, both with many zeros",
            .space = MemorySpace::device,
            .why_not = why_not_sparse,
            .prepare = prepare_sparse_image,
            .cost = sparse_cost,
            .layer = sparse_layer_form(),
        },
        opencv_cpu_row,
    });
}

}  // namespace

std::string why_no_gpu(const Device& device) {
    if (std::string reason = why_no_cuda(); !reason.empty()) return reason;
    return device.is_gpu() ? "" : "it runs on an NVIDIA GPU, and the device is the CPU";
}

std::string why_cannot(const ConvKernel& row, const ConvProblem& p, const Device& device) {
    if (row.takes_images() && p.sums_channels && !row.sums_channels)
        return "it filters each channel by itself, and these sums run over all";
    return row.why_not(p, device);
}

std::string takes_no_layers(const LayerProblem&, const Device&) {
    return "it filters images and takes no layers";
}

std::string takes_no_images(const ConvProblem&, const Device&) {
    return "it computes layers and takes no images";
}

std::span<const ConvKernel> conv_kernels() {
    static const auto rows = all_rows();
    return rows;
}

const ConvKernel* find_kernel(std::string_view name) {
    const std::span<const ConvKernel> rows = conv_kernels();
    const auto found = std::ranges::find(rows, name, &ConvKernel::name);
    return found == rows.end() ? nullptr : &*found;
}

}  // namespace weft
