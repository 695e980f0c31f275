// Launches tensor_int8_narrow.cuh and tensor_int8_wide.cuh.
#include <algorithm>

#include "kernels/common/kernel_launch.cuh"
#include "kernels/conv_kernel.h"
#include "kernels/device/device_array.cuh"
#include "kernels/device/stream.h"
#include "kernels/tensor/tensor_int8.h"
#include "kernels/tensor/tensor_int8_variants.cuh"

namespace weft {

namespace {

// Writes a destination whose rows are not aligned to the kernel's stores through rows that are.
class WordRows {
 public:
    WordRows(const ConvProblem& p, int store)
        : width_(p.width * p.channels), height_(p.height), store_(store) {}

    bool needed_for(const ImageView& dst) const { return !rows_aligned(dst, store_); }

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
    int pitch() const { return (width_ + store_ - 1) & -store_; }

    int width_;
    int height_;
    int store_;
    DeviceArray<std::byte> rows_;
};

Int8Kernel compiled_kernel(const Int8Layout& layout) {
    return for_channels_of(layout, [&]<int C>() { return compiled_int8_kernel<C>(layout); });
}

class PreparedInt8 : public PreparedConv {
 public:
    PreparedInt8(const ConvProblem& p, const Device& device, const Int8Layout& layout)
        : problem_(p),
          device_(device),
          kernel_(compiled_kernel(layout)),
          bands_(upload(layout.bands)),
          word_rows_(p, int8_store(layout.channels)),
          args_(layout.args) {
        args_.bands = bands_.get();
        const int most = most_shared_bytes(device);
        cuda_check(cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize, most),
                   "let blocks have all shared memory");
        args_.steps = best_steps(
            layout, {.multiprocessors = device.multiprocessors, .resident_blocks = [&](int bytes) {
                         return bytes > most ? 0 : resident_blocks(kernel_, kThreads, bytes);
                     }});
        const int blocks_y = (layout.steps_y + args_.steps - 1) / args_.steps;
        launch_ = {.blocks = static_cast<unsigned>(layout.tiles_x),
                   .splits = static_cast<unsigned>(blocks_y),
                   .threads = kThreads,
                   .shared_bytes = shared_bytes(layout, args_.steps)};
        start_early_if_full(kernel_, device, launch_);
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView stream) override {
        check_images(problem_, src, dst, MemorySpace::device);
        use_device(device_);
        set_images(src, dst, args_.images);
        args_.tile.src_aligned = rows_aligned(src, 16);
        const bool by_way = word_rows_.needed_for(dst);
        if (by_way) word_rows_.set_destination(args_);
        weft::launch(kernel_, launch_, stream, args_, "launch tensor_int8");
        if (by_way) word_rows_.copy_to(dst, stream);
    }

 private:
    static constexpr dim3 kThreads{32, kInt8Warps};

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
