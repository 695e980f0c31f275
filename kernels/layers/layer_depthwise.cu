// Launches the layer forms of column_row_reuse.
#include <algorithm>

#include "kernels/common/kernel_launch.cuh"
#include "kernels/device/device_array.cuh"
#include "kernels/device/stream.h"
#include "kernels/layers/layer_depthwise_variants.cuh"

namespace weft {

namespace {

struct DepthwiseKernels {
    template <class F>
    DepthwiseKernel lanes() const {
        return depthwise_lanes<F>;
    }
    template <class F>
    DepthwiseKernel small_planes() const {
        return depthwise_small_planes<F>;
    }
    template <class F>
    DepthwiseKernel planes() const {
        return depthwise_planes<F>;
    }
    template <class F>
    DepthwiseKernel pixels() const {
        return depthwise_pixels<F>;
    }
};

bool waits_for_predecessors(const DepthwisePlan& plan) {
    return plan.form.cut == DepthwiseCut::lanes || plan.form.cut == DepthwiseCut::small_planes;
}

class PreparedDepthwise : public PreparedLayer {
 public:
    PreparedDepthwise(const LayerProblem& p, const Device& device, DepthwisePlan plan)
        : device_(device),
          kernel_(pick_depthwise(plan, p.type, DepthwiseKernels{})),
          weights_(upload(plan.weights)),
          shape_{.blocks = 0,
                 .threads = dim3(32, static_cast<unsigned>(plan.warps)),
                 .shared_bytes = plan.shared_bytes,
                 .early = waits_for_predecessors(plan) && can_start_early(kernel_)} {
        allow_all_shared_memory(kernel_);
        if (plan.form.cut == DepthwiseCut::planes)
            share_images(plan,
                         std::max(resident_blocks(kernel_, shape_.threads, plan.shared_bytes), 1) *
                             device.multiprocessors);
        args_ = plan.args;
        args_.weights = weights_.get();
        shape_.blocks = static_cast<unsigned>(plan.blocks);
    }

    void launch(const void* input, void* output, StreamView stream) override {
        use_device(device_);
        args_.input = input;
        args_.output = output;
        weft::launch(kernel_, shape_, stream, args_, "launch the layer form of column_row_reuse");
    }

 private:
    Device device_;
    DepthwiseKernel kernel_;
    DeviceArray<float> weights_;
    DepthwiseArgs args_;
    LaunchShape shape_;
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
