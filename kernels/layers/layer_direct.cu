// Launches layer_direct.cuh.
#include "kernels/conv_kernel.h"
#include "kernels/device/device_array.cuh"
#include "kernels/device/stream.h"
#include "kernels/layers/layer_direct.cuh"

namespace weft {

namespace {

class PreparedLayerDirect : public PreparedLayer {
 public:
    PreparedLayerDirect(const LayerProblem& p, const Device& device)
        : device_(device),
          type_(p.type),
          weights_(upload(used_weights(p))),
          blocks_(
              static_cast<unsigned>((p.outputs() + kLayerDirectBlock - 1) / kLayerDirectBlock)) {
        args_.shape = layer_shape(p);
        args_.weights = weights_.get();
    }

    void launch(const void* input, void* output, StreamView stream) override {
        use_device(device_);
        args_.input = input;
        args_.output = output;
        const dim3 block(32, kLayerDirectWarps);
        switch (type_) {
            case LayerType::f32:
                layer_direct<ElementF32><<<blocks_, block, 0, stream>>>(args_);
                break;
            case LayerType::f16:
                layer_direct<ElementF16><<<blocks_, block, 0, stream>>>(args_);
                break;
        }
        cuda_check(cudaGetLastError(), "launch the layer form of direct");
    }

 private:
    Device device_;
    LayerType type_;
    DeviceArray<float> weights_;
    LayerArgs args_;
    unsigned blocks_;
};

}  // namespace

std::unique_ptr<PreparedLayer> prepare_layer_direct(const LayerProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    return std::make_unique<PreparedLayerDirect>(p, device);
}

}  // namespace weft
