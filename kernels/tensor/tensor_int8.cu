// Launches tensor_int8_narrow.cuh and tensor_int8_wide.cuh.
#include <algorithm>

#include "kernels/common/prepared.cuh"
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

}  // namespace

std::unique_ptr<PreparedConv> prepare_tensor_int8(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    const Int8Layout layout = lay_out_tensor_int8(p);
    const Int8Kernel kernel = for_form_of(
        layout, [&]<Int8Sums S, int C>() { return compiled_int8_kernel<S, C>(layout); });
    const dim3 threads(32, kInt8Warps);
    const int most = most_shared_bytes(device);
    cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most),
               "let blocks have all shared memory");
    Int8Args args = layout.args;
    DeviceArray<std::uint32_t> bands = upload(layout.bands);
    args.bands = bands.get();
    args.steps = best_steps(
        layout, {.multiprocessors = device.multiprocessors, .resident_blocks = [&](int bytes) {
                     return bytes > most ? 0 : resident_blocks(kernel, threads, bytes);
                 }});
    const int blocks_y = (layout.steps_y + args.steps - 1) / args.steps;
    LaunchShape shape{.blocks = static_cast<unsigned>(layout.tiles_x),
                      .splits = static_cast<unsigned>(blocks_y),
                      .threads = threads,
                      .shared_bytes = shared_bytes(layout, args.steps)};
    start_early_if_full(kernel, device, shape);
    auto body = [=, bands = std::move(bands), word_rows = WordRows(p, int8_store(layout.channels))](
                    const ImageView& src, const ImageView& dst, StreamView stream) mutable {
        set_images(src, dst, args.images);
        args.tile.src_aligned = rows_aligned(src, 16);
        const bool by_way = word_rows.needed_for(dst);
        if (by_way) word_rows.set_destination(args);
        launch(kernel, shape, stream, args, "launch tensor_int8");
        if (by_way) word_rows.copy_to(dst, stream);
    };
    return prepared(p, device, std::move(body));
}

}  // namespace weft
