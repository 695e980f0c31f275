// Launches tensor_separable.cuh.
#include "kernels/common/prepared.cuh"
#include "kernels/tensor/tensor_separable_variants.cuh"

namespace weft {

std::unique_ptr<PreparedConv> prepare_tensor_separable(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    TensorSeparableLayout layout = lay_out_tensor_separable(p);
    const SeparableKernel kernel = for_form_of(layout, [&]<StripSums S, int C, int F>() {
        return compiled_separable_kernel<S, C, F>(layout);
    });
    LaunchShape shape{.threads = dim3(32, kStripWarps),
                      .shared_bytes = strip_shared_bytes(
                          layout.channels, strip_shape(layout.channels, layout.shape))};
    cut_strips(device.multiprocessors, resident_blocks(kernel, shape.threads, shape.shared_bytes),
               layout);
    shape.blocks = static_cast<unsigned>(blocks_of(layout));
    start_early_if_full(kernel, device, shape);
    TensorSeparableArgs args = layout.args;
    DeviceBorders borders(layout.borders);
    borders.point(args.images);
    DeviceArray<std::uint32_t> rows = upload(layout.rows);
    args.rows = rows.get();
    DeviceArray<std::uint32_t> columns = upload(layout.columns);
    args.columns = columns.get();
    auto body = [=, borders = std::move(borders), rows = std::move(rows),
                 columns = std::move(columns)](const ImageView& src, const ImageView& dst,
                                               StreamView stream) mutable {
        set_images(src, dst, args.images);
        args.src_aligned = rows_aligned(src, 16);
        args.dst_aligned = rows_aligned(dst, 16);
        launch(kernel, shape, stream, args, "launch tensor_separable");
    };
    return prepared(p, device, std::move(body));
}

}  // namespace weft
