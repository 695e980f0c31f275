// The layer form of column_row_reuse: launches layer_planes.cuh (nchw) and layer_pixels.cuh (nhwc).
#include <algorithm>

#include "kernels/device_array.cuh"
#include "kernels/image_buffer.h"
#include "kernels/layer_forms.h"
#include "kernels/layer_pixels.cuh"
#include "kernels/layer_planes.cuh"

namespace weft {

namespace {

using DepthwiseKernel = void (*)(DepthwiseArgs);

template <class E, int K, int S>
DepthwiseKernel kernel_of(const DepthwisePlan& plan) {
    if (plan.form.layout == LayerLayout::nchw)
        return plan.whole_groups ? depthwise_planes<PlaneForm<E, K, S, true>>
                                 : depthwise_planes<PlaneForm<E, K, S, false>>;
    return plan.whole_vectors ? depthwise_pixels<PixelForm<E, K, S, true>>
                              : depthwise_pixels<PixelForm<E, K, S, false>>;
}

template <class E, int K>
DepthwiseKernel kernel_of(const DepthwisePlan& plan) {
    return plan.form.stride == 1 ? kernel_of<E, K, 1>(plan) : kernel_of<E, K, 2>(plan);
}

template <class E>
DepthwiseKernel kernel_of(const DepthwisePlan& plan) {
    if (plan.form.taps == 3) return kernel_of<E, 3>(plan);
    return plan.form.taps == 5 ? kernel_of<E, 5>(plan) : kernel_of<E, 7>(plan);
}

DepthwiseKernel kernel_for(const DepthwisePlan& plan, LayerType type) {
    return type == LayerType::f32 ? kernel_of<ElementF32>(plan) : kernel_of<ElementF16>(plan);
}

class PreparedDepthwise : public PreparedLayer {
 public:
    PreparedDepthwise(const LayerProblem& p, const Device& device, DepthwisePlan plan)
        : device_(device),
          kernel_(kernel_for(plan, p.type)),
          weights_(upload(plan.weights)),
          block_(32, static_cast<unsigned>(plan.warps)),
          shared_bytes_(plan.shared_bytes) {
        cuda_check(cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        shared_bytes_),
                   "reserve shared memory for planes");
        if (p.layout == LayerLayout::nchw)
            share_images(plan, resident_blocks() * device.multiprocessors);
        args_ = plan.args;
        args_.weights = weights_.get();
        blocks_ = static_cast<unsigned>(plan.blocks);
    }

    void launch(const void* input, void* output, StreamView stream) override {
        use_device(device_);
        args_.input = input;
        args_.output = output;
        kernel_<<<blocks_, block_, shared_bytes_, stream>>>(args_);
        cuda_check(cudaGetLastError(), "launch the layer form of column_row_reuse");
    }

 private:
    int resident_blocks() const {
        int blocks = 0;
        cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                       &blocks, kernel_, static_cast<int>(block_.x * block_.y), shared_bytes_),
                   "ask how many blocks fit on a multiprocessor");
        return std::max(blocks, 1);
    }

    Device device_;
    DepthwiseKernel kernel_;
    DeviceArray<float> weights_;
    DepthwiseArgs args_;
    unsigned blocks_ = 0;
    dim3 block_;
    int shared_bytes_;
};

}  // namespace

std::unique_ptr<PreparedLayer> prepare_layer_depthwise(const LayerProblem& p,
                                                       const Device& device) {
    validate(p);
    use_device(device);
    return std::make_unique<PreparedDepthwise>(p, device,
                                               plan_depthwise(p, device.multiprocessors));
}

}  // namespace weft
