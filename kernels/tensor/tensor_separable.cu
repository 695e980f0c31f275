// Launches tensor_separable.cuh.
#include <array>
#include <utility>

#include "kernels/common/device_borders.cuh"
#include "kernels/common/kernel_launch.cuh"
#include "kernels/device/device_array.cuh"
#include "kernels/device/stream.h"
#include "kernels/tensor/tensor_separable.cuh"

namespace weft {

namespace {

using SeparableKernel = void (*)(TensorSeparableArgs);

template <StripSums kSums, int C, int F, std::size_t... Index>
SeparableKernel kernel_of_shape(std::size_t shape, std::index_sequence<Index...>) {
    constexpr std::array<SeparableKernel, sizeof...(Index)> kKernels = {
        tensor_separable<kSums, C, F, strip_shape(C, Index).halves, strip_shape(C, Index).chunks,
                         strip_shape(C, Index).tiles, strip_shape(C, Index).blocks>...};
    return kKernels[shape];
}

template <int C, int F = C>
SeparableKernel kernel_of_channels(const TensorSeparableLayout& layout) {
    constexpr auto kShapes = std::make_index_sequence<strip_shapes(C)>();
    return layout.sums == StripSums::whole
               ? kernel_of_shape<StripSums::whole, C, F>(layout.shape, kShapes)
               : kernel_of_shape<StripSums::rounded, C, F>(layout.shape, kShapes);
}

SeparableKernel kernel_of(const TensorSeparableLayout& layout) {
    switch (layout.channels) {
        case 1:
            return kernel_of_channels<1>(layout);
        case 2:
            return kernel_of_channels<2>(layout);
        case 3:
            return kernel_of_channels<3>(layout);
        default:
            return layout.filtered == 3 ? kernel_of_channels<4, 3>(layout)
                                        : kernel_of_channels<4>(layout);
    }
}

class PreparedTensorSeparable : public PreparedConv {
 public:
    PreparedTensorSeparable(const ConvProblem& p, const Device& device,
                            TensorSeparableLayout layout)
        : problem_(p),
          device_(device),
          kernel_(kernel_of(layout)),
          shared_bytes_(
              strip_shared_bytes(layout.channels, strip_shape(layout.channels, layout.shape))),
          rows_(upload(layout.rows)),
          columns_(upload(layout.columns)),
          borders_(layout.borders) {
        cut_strips(device.multiprocessors, resident_blocks(), layout);
        args_ = layout.args;
        borders_.point(args_.images);
        args_.rows = rows_.get();
        args_.columns = columns_.get();
        launch_ = {
            .blocks = static_cast<unsigned>(blocks_of(args_)),
            .threads = dim3(32, kStripWarps),
            .shared_bytes = shared_bytes_,
            .early = can_start_early(kernel_) &&
                     fill_the_gpu(blocks_of(args_), resident_blocks(), device.multiprocessors)};
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView stream) override {
        check_images(problem_, src, dst, MemorySpace::device);
        use_device(device_);
        set_images(src, dst, args_.images);
        args_.src_aligned = rows_aligned(src, 16);
        args_.dst_aligned = rows_aligned(dst, 16);
        weft::launch(kernel_, launch_, stream, args_, "launch tensor_separable");
    }

 private:
    int resident_blocks() const {
        int blocks = 0;
        cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel_, kStripThreads,
                                                                 shared_bytes_),
                   "ask how many blocks fit on a multiprocessor");
        return blocks;
    }

    ConvProblem problem_;
    Device device_;
    SeparableKernel kernel_;
    int shared_bytes_;
    DeviceArray<std::uint32_t> rows_;
    DeviceArray<std::uint32_t> columns_;
    DeviceBorders borders_;
    TensorSeparableArgs args_;
    LaunchShape launch_;
};

}  // namespace

std::unique_ptr<PreparedConv> prepare_tensor_separable(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    return std::make_unique<PreparedTensorSeparable>(p, device, lay_out_tensor_separable(p));
}

}  // namespace weft
