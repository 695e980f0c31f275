// Launches tensor_dense.cuh.
#include <algorithm>

#include "kernels/common/prepared.cuh"
#include "kernels/tensor/tensor_dense.cuh"
#include "kernels/tensor/tensor_dense.h"

namespace weft {

namespace {

// Blocks compute tile after tile, with the next in flight, while fetching takes the most time. With
// more chunks of taps the tensor cores do, and blocks of one tile each are spread more evenly: on
// an H200 31×31 takes 65 µs with them and 73 otherwise, 9×9 takes 21 and 18.
constexpr int kFetchAhead = 40;

}  // namespace

std::unique_ptr<PreparedConv> prepare_tensor_dense(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    const TensorLayout layout = lay_out_tensor_dense(p, device);
    const TensorKernel kernel = dense_kernel(p.type, layout.args);
    LaunchShape shape{.threads = dim3(32, layout.args.tile.threads / 32),
                      .shared_bytes = layout.shared_bytes};
    if (shape.shared_bytes > 48 * 1024) allow_all_shared_memory(kernel);
    TensorArgs args = layout.args;
    DeviceBorders borders(layout.borders);
    borders.point(args.images);
    DeviceArray<std::uint32_t> bands = upload(layout.bands);
    args.bands = bands.get();
    if (args.tap_rows * args.chunks <= kFetchAhead) {
        const int resident = resident_blocks(kernel, shape.threads, shape.shared_bytes);
        args.blocks = std::min(args.tiles, device.multiprocessors * std::max(resident, 1));
    }
    shape.blocks = static_cast<unsigned>(args.blocks);
    start_early_if_full(kernel, device, shape);
    auto body = [=, borders = std::move(borders), bands = std::move(bands)](
                    const ImageView& src, const ImageView& dst, StreamView stream) mutable {
        set_images(src, dst, args.images);
        args.tile.src_aligned = rows_aligned(src, 16);
        args.dst_aligned = rows_aligned(dst, 16);
        launch(kernel, shape, stream, args, "launch tensor_dense");
    };
    return prepared(p, device, std::move(body));
}

}  // namespace weft
