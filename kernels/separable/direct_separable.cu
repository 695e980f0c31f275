// Launches direct_separable.cuh.
#include <type_traits>

#include "kernels/common/direct_layout.h"
#include "kernels/common/prepared.cuh"
#include "kernels/separable/direct_separable.cuh"

namespace weft {

namespace {

template <class P, class Sums>
void launch_passes(const SeparableArgs& args, int blocks, StreamView stream) {
    const LaunchShape shape{.blocks = static_cast<unsigned>(blocks),
                            .threads = dim3(kDirectBlockX, kDirectBlockY)};
    launch(row_pass<P, Sums>, shape, stream, args, "launch direct_separable along rows");
    launch(column_pass<P, Sums>, shape, stream, args, "launch direct_separable along columns");
}

using LaunchPasses = void (*)(const SeparableArgs&, int blocks, StreamView);

LaunchPasses passes_for(PixelType type, bool wide) {
    return with_pixel_type(type, [wide]<class P>(P) {
        if constexpr (!std::is_same_v<P, F32>)
            if (wide) return launch_passes<P, Fp64Sums>;
        return launch_passes<P, Fp32Sums>;
    });
}

}  // namespace

std::unique_ptr<PreparedConv> prepare_direct_separable(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    const SeparableLayout layout = lay_out_separable(p);
    const LaunchPasses launch_both = passes_for(p.type, layout.wide);
    SeparableArgs args = layout.args;
    DeviceBorders borders(layout.borders);
    borders.point(args.images);
    DeviceArray<float> taps = upload(layout.taps);
    args.taps = taps.get();
    DeviceArray<std::byte> between = device_array<std::byte>(layout.workspace_bytes);
    args.between = between.get();
    auto body = [=, blocks = layout.blocks, borders = std::move(borders), taps = std::move(taps),
                 between = std::move(between)](const ImageView& src, const ImageView& dst,
                                               StreamView stream) mutable {
        set_images(src, dst, args.images);
        launch_both(args, blocks, stream);
    };
    return prepared(p, device, std::move(body));
}

}  // namespace weft
