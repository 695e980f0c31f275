// Launches tensor_int8_narrow.cuh and tensor_int8_wide.cuh.
#include <algorithm>

#include "kernels/conv_kernel.h"
#include "kernels/cuda_rows.h"
#include "kernels/device_array.cuh"
#include "kernels/image_buffer.h"
#include "kernels/tensor_int8_layout.h"
#include "kernels/tensor_int8_narrow.cuh"
#include "kernels/tensor_int8_wide.cuh"

namespace weft {

namespace {

using Int8Kernel = void (*)(Int8Args);

template <Int8Sums kSums>
Int8Kernel narrow_kernel(int tap_rows) {
    switch (tap_rows) {
        case 3:
            return tensor_int8_narrow<3, kSums>;
        case 5:
            return tensor_int8_narrow<5, kSums>;
        case 7:
            return tensor_int8_narrow<7, kSums>;
        default:
            return tensor_int8_narrow<9, kSums>;
    }
}

template <Int8Sums kSums>
Int8Kernel wide_kernel(int chunks) {
    switch (chunks) {
        case 2:
            return tensor_int8_wide<2, kSums>;
        case 3:
            return tensor_int8_wide<3, kSums>;
        case 4:
            return tensor_int8_wide<4, kSums>;
        default:
            return tensor_int8_wide<5, kSums>;
    }
}

Int8Kernel kernel_for(const Int8Layout& layout) {
    const bool narrow = layout.narrow_rows > 0;
    switch (layout.sums) {
        case Int8Sums::whole:
            return narrow ? narrow_kernel<Int8Sums::whole>(layout.narrow_rows)
                          : wide_kernel<Int8Sums::whole>(layout.chunks);
        case Int8Sums::fraction:
            return narrow ? narrow_kernel<Int8Sums::fraction>(layout.narrow_rows)
                          : wide_kernel<Int8Sums::fraction>(layout.chunks);
        case Int8Sums::magnitude:
            return narrow_kernel<Int8Sums::magnitude>(layout.narrow_rows);
    }
    return nullptr;
}

class PreparedInt8 : public PreparedConv {
 public:
    PreparedInt8(const ConvProblem& p, const Device& device, const Int8Layout& layout)
        : problem_(p),
          device_(device),
          kernel_(kernel_for(layout)),
          bands_(upload(layout.bands)),
          borders_(upload(layout.borders.entries)),
          args_(layout.args),
          tiles_x_(layout.tiles_x),
          shared_bytes_(layout.shared_bytes) {
        args_.images.x.table = borders_.get();
        args_.images.y.table = borders_.get() + layout.borders.y_table;
        args_.bands = bands_.get();
        if (shared_bytes_ > 48 * 1024)
            cuda_check(cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            shared_bytes_),
                       "reserve shared memory for large taps");
        const int blocks = device.multiprocessors * resident_blocks();
        args_.blocks_y = std::clamp(blocks / tiles_x_, 1, args_.tiles_y);
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView stream) override {
        check_images(problem_, src, dst, MemorySpace::device);
        use_device(device_);
        set_images(src, dst, args_.images);
        args_.tile.src_aligned = rows_aligned(src, 16);
        args_.dst_aligned = rows_aligned(dst, 4);
        kernel_<<<dim3(tiles_x_, args_.blocks_y), dim3(32, kInt8Warps), shared_bytes_, stream>>>(
            args_);
        cuda_check(cudaGetLastError(), "launch a tensor core kernel");
    }

 private:
    int resident_blocks() const {
        int blocks = 0;
        cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel_, kInt8Threads,
                                                                 shared_bytes_),
                   "ask how many blocks fit on a multiprocessor");
        return std::max(blocks, 1);
    }

    ConvProblem problem_;
    Device device_;
    Int8Kernel kernel_;
    DeviceArray<std::uint32_t> bands_;
    DeviceArray<int> borders_;
    Int8Args args_;
    int tiles_x_;
    int shared_bytes_;
};

}  // namespace

std::unique_ptr<PreparedConv> prepare_tensor_int8(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    return std::make_unique<PreparedInt8>(p, device, lay_out_tensor_int8(p));
}

}  // namespace weft
