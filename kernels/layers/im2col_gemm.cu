// The kernel im2col_gemm: im2col_gemm.cuh, then cuBLAS, in chunks of as many images as fit into
// kMatrixBytes, or of a part of one image's pixels.
#include <algorithm>
#include <cstring>

#include "kernels/common/half_bits.h"
#include "kernels/device/cublas.h"
#include "kernels/device/device_array.cuh"
#include "kernels/device/stream.h"
#include "kernels/layers/im2col_gemm.cuh"
#include "kernels/layers/layer_kernel.h"

namespace weft {

namespace {

constexpr std::int64_t kMatrixBytes = 256 << 20;

// [out][product], products in the matrix's order, as bytes of the layer's type.
std::vector<std::byte> weight_matrix(const LayerProblem& p) {
    const std::vector<float> used = used_weights(p);
    const std::vector<int> order = tap_order(p, p.layout == LayerLayout::nhwc);
    const std::size_t size = bytes_per_element(p.type);
    std::vector<std::byte> out(used.size() * size);
    for (std::size_t k = 0; k < used.size(); ++k) {
        const std::size_t m = k / order.size();
        const float w = used[m * order.size() + static_cast<std::size_t>(order[k % order.size()])];
        const std::uint16_t half = half_bits(w);
        const void* const from = p.type == LayerType::f32 ? static_cast<const void*>(&w)
                                                          : static_cast<const void*>(&half);
        std::memcpy(out.data() + k * size, from, size);
    }
    return out;
}

using Im2colKernel = void (*)(Im2colArgs);

Im2colKernel im2col_kernel(const LayerProblem& p) {
    const bool half = p.type == LayerType::f16;
    if (p.layout == LayerLayout::nhwc)
        return half ? im2col_pixels<ElementF16> : im2col_pixels<ElementF32>;
    return half ? im2col_planes<ElementF16> : im2col_planes<ElementF32>;
}

class PreparedIm2col : public PreparedLayer {
 public:
    PreparedIm2col(const LayerProblem& p, const Device& device)
        : device_(device),
          type_(p.type),
          size_(bytes_per_element(p.type)),
          groups_(p.groups),
          kernel_(im2col_kernel(p)),
          weights_(upload(weight_matrix(p))),
          places_(upload(tap_places(p, p.layout == LayerLayout::nhwc))) {
        args_.shape = layer_shape(p);
        args_.places = places_.get();
        args_.depth = p.sum_length();
        plane_ = p.out_height() * p.out_width();
        const auto fit = static_cast<int>(kMatrixBytes / static_cast<std::int64_t>(size_) /
                                          args_.depth);  // pixels
        // Multiples of eight, so that chunks begin at multiples of 16 bytes.
        pixels_ = std::min(std::max(fit / 8, 1) * 8, plane_);
        images_ = std::clamp(fit / plane_, 1, p.batch);
        matrix_ = device_array<std::byte>(static_cast<std::size_t>(images_) *
                                          static_cast<std::size_t>(pixels_) *
                                          static_cast<std::size_t>(args_.depth) * size_);
        args_.matrix = matrix_.get();
    }

    void launch(const void* input, void* output, StreamView stream) override {
        use_device(device_);
        args_.input = input;
        auto* const bytes = static_cast<std::byte*>(output);
        for (int n = 0; n < args_.shape.batch; n += images_)
            for (int first = 0; first < plane_; first += pixels_)
                for (int group = 0; group < groups_; ++group) {
                    const Chunk chunk{.image = n,
                                      .images = std::min(images_, args_.shape.batch - n),
                                      .first = first,
                                      .pixels = std::min(pixels_, plane_ - first),
                                      .group = group};
                    gather(chunk, stream);
                    multiply(chunk, bytes, stream);
                }
    }

 private:
    // Images, and the pixels of each of their output planes.
    struct Chunk {
        int image, images, first, pixels, group;
    };

    void gather(const Chunk& chunk, StreamView stream) {
        args_.group = chunk.group;
        args_.pixels = static_cast<unsigned>(chunk.pixels);
        args_.first_pixel = static_cast<unsigned>(chunk.image) * static_cast<unsigned>(plane_) +
                            static_cast<unsigned>(chunk.first);
        args_.columns = static_cast<unsigned>(chunk.images) * args_.pixels;
        const dim3 block(32, kIm2colWarps);
        const auto ceil_div = [](unsigned n, unsigned d) { return (n + d - 1) / d; };
        const dim3 planes(ceil_div(args_.columns, kIm2colBlock),
                          ceil_div(static_cast<unsigned>(args_.depth), kIm2colSlice));
        if (args_.shape.channels_last)
            kernel_<<<ceil_div(args_.columns, kIm2colWarps), block, 0, stream>>>(args_);
        else
            kernel_<<<planes, block, 0, stream>>>(args_);
        cuda_check(cudaGetLastError(), "launch im2col");
    }

    void multiply(const Chunk& chunk, std::byte* output, StreamView stream) {
        const LayerShape& s = args_.shape;
        const std::int64_t row = static_cast<std::int64_t>(chunk.group) * s.group_outputs;
        const std::int64_t image = static_cast<std::int64_t>(chunk.image) * s.out_channels * plane_;
        const void* const weights =
            weights_.get() + static_cast<std::size_t>(row * args_.depth) * size_;
        const auto element = [&](std::int64_t k) {
            return output + static_cast<std::size_t>(k) * size_;
        };
        BlasProduct p{.type = type_, .k = args_.depth};
        if (s.channels_last) {  // output [pixel][channel] is channels × pixels by columns
            p.transpose_a = true;
            p.m = s.group_outputs;
            p.n = chunk.images * chunk.pixels;
            p.a = weights;
            p.b = matrix_.get();
            p.c = element(image + static_cast<std::int64_t>(chunk.first) * s.out_channels + row);
            p.lda = p.ldb = args_.depth;
            p.ldc = s.out_channels;
        } else {  // output [channel][pixel] is pixels × channels by columns, image by image
            p.m = chunk.pixels;
            p.n = s.group_outputs;
            p.a = matrix_.get();
            p.b = weights;
            p.c = element(image + row * plane_ + chunk.first);
            p.lda = chunk.pixels;
            p.ldb = args_.depth;
            p.ldc = plane_;
            p.stride_a = static_cast<long long>(args_.depth) * chunk.pixels;
            p.stride_c = static_cast<long long>(s.out_channels) * plane_;
            p.count = chunk.images;
        }
        blas_.multiply(p, stream);
    }

    Device device_;
    LayerType type_;
    std::size_t size_;
    int groups_;
    Im2colKernel kernel_;
    DeviceArray<std::byte> weights_;
    DeviceArray<TapPlace> places_;
    DeviceArray<std::byte> matrix_;
    Im2colArgs args_;
    int plane_ = 1;                // pixels of an output plane
    int images_ = 1, pixels_ = 1;  // per chunk
    Blas blas_;
};

}  // namespace

std::unique_ptr<PreparedLayer> prepare_layer_im2col(const LayerProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    return std::make_unique<PreparedIm2col>(p, device);
}

}  // namespace weft
