// Launches layer_shared_tile.cuh.
#include "kernels/common/conv_layout.h"
#include "kernels/common/kernel_launch.cuh"
#include "kernels/device/device_array.cuh"
#include "kernels/device/stream.h"
#include "kernels/layers/layer_shared_tile.cuh"

namespace weft {

namespace {

struct TileLayerKernels {
    template <class E, int Outputs, int Pixels>
    TileLayerKernel form() const {
        return layer_shared_tile<E, Outputs, Pixels>;
    }
};

class PreparedTileLayer : public PreparedLayer {
 public:
    PreparedTileLayer(const LayerProblem& p, const Device& device, const TileLayerPlan& plan)
        : device_(device),
          kernel_(pick_tile_layer(plan.form, p.type, TileLayerKernels{})),
          weights_(upload(plan.weights)),
          args_(plan.args),
          shape_{.blocks = static_cast<unsigned>(plan.blocks),
                 .threads = dim3(32, static_cast<unsigned>(plan.warps())),
                 .shared_bytes = plan.shared_bytes} {
        args_.weights = weights_.get();
        allow_all_shared_memory(kernel_);
    }

    void launch(const void* input, void* output, StreamView stream) override {
        use_device(device_);
        args_.input = input;
        args_.output = output;
        weft::launch(kernel_, shape_, stream, args_, "launch the layer form of shared_tile");
    }

 private:
    Device device_;
    TileLayerKernel kernel_;
    DeviceArray<float> weights_;
    TileLayerArgs args_;
    LaunchShape shape_;
};

}  // namespace

std::unique_ptr<PreparedLayer> prepare_layer_shared_tile(const LayerProblem& p,
                                                         const Device& device) {
    validate(p);
    use_device(device);
    return std::make_unique<PreparedTileLayer>(p, device,
                                               plan_tile_layer(p, most_shared_bytes(device)));
}

}  // namespace weft
