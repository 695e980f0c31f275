// Launches the layer forms of column_row_reuse.
#include <algorithm>

#include "kernels/layers/layer_depthwise_variants.cuh"
#include "kernels/layers/prepared_layer.cuh"

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

}  // namespace

std::unique_ptr<PreparedLayer> prepare_layer_depthwise(const LayerProblem& p,
                                                       const Device& device) {
    validate(p);
    use_device(device);
    DepthwisePlan plan = plan_depthwise(p, device.multiprocessors);
    const DepthwiseKernel kernel = pick_depthwise(plan, p.type, DepthwiseKernels{});
    LaunchShape shape{.threads = dim3(32, static_cast<unsigned>(plan.warps)),
                      .shared_bytes = plan.shared_bytes,
                      .early = waits_for_predecessors(plan) && can_start_early(kernel)};
    allow_all_shared_memory(kernel);
    if (plan.form.cut == DepthwiseCut::planes)
        share_images(plan, std::max(resident_blocks(kernel, shape.threads, plan.shared_bytes), 1) *
                               device.multiprocessors);
    shape.blocks = static_cast<unsigned>(plan.blocks);
    DeviceArray<float> weights = upload(plan.weights);
    DepthwiseArgs args = plan.args;
    args.weights = weights.get();
    auto body = [=, weights = std::move(weights)](const void* input, void* output,
                                                  StreamView stream) mutable {
        args.input = input;
        args.output = output;
        launch(kernel, shape, stream, args, "launch the layer form of column_row_reuse");
    };
    return prepared_layer(device, std::move(body));
}

}  // namespace weft
