// A tensor core kernel made ready for one problem. For CUDA sources only.
#pragma once

#include <algorithm>

#include "kernels/conv_kernel.h"
#include "kernels/device/device_array.cuh"
#include "kernels/device/image_buffer.h"
#include "kernels/device/shared_memory.cuh"
#include "kernels/tensor/tensor_layout.h"

namespace weft {

using TensorKernel = void (*)(TensorArgs);

// Blocks compute tile after tile, with the next in flight, while fetching takes the most time. With
// more chunks of taps the tensor cores do, and blocks of one tile each are spread more evenly: on
// an H200 31×31 takes 65 µs with them and 73 otherwise, 9×9 takes 21 and 18.
constexpr int kFetchAhead = 40;

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
          shared_bytes_(layout.shared_bytes) {
        args_.images.x.table = borders_.get();
        args_.images.y.table = borders_.get() + layout.borders.y_table;
        args_.bands = bands_.get();
        args_.columns = columns_.get();
        if (shared_bytes_ > 48 * 1024) allow_all_shared_memory(kernel_);
        if (args_.tap_rows * args_.chunks <= kFetchAhead)
            args_.blocks = std::min(args_.tiles, device.multiprocessors * resident_blocks());
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView stream) override {
        check_images(problem_, src, dst, MemorySpace::device);
        use_device(device_);
        set_images(src, dst, args_.images);
        args_.tile.src_aligned = rows_aligned(src, 16);
        args_.dst_aligned = rows_aligned(dst, 16);
        kernel_<<<args_.blocks, dim3(32, args_.tile.threads / 32), shared_bytes_, stream>>>(args_);
        cuda_check(cudaGetLastError(), "launch a tensor core kernel");
    }

 private:
    int resident_blocks() const {
        int blocks = 0;
        cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel_,
                                                                 args_.tile.threads, shared_bytes_),
                   "ask how many blocks fit on a multiprocessor");
        return std::max(blocks, 1);
    }

    ConvProblem problem_;
    Device device_;
    TensorKernel kernel_;
    DeviceArray<std::uint32_t> bands_;
    DeviceArray<std::uint32_t> columns_;
    DeviceArray<int> borders_;
    TensorArgs args_;
    int shared_bytes_;
};

}  // namespace weft
