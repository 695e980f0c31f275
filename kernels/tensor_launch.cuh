// A tensor core kernel made ready for one problem. For CUDA sources only.
#pragma once

#include "kernels/conv_kernel.h"
#include "kernels/device_array.cuh"
#include "kernels/image_buffer.h"
#include "kernels/tensor_layout.h"

namespace weft {

using TensorKernel = void (*)(TensorArgs);

class PreparedTensor : public PreparedConv {
 public:
    PreparedTensor(const ConvProblem& p, const Device& device, TensorKernel kernel,
                   const TensorLayout& layout)
        : problem_(p),
          device_(device),
          kernel_(kernel),
          bands_(upload(layout.bands)),
          columns_(upload(layout.columns)),
          borders_(upload(layout.borders.entries)),
          args_(layout.args),
          shared_bytes_(layout.shared_bytes),
          grid_(layout.grid) {
        args_.images.x.table = borders_.get();
        args_.images.y.table = borders_.get() + layout.borders.y_table;
        args_.bands = bands_.get();
        args_.columns = columns_.get();
        if (shared_bytes_ > 48 * 1024)
            cuda_check(cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            shared_bytes_),
                       "reserve shared memory for large taps");
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView stream) override {
        check_images(problem_, src, dst, MemorySpace::device);
        use_device(device_);
        set_images(src, dst, args_.images);
        args_.tile.src_aligned = rows_aligned(src, 16);
        args_.dst_aligned = rows_aligned(dst, 16);
        kernel_<<<dim3(grid_.x, grid_.y, grid_.z), dim3(32, kTensorThreads / 32), shared_bytes_,
                  stream>>>(args_);
        cuda_check(cudaGetLastError(), "launch a tensor core kernel");
    }

 private:
    ConvProblem problem_;
    Device device_;
    TensorKernel kernel_;
    DeviceArray<std::uint32_t> bands_;
    DeviceArray<std::uint32_t> columns_;
    DeviceArray<int> borders_;
    TensorArgs args_;
    int shared_bytes_;
    TensorGrid grid_;
};

}  // namespace weft
