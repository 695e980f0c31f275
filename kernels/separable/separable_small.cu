// Launches separable_small.cuh.
#include <numeric>

#include "kernels/common/device_borders.cuh"
#include "kernels/common/kernel_launch.cuh"
#include "kernels/device/stream.h"
#include "kernels/separable/separable_reuse.h"
#include "kernels/separable/separable_small.cuh"

namespace weft {

namespace {

constexpr auto kSmallKernels = small_kernels(std::make_index_sequence<kSmallVariants.size()>());

class PreparedSeparableSmall : public PreparedConv {
 public:
    PreparedSeparableSmall(const ConvProblem& p, const Device& device, std::size_t variant)
        : problem_(p),
          device_(device),
          shape_(kSmallVariants[variant].shape),
          layout_(lay_out_separable_small(p, kSmallVariants[variant])),
          kernel_(kSmallKernels[variant][static_cast<std::size_t>(layout_.size) / 2]),
          borders_(layout_.borders),
          alignment_bytes_(static_cast<int>(std::gcd<std::size_t>(
              16, static_cast<std::size_t>(shape_.samples) * bytes_per_sample(p.type)))) {
        borders_.point(layout_.args.images);
        launch_ = {.blocks = static_cast<unsigned>(layout_.blocks),
                   .threads = dim3(32, shape_.warps),
                   .shared_bytes = layout_.shared_bytes,
                   .early = can_start_early(kernel_)};
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView stream) override {
        check_images(problem_, src, dst, MemorySpace::device);
        use_device(device_);
        set_images(src, dst, layout_.args.images);
        layout_.args.dst_aligned = rows_aligned(dst, alignment_bytes_);
        weft::launch(kernel_, launch_, stream, layout_.args, "launch separable_reuse");
    }

 private:
    ConvProblem problem_;
    Device device_;
    SeparableSmallShape shape_;
    SeparableSmallLayout layout_;
    SmallKernelPointer kernel_;
    DeviceBorders borders_;
    int alignment_bytes_;  // required by the vector store
    LaunchShape launch_;
};

}  // namespace

std::unique_ptr<PreparedConv> prepare_separable_small(const ConvProblem& p, const Device& device,
                                                      std::size_t variant) {
    return std::make_unique<PreparedSeparableSmall>(p, device, variant);
}

}  // namespace weft
