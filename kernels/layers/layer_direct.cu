// Launches layer_direct.cuh.
#include "kernels/layers/layer_direct.cuh"
#include "kernels/layers/prepared_layer.cuh"

namespace weft {

std::unique_ptr<PreparedLayer> prepare_layer_direct(const LayerProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    const auto kernel =
        p.type == LayerType::f32 ? layer_direct<ElementF32> : layer_direct<ElementF16>;
    const LaunchShape shape{
        .blocks = static_cast<unsigned>((p.outputs() + kLayerDirectBlock - 1) / kLayerDirectBlock),
        .threads = dim3(32, kLayerDirectWarps)};
    DeviceArray<float> weights = upload(used_weights(p));
    LayerArgs args;
    args.shape = layer_shape(p);
    args.weights = weights.get();
    auto body = [=, weights = std::move(weights)](const void* input, void* output,
                                                  StreamView stream) mutable {
        args.input = input;
        args.output = output;
        launch(kernel, shape, stream, args, "launch the layer form of direct");
    };
    return prepared_layer(device, std::move(body));
}

}  // namespace weft
