// Launches tensor_f32.cuh.
#include "kernels/common/prepared.cuh"
#include "kernels/tensor/tensor_f32.cuh"

namespace weft {

namespace {

__global__ void __launch_bounds__(kMaxTensorThreads, 2)
    tensor_f32(const __grid_constant__ TensorF32Args args) {
    filter_f32(args);
}

}  // namespace

std::unique_ptr<PreparedConv> prepare_tensor_f32(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    const TensorF32Layout layout = lay_out_tensor_f32(p, device);
    LaunchShape shape{.blocks = static_cast<unsigned>(layout.args.tensor.tiles),
                      .threads = dim3(32, layout.args.tensor.tile.threads / 32),
                      .shared_bytes = layout.shared_bytes};
    if (shape.shared_bytes > 48 * 1024) allow_all_shared_memory(tensor_f32);
    start_early_if_full(tensor_f32, device, shape);
    TensorF32Args args = layout.args;
    DeviceBorders borders(layout.borders);
    borders.point(args.tensor.images);
    DeviceArray<std::uint32_t> bands = upload(layout.bands);
    args.tensor.bands = bands.get();
    DeviceArray<float> weights = upload(layout.weights);
    args.weights = weights.get();
    auto body = [=, borders = std::move(borders), bands = std::move(bands),
                 weights = std::move(weights)](const ImageView& src, const ImageView& dst,
                                               StreamView stream) mutable {
        set_images(src, dst, args.tensor.images);
        args.tensor.tile.src_aligned = rows_aligned(src, 16);
        args.tensor.dst_aligned = rows_aligned(dst, 8);
        launch(tensor_f32, shape, stream, args, "launch tensor_f32");
    };
    return prepared(p, device, std::move(body));
}

}  // namespace weft
