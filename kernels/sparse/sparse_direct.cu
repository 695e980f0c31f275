// Launches sparse_direct.cuh.
#include "kernels/common/prepared.cuh"
#include "kernels/sparse/sparse_direct.cuh"

namespace weft {

std::unique_ptr<PreparedConv> prepare_sparse_image(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    const SparseImageLayout layout = lay_out_sparse_image(p);
    const auto kernel = with_pixel_type(p.type, []<class P>(P) { return sparse_direct_image<P>; });
    LaunchShape shape{.blocks = static_cast<unsigned>(layout.blocks),
                      .threads = dim3(32, kSparseImageWarps),
                      .shared_bytes = layout.shared_bytes};
    allow_all_shared_memory(kernel);
    start_early_if_full(kernel, device, shape);
    SparseImageArgs args = layout.args;
    DeviceBorders borders(layout.borders);
    borders.point(args.images);
    DeviceArray<SparseTap> taps = upload(layout.taps);
    args.taps = taps.get();
    auto body = [=, borders = std::move(borders), taps = std::move(taps)](
                    const ImageView& src, const ImageView& dst, StreamView stream) mutable {
        set_images(src, dst, args.images);
        args.src_words = rows_aligned(src, 4);
        launch(kernel, shape, stream, args, "launch sparse_direct");
    };
    return prepared(p, device, std::move(body));
}

}  // namespace weft
