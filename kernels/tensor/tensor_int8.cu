// Launches tensor_int8_narrow.cuh and tensor_int8_wide.cuh.
#include <algorithm>

#include "kernels/common/kernel_launch.cuh"
#include "kernels/conv_kernel.h"
#include "kernels/device/device_array.cuh"
#include "kernels/device/stream.h"
#include "kernels/tensor/tensor_int8.h"
#include "kernels/tensor/tensor_int8_narrow.cuh"
#include "kernels/tensor/tensor_int8_wide.cuh"

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
Int8Kernel wide_kernel(int halves) {
    switch (halves) {
        case 3:
            return tensor_int8_wide<3, kSums>;
        case 4:
            return tensor_int8_wide<4, kSums>;
        case 5:
            return tensor_int8_wide<5, kSums>;
        case 6:
            return tensor_int8_wide<6, kSums>;
        case 8:
            return tensor_int8_wide<8, kSums>;
        default:
            return tensor_int8_wide<kMaxInt8Halves, kSums>;
    }
}

Int8Kernel kernel_for(const Int8Layout& layout) {
    const bool narrow = layout.narrow_rows > 0;
    switch (layout.sums) {
        case Int8Sums::whole:
            return narrow ? narrow_kernel<Int8Sums::whole>(layout.narrow_rows)
                          : wide_kernel<Int8Sums::whole>(layout.halves);
        case Int8Sums::fraction:
            return narrow ? narrow_kernel<Int8Sums::fraction>(layout.narrow_rows)
                          : wide_kernel<Int8Sums::fraction>(layout.halves);
        case Int8Sums::magnitude:
            return narrow_kernel<Int8Sums::magnitude>(layout.narrow_rows);
        case Int8Sums::plain_magnitude:
            return narrow_kernel<Int8Sums::plain_magnitude>(layout.narrow_rows);
    }
    return nullptr;
}

// Writes a destination whose rows are not word-aligned through rows that are.
class WordRows {
 public:
    explicit WordRows(const ConvProblem& p) : width_(p.width * p.channels), height_(p.height) {}

    void set_destination(Int8Args& args) {
        if (!rows_) rows_ = device_array<std::byte>(static_cast<std::size_t>(pitch()) * height_);
        args.images.dst = rows_.get();
        args.images.dst_pitch = pitch();
    }

    void copy_to(const ImageView& dst, StreamView stream) const {
        cuda_check(cudaMemcpy2DAsync(dst.data, dst.pitch_bytes, rows_.get(), pitch(), width_,
                                     height_, cudaMemcpyDeviceToDevice, stream),
                   "copy an image to rows that are not aligned");
    }

 private:
    int pitch() const { return (width_ + 3) & ~3; }

    int width_;
    int height_;
    DeviceArray<std::byte> rows_;
};

class PreparedInt8 : public PreparedConv {
 public:
    PreparedInt8(const ConvProblem& p, const Device& device, const Int8Layout& layout)
        : problem_(p),
          device_(device),
          kernel_(kernel_for(layout)),
          bands_(upload(layout.bands)),
          word_rows_(p),
          args_(layout.args) {
        args_.bands = bands_.get();
        const int most = most_shared_bytes(device);
        cuda_check(cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize, most),
                   "let blocks have all shared memory");
        args_.steps = best_steps(
            layout, {.multiprocessors = device.multiprocessors, .resident_blocks = [&](int bytes) {
                         return bytes > most ? 0 : resident_blocks(bytes);
                     }});
        const int blocks_y = (layout.steps_y + args_.steps - 1) / args_.steps;
        const int bytes = shared_bytes(layout, args_.steps);
        launch_ = {.blocks = static_cast<unsigned>(layout.tiles_x),
                   .splits = static_cast<unsigned>(blocks_y),
                   .threads = dim3(32, kInt8Warps),
                   .shared_bytes = bytes,
                   .early = can_start_early(kernel_) &&
                            fill_the_gpu(static_cast<long long>(layout.tiles_x) * blocks_y,
                                         resident_blocks(bytes), device.multiprocessors)};
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView stream) override {
        check_images(problem_, src, dst, MemorySpace::device);
        use_device(device_);
        set_images(src, dst, args_.images);
        args_.tile.src_aligned = rows_aligned(src, 16);
        const bool by_way = !rows_aligned(dst, 4);
        if (by_way) word_rows_.set_destination(args_);
        weft::launch(kernel_, launch_, stream, args_, "launch tensor_int8");
        if (by_way) word_rows_.copy_to(dst, stream);
    }

 private:
    int resident_blocks(int bytes) const {
        int blocks = 0;
        cuda_check(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel_, kInt8Threads, bytes),
            "ask how many blocks fit on a multiprocessor");
        return blocks;
    }

    ConvProblem problem_;
    Device device_;
    Int8Kernel kernel_;
    DeviceArray<std::uint32_t> bands_;
    WordRows word_rows_;
    Int8Args args_;
    LaunchShape launch_;
};

}  // namespace

std::unique_ptr<PreparedConv> prepare_tensor_int8(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    return std::make_unique<PreparedInt8>(p, device, lay_out_tensor_int8(p));
}

}  // namespace weft
