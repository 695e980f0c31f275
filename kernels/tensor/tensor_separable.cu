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

template <std::size_t... Index>
SeparableKernel kernel_of(std::size_t shape, std::index_sequence<Index...>) {
    constexpr std::array<SeparableKernel, sizeof...(Index)> kKernels = {
        tensor_separable<kStripShapes[Index].halves, kStripShapes[Index].chunks,
                         kStripShapes[Index].tiles, kStripShapes[Index].blocks>...};
    return kKernels[shape];
}

class PreparedTensorSeparable : public PreparedConv {
 public:
    PreparedTensorSeparable(const ConvProblem& p, const Device& device,
                            TensorSeparableLayout layout)
        : problem_(p),
          device_(device),
          kernel_(kernel_of(layout.shape, std::make_index_sequence<std::size(kStripShapes)>())),
          shared_bytes_(strip_shared_bytes(kStripShapes[layout.shape])),
          rows_(upload(layout.rows)),
          columns_(upload(layout.columns)),
          borders_(layout.borders) {
        cut_strips(device.multiprocessors, resident_blocks(), layout);
        args_ = layout.args;
        borders_.point(args_.images);
        args_.rows = rows_.get();
        args_.columns = columns_.get();
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView stream) override {
        check_images(problem_, src, dst, MemorySpace::device);
        use_device(device_);
        set_images(src, dst, args_.images);
        args_.src_aligned = rows_aligned(src, 16);
        args_.dst_aligned = rows_aligned(dst, 16);
        kernel_<<<blocks_of(args_), dim3(32, kStripWarps), shared_bytes_, stream>>>(args_);
        cuda_check(cudaGetLastError(), "launch tensor_separable");
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
};

}  // namespace

std::unique_ptr<PreparedConv> prepare_tensor_separable(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    return std::make_unique<PreparedTensorSeparable>(p, device, lay_out_tensor_separable(p));
}

}  // namespace weft
