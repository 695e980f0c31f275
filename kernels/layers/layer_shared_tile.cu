// Launches layer_shared_tile.cuh.
#include "kernels/common/conv_layout.h"
#include "kernels/layers/layer_shared_tile.cuh"
#include "kernels/layers/prepared_layer.cuh"

namespace weft {

namespace {

struct TileLayerKernels {
    template <class E, int Outputs, int Pixels>
    TileLayerKernel form() const {
        return layer_shared_tile<E, Outputs, Pixels>;
    }
};

}  // namespace

std::unique_ptr<PreparedLayer> prepare_layer_shared_tile(const LayerProblem& p,
                                                         const Device& device) {
    validate(p);
    use_device(device);
    const TileLayerPlan plan = plan_tile_layer(p, most_shared_bytes(device));
    const TileLayerKernel kernel = pick_tile_layer(plan.form, p.type, TileLayerKernels{});
    const LaunchShape shape{.blocks = static_cast<unsigned>(plan.blocks),
                            .threads = dim3(32, static_cast<unsigned>(plan.warps())),
                            .shared_bytes = plan.shared_bytes};
    allow_all_shared_memory(kernel);
    DeviceArray<float> weights = upload(plan.weights);
    TileLayerArgs args = plan.args;
    args.weights = weights.get();
    auto body = [=, weights = std::move(weights)](const void* input, void* output,
                                                  StreamView stream) mutable {
        args.input = input;
        args.output = output;
        launch(kernel, shape, stream, args, "launch the layer form of shared_tile");
    };
    return prepared_layer(device, std::move(body));
}

}  // namespace weft
