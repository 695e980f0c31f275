// Launches box_sum.cuh.
#include <array>

#include "kernels/box/box_sum.cuh"
#include "kernels/box/box_sum.h"
#include "kernels/common/device_borders.cuh"
#include "kernels/common/kernel_launch.cuh"
#include "kernels/device/device_array.cuh"
#include "kernels/device/stream.h"

namespace weft {

namespace {

using BoxKernel = void (*)(BoxArgs);

template <class P, bool Halves>
BoxKernel kernel_for_channels(int channels) {
    constexpr std::array<BoxKernel, 4> kKernels = {
        box_sum<Box<P, 1, Halves>>, box_sum<Box<P, 2, Halves>>, box_sum<Box<P, 3, Halves>>,
        box_sum<Box<P, 4, Halves>>};
    return kKernels[static_cast<std::size_t>(channels) - 1];
}

BoxKernel kernel_for(const ConvProblem& p, bool halves) {
    if (p.type == PixelType::u16) return kernel_for_channels<U16, false>(p.channels);
    return halves ? kernel_for_channels<U8, true>(p.channels)
                  : kernel_for_channels<U8, false>(p.channels);
}

class PreparedBox : public PreparedConv {
 public:
    PreparedBox(const ConvProblem& p, const Device& device, const BoxLayout& layout)
        : problem_(p),
          device_(device),
          kernel_(kernel_for(p, layout.halves)),
          borders_(layout.borders),
          args_(layout.args),
          blocks_(layout.blocks),
          shared_bytes_(layout.shared_bytes) {
        borders_.point(args_.images);
        if (shared_bytes_ > 48 * 1024) allow_all_shared_memory(kernel_);
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView stream) override {
        check_images(problem_, src, dst, MemorySpace::device);
        use_device(device_);
        set_images(src, dst, args_.images);
        args_.src_aligned = rows_aligned(src, 4);
        args_.dst_aligned = rows_aligned(dst, 16);
        kernel_<<<blocks_, dim3(32, args_.threads / 32), shared_bytes_, stream>>>(args_);
        cuda_check(cudaGetLastError(), "launch box_sum");
    }

 private:
    ConvProblem problem_;
    Device device_;
    BoxKernel kernel_;
    DeviceBorders borders_;
    BoxArgs args_;
    int blocks_;
    int shared_bytes_;
};

}  // namespace

std::unique_ptr<PreparedConv> prepare_box_sum(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    return std::make_unique<PreparedBox>(p, device, lay_out_box(p, choose_box_shape(p, device)));
}

}  // namespace weft
