// Launches tensor_dense.cuh.
#include <algorithm>

#include "kernels/common/device_borders.cuh"
#include "kernels/common/kernel_launch.cuh"
#include "kernels/device/stream.h"
#include "kernels/tensor/tensor_dense.cuh"
#include "kernels/tensor/tensor_layout.h"

namespace weft {

namespace {

using TensorKernel = void (*)(TensorArgs);

// Blocks compute tile after tile, with the next in flight, while fetching takes the most time. With
// more chunks of taps the tensor cores do, and blocks of one tile each are spread more evenly: on
// an H200 31×31 takes 65 µs with them and 73 otherwise, 9×9 takes 21 and 18.
constexpr int kFetchAhead = 40;

class PreparedTensor : public PreparedConv {
 public:
    PreparedTensor(const ConvProblem& p, const Device& device, TensorKernel kernel,
                   const TensorLayout& layout)
        : problem_(p),
          device_(device),
          kernel_(kernel),
          bands_(upload(layout.bands)),
          borders_(layout.borders),
          args_(layout.args),
          shared_bytes_(layout.shared_bytes) {
        borders_.point(args_.images);
        args_.bands = bands_.get();
        if (shared_bytes_ > 48 * 1024) allow_all_shared_memory(kernel_);
        if (args_.tap_rows * args_.chunks <= kFetchAhead)
            args_.blocks = std::min(args_.tiles, device.multiprocessors * resident_blocks());
        launch_ = {.blocks = static_cast<unsigned>(args_.blocks),
                   .threads = dim3(32, args_.tile.threads / 32),
                   .shared_bytes = shared_bytes_,
                   .early = can_start_early(kernel_) &&
                            fill_the_gpu(args_.blocks, resident_blocks(), device.multiprocessors)};
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
    int resident_blocks() const {
        int blocks = 0;
        cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel_,
                                                                 args_.tile.threads, shared_bytes_),
                   "ask how many blocks fit on a multiprocessor");
        return std::max(blocks, 1);
    }

    ConvProblem problem_;
    Device device_;
    TensorKernel kernel_;
    DeviceArray<std::uint32_t> bands_;
    DeviceBorders borders_;
    TensorArgs args_;
    int shared_bytes_;
    LaunchShape launch_;
};

template <bool SeveralSets>
TensorKernel dense_kernel(int chunks) {
    switch (unrolled_chunks(chunks)) {
        case 2:
            return tensor_dense<2, SeveralSets>;
        case 3:
            return tensor_dense<3, SeveralSets>;
        case 4:
            return tensor_dense<4, SeveralSets>;
        case 5:
            return tensor_dense<5, SeveralSets>;
        default:
            return tensor_dense<0, SeveralSets>;
    }
}

}  // namespace

std::unique_ptr<PreparedConv> prepare_tensor_dense(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    const TensorLayout layout = lay_out_tensor_dense(p, device);
    const TensorKernel kernel = layout.args.sets > 1 ? dense_kernel<true>(layout.args.chunks)
                                                     : dense_kernel<false>(layout.args.chunks);
    return std::make_unique<PreparedTensor>(p, device, kernel, layout);
}

}  // namespace weft
