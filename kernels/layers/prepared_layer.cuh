// Layers made ready, as prepared.cuh has it for images. For CUDA sources only.
#pragma once

#include <memory>
#include <utility>

#include "kernels/common/kernel_launch.cuh"
#include "kernels/device/device_array.cuh"
#include "kernels/device/stream.h"
#include "kernels/layers/layer_kernel.h"

namespace weft {

// body(input, output, stream) runs with the device current.
template <class Body>
std::unique_ptr<PreparedLayer> prepared_layer(const Device& device, Body body) {
    class Prepared : public PreparedLayer {
     public:
        Prepared(const Device& device, Body&& body) : device_(device), body_(std::move(body)) {}

        void launch(const void* input, void* output, StreamView stream) override {
            use_device(device_);
            body_(input, output, stream);
        }

     private:
        Device device_;
        Body body_;
    };
    return std::make_unique<Prepared>(device, std::move(body));
}

}  // namespace weft
