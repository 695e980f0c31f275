// Launches image_layer.cuh around a layer.
#include "kernels/common/prepared.cuh"
#include "kernels/layers/image_layer.cuh"

namespace weft {

namespace {

LaunchShape shape_for(int height, int width) {
    const auto pixels = static_cast<unsigned>(height) * static_cast<unsigned>(width);
    return {.blocks = (pixels + kImageLayerBlock - 1) / kImageLayerBlock,
            .threads = dim3(32, kImageLayerWarps)};
}

}  // namespace

std::unique_ptr<PreparedConv> prepare_as_layer(const ConvProblem& p, const Device& device,
                                               const LayerKernel& kernel) {
    validate(p);
    use_device(device);
    const LayerProblem problem = image_as_layer(p);
    const auto pad = with_pixel_type(p.type, []<class P>(P) { return pad_planes<P>; });
    const auto finish = with_pixel_type(p.type, []<class P>(P) { return finish_planes<P>; });
    const LaunchShape pad_shape = shape_for(problem.height, problem.width);
    const LaunchShape finish_shape = shape_for(p.height, p.width);
    ImageLayerArgs args;
    BorderTables tables;
    args.images = conv_images(p, tables);
    DeviceBorders borders(tables);
    borders.point(args.images);
    DeviceArray<float> padded = device_array<float>(static_cast<std::size_t>(problem.inputs()));
    args.padded = padded.get();
    DeviceArray<float> sums = device_array<float>(static_cast<std::size_t>(problem.outputs()));
    args.sums = sums.get();
    args.channels = p.channels;
    args.out_channels = p.out_channels();
    args.sets = static_cast<int>(p.conv.front().taps.size());
    args.magnitude = p.combine == Combine::magnitude;
    auto body = [=, layer = kernel.prepare(problem, device), borders = std::move(borders),
                 padded = std::move(padded), sums = std::move(sums)](
                    const ImageView& src, const ImageView& dst, StreamView stream) mutable {
        set_images(src, dst, args.images);
        launch(pad, pad_shape, stream, args, "launch the planes of an image");
        layer->launch(padded.get(), sums.get(), stream);
        launch(finish, finish_shape, stream, args, "launch the finish of an image");
    };
    return prepared(p, device, std::move(body));
}

}  // namespace weft
