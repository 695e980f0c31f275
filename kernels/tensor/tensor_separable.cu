// Launches tensor_separable.cuh.
#include "kernels/common/device_borders.cuh"
#include "kernels/common/kernel_launch.cuh"
#include "kernels/device/device_array.cuh"
#include "kernels/device/stream.h"
#include "kernels/tensor/tensor_separable_variants.cuh"

namespace weft {

namespace {

SeparableKernel compiled_kernel(const TensorSeparableLayout& layout) {
    return for_channels_of(layout,
                           [&]<int C, int F>() { return compiled_separable_kernel<C, F>(layout); });
}

class PreparedTensorSeparable : public PreparedConv {
 public:
    PreparedTensorSeparable(const ConvProblem& p, const Device& device,
                            TensorSeparableLayout layout)
        : problem_(p),
          device_(device),
          kernel_(compiled_kernel(layout)),
          rows_(upload(layout.rows)),
          columns_(upload(layout.columns)),
          borders_(layout.borders),
          launch_{.threads = dim3(32, kStripWarps),
                  .shared_bytes = strip_shared_bytes(layout.channels,
                                                     strip_shape(layout.channels, layout.shape))} {
        cut_strips(device.multiprocessors,
                   resident_blocks(kernel_, launch_.threads, launch_.shared_bytes), layout);
        args_ = layout.args;
        borders_.point(args_.images);
        args_.rows = rows_.get();
        args_.columns = columns_.get();
        launch_.blocks = static_cast<unsigned>(blocks_of(layout));
        start_early_if_full(kernel_, device, launch_);
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
    ConvProblem problem_;
    Device device_;
    SeparableKernel kernel_;
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
