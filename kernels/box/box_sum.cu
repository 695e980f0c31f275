// Launches box_sum.cuh.
#include <array>

#include "kernels/box/box_sum.cuh"
#include "kernels/box/box_sum.h"
#include "kernels/common/prepared.cuh"

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

}  // namespace

std::unique_ptr<PreparedConv> prepare_box_sum(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    const BoxLayout layout = lay_out_box(p, choose_box_shape(p, device));
    const BoxKernel kernel = kernel_for(p, layout.halves);
    const LaunchShape shape{.blocks = static_cast<unsigned>(layout.blocks),
                            .threads = dim3(32, layout.args.threads / 32),
                            .shared_bytes = layout.shared_bytes};
    if (shape.shared_bytes > 48 * 1024) allow_all_shared_memory(kernel);
    BoxArgs args = layout.args;
    DeviceBorders borders(layout.borders);
    borders.point(args.images);
    auto body = [=, borders = std::move(borders)](const ImageView& src, const ImageView& dst,
                                                  StreamView stream) mutable {
        set_images(src, dst, args.images);
        args.src_aligned = rows_aligned(src, 4);
        args.dst_aligned = rows_aligned(dst, 16);
        launch(kernel, shape, stream, args, "launch box_sum");
    };
    return prepared(p, device, std::move(body));
}

}  // namespace weft
