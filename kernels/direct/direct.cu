// Launches direct.cuh.
#include <type_traits>

#include "kernels/common/direct_layout.h"
#include "kernels/common/prepared.cuh"
#include "kernels/direct/direct.cuh"

namespace weft {

namespace {

using DirectKernel = void (*)(DirectArgs);

DirectKernel kernel_for(PixelType type, bool wide) {
    return with_pixel_type(type, [wide]<class P>(P) {
        if constexpr (!std::is_same_v<P, F32>)
            if (wide) return direct<P, Fp64Sums>;
        return direct<P, Fp32Sums>;
    });
}

}  // namespace

std::unique_ptr<PreparedConv> prepare_direct(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    const DirectLayout layout = lay_out_direct(p);
    const DirectKernel kernel = kernel_for(p.type, layout.wide);
    const LaunchShape shape{.blocks = static_cast<unsigned>(layout.blocks),
                            .threads = dim3(kDirectBlockX, kDirectBlockY)};
    DirectArgs args = layout.args;
    DeviceBorders borders(layout.borders);
    borders.point(args.images);
    DeviceArray<float> taps = upload(layout.taps);
    args.taps = taps.get();
    auto body = [=, borders = std::move(borders), taps = std::move(taps)](
                    const ImageView& src, const ImageView& dst, StreamView stream) mutable {
        set_images(src, dst, args.images);
        launch(kernel, shape, stream, args, "launch direct");
    };
    return prepared(p, device, std::move(body));
}

}  // namespace weft
