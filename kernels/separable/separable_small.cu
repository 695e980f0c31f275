// Launches separable_small.cuh.
#include <numeric>

#include "kernels/common/prepared.cuh"
#include "kernels/separable/separable_reuse.h"
#include "kernels/separable/separable_small.cuh"

namespace weft {

namespace {

SmallKernelPointer kernel_of(std::size_t variant, int size) {
    switch (group_of(kSmallVariants[variant])) {
        case SmallGroup::f32:
            return compiled_small_kernel<SmallGroup::f32>(variant, size);
        case SmallGroup::box16:
            return compiled_small_kernel<SmallGroup::box16>(variant, size);
        case SmallGroup::gray16:
            return compiled_small_kernel<SmallGroup::gray16>(variant, size);
        case SmallGroup::color16:
            break;
    }
    return compiled_small_kernel<SmallGroup::color16>(variant, size);
}

}  // namespace

std::unique_ptr<PreparedConv> prepare_separable_small(const ConvProblem& p, const Device& device,
                                                      std::size_t variant) {
    const SeparableSmallShape& form = kSmallVariants[variant].shape;
    const SeparableSmallLayout layout = lay_out_separable_small(p, kSmallVariants[variant]);
    const SmallKernelPointer kernel = kernel_of(variant, layout.size);
    const LaunchShape shape{.blocks = static_cast<unsigned>(layout.blocks),
                            .threads = dim3(32, form.warps),
                            .shared_bytes = layout.shared_bytes,
                            .early = can_start_early(kernel)};
    // The alignment that the vector store requires.
    const auto alignment_bytes = static_cast<int>(std::gcd<std::size_t>(
        16, static_cast<std::size_t>(form.samples) * bytes_per_sample(p.type)));
    SeparableSmallArgs args = layout.args;
    DeviceBorders borders(layout.borders);
    borders.point(args.images);
    auto body = [=, borders = std::move(borders)](const ImageView& src, const ImageView& dst,
                                                  StreamView stream) mutable {
        set_images(src, dst, args.images);
        args.dst_aligned = rows_aligned(dst, alignment_bytes);
        launch(kernel, shape, stream, args, "launch separable_reuse");
    };
    return prepared(p, device, std::move(body));
}

}  // namespace weft
