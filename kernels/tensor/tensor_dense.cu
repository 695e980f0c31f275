// Launches tensor_dense.cuh.
#include <algorithm>

#include "kernels/common/device_borders.cuh"
#include "kernels/common/kernel_launch.cuh"
#include "kernels/device/stream.h"
#include "kernels/tensor/tensor_dense.cuh"
#include "kernels/tensor/tensor_dense.h"

namespace weft {

namespace {

// Blocks compute tile after tile, with the next in flight, while fetching takes the most time. With
// more chunks of taps the tensor cores do, and blocks of one tile each are spread more evenly: on
// an H200 31×31 takes 65 µs with them and 73 otherwise, 9×9 takes 21 and 18.
constexpr int kFetchAhead = 40;

class PreparedTensor : public PreparedConv {
 public:
    PreparedTensor(const ConvProblem& p, const Device& device, const TensorLayout& layout)
        : problem_(p),
          device_(device),
          kernel_(dense_kernel(p.type, layout.args)),
          bands_(upload(layout.bands)),
          borders_(layout.borders),
          args_(layout.args),
          launch_{.threads = dim3(32, layout.args.tile.threads / 32),
                  .shared_bytes = layout.shared_bytes} {
        borders_.point(args_.images);
        args_.bands = bands_.get();
        if (layout.shared_bytes > 48 * 1024) allow_all_shared_memory(kernel_);
        if (args_.tap_rows * args_.chunks <= kFetchAhead) {
            const int resident = resident_blocks(kernel_, launch_.threads, layout.shared_bytes);
            args_.blocks = std::min(args_.tiles, device.multiprocessors * std::max(resident, 1));
        }
        launch_.blocks = static_cast<unsigned>(args_.blocks);
        start_early_if_full(kernel_, device, launch_);
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView stream) override {
        check_images(problem_, src, dst, MemorySpace::device);
        use_device(device_);
        set_images(src, dst, args_.images);
        args_.tile.src_aligned = rows_aligned(src, 16);
        args_.dst_aligned = rows_aligned(dst, 16);
        weft::launch(kernel_, launch_, stream, args_, "launch tensor_dense");
    }

 private:
    ConvProblem problem_;
    Device device_;
    TensorKernel kernel_;
    DeviceArray<std::uint32_t> bands_;
    DeviceBorders borders_;
    TensorArgs args_;
    LaunchShape launch_;
};

}  // namespace

std::unique_ptr<PreparedConv> prepare_tensor_dense(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    const TensorLayout layout = lay_out_tensor_dense(p, device);
    return std::make_unique<PreparedTensor>(p, device, layout);
}

}  // namespace weft
