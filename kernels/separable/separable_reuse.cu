// Launches separable_reuse.cuh, and prepares the small form instead where it takes the problem.
#include <array>
#include <optional>

#include "kernels/common/prepared.cuh"
#include "kernels/separable/separable_reuse.cuh"
#include "kernels/separable/separable_reuse.h"

namespace weft {

namespace {

struct SeparableReuseVariant {
    void (*kernel)(SeparableReuseArgs) = nullptr;
    int alignment_bytes = 0;  // required by the vector store
};

template <class P, int C>
SeparableReuseVariant variant_of() {
    return {separable_reuse<P, C>,
            static_cast<int>(alignof(Words<kSeparablePixels<C> * C / P::kPerWord>))};
}

template <class P>
SeparableReuseVariant variant_for_channels(int channels) {
    const std::array<SeparableReuseVariant, 4> variants = {variant_of<P, 1>(), variant_of<P, 2>(),
                                                           variant_of<P, 3>(), variant_of<P, 4>()};
    return variants[static_cast<std::size_t>(channels) - 1];
}

}  // namespace

std::unique_ptr<PreparedConv> prepare_separable_reuse(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    if (const std::optional<std::size_t> small = find_small_variant(p))
        return prepare_separable_small(p, device, *small);
    const SeparableReuseLayout layout = lay_out_separable_reuse(p, device);
    const SeparableReuseVariant variant =
        with_pixel_type(p.type, [&]<class P>(P) { return variant_for_channels<P>(p.channels); });
    const LaunchShape shape{.blocks = static_cast<unsigned>(layout.blocks),
                            .threads = dim3(32, kSeparableWarps),
                            .shared_bytes = layout.shared_bytes};
    if (shape.shared_bytes > 48 * 1024) allow_all_shared_memory(variant.kernel);
    SeparableReuseArgs args = layout.args;
    DeviceBorders borders(layout.borders);
    borders.point(args.images);
    DeviceArray<float> taps = upload(layout.taps);
    args.taps = taps.get();
    auto body = [=, borders = std::move(borders), taps = std::move(taps)](
                    const ImageView& src, const ImageView& dst, StreamView stream) mutable {
        set_images(src, dst, args.images);
        args.dst_aligned = rows_aligned(dst, variant.alignment_bytes);
        launch(variant.kernel, shape, stream, args, "launch separable_reuse");
    };
    return prepared(p, device, std::move(body));
}

}  // namespace weft
