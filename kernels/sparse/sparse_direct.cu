// Launches sparse_direct.cuh.
#include "kernels/common/device_borders.cuh"
#include "kernels/common/kernel_launch.cuh"
#include "kernels/device/device_array.cuh"
#include "kernels/device/stream.h"
#include "kernels/sparse/sparse_direct.cuh"

namespace weft {

namespace {

using SparseKernel = void (*)(SparseImageArgs);

SparseKernel sparse_kernel_for(PixelType type) {
    switch (type) {
        case PixelType::u8:
            return sparse_direct_image<U8>;
        case PixelType::u16:
            return sparse_direct_image<U16>;
        case PixelType::f32:
            break;
    }
    return sparse_direct_image<F32>;
}

class PreparedSparseImage : public PreparedConv {
 public:
    PreparedSparseImage(const ConvProblem& p, const Device& device, const SparseImageLayout& layout)
        : problem_(p),
          device_(device),
          kernel_(sparse_kernel_for(p.type)),
          taps_(upload(layout.taps)),
          borders_(layout.borders),
          args_(layout.args),
          launch_{.blocks = static_cast<unsigned>(layout.blocks),
                  .threads = dim3(32, kSparseImageWarps),
                  .shared_bytes = layout.shared_bytes} {
        borders_.point(args_.images);
        args_.taps = taps_.get();
        allow_all_shared_memory(kernel_);
        start_early_if_full(kernel_, device, launch_);
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView stream) override {
        check_images(problem_, src, dst, MemorySpace::device);
        use_device(device_);
        set_images(src, dst, args_.images);
        args_.src_words = rows_aligned(src, 4);
        weft::launch(kernel_, launch_, stream, args_, "launch sparse_direct");
    }

 private:
    ConvProblem problem_;
    Device device_;
    SparseKernel kernel_;
    DeviceArray<SparseTap> taps_;
    DeviceBorders borders_;
    SparseImageArgs args_;
    LaunchShape launch_;
};

}  // namespace

std::unique_ptr<PreparedConv> prepare_sparse_image(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    return std::make_unique<PreparedSparseImage>(p, device, lay_out_sparse_image(p));
}

}  // namespace weft
