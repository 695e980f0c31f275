// Launches tensor_f32.cuh.
#include "kernels/common/device_borders.cuh"
#include "kernels/common/kernel_launch.cuh"
#include "kernels/device/stream.h"
#include "kernels/tensor/tensor_f32.cuh"

namespace weft {

namespace {

__global__ void __launch_bounds__(kMaxTensorThreads, 2)
    tensor_f32(const __grid_constant__ TensorF32Args args) {
    filter_f32(args);
}

class PreparedTensorF32 : public PreparedConv {
 public:
    PreparedTensorF32(const ConvProblem& p, const Device& device, const TensorF32Layout& layout)
        : problem_(p),
          device_(device),
          bands_(upload(layout.bands)),
          weights_(upload(layout.weights)),
          borders_(layout.borders),
          args_(layout.args) {
        borders_.point(args_.tensor.images);
        args_.tensor.bands = bands_.get();
        args_.weights = weights_.get();
        if (layout.shared_bytes > 48 * 1024) allow_all_shared_memory(tensor_f32);
        launch_ = {.blocks = static_cast<unsigned>(args_.tensor.tiles),
                   .threads = dim3(32, args_.tensor.tile.threads / 32),
                   .shared_bytes = layout.shared_bytes};
        start_early_if_full(tensor_f32, device, launch_);
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView stream) override {
        check_images(problem_, src, dst, MemorySpace::device);
        use_device(device_);
        set_images(src, dst, args_.tensor.images);
        args_.tensor.tile.src_aligned = rows_aligned(src, 16);
        args_.tensor.dst_aligned = rows_aligned(dst, 8);
        weft::launch(tensor_f32, launch_, stream, args_, "launch tensor_f32");
    }

 private:
    ConvProblem problem_;
    Device device_;
    DeviceArray<std::uint32_t> bands_;
    DeviceArray<float> weights_;
    DeviceBorders borders_;
    TensorF32Args args_;
    LaunchShape launch_;
};

}  // namespace

std::unique_ptr<PreparedConv> prepare_tensor_f32(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    return std::make_unique<PreparedTensorF32>(p, device, lay_out_tensor_f32(p, device));
}

}  // namespace weft
