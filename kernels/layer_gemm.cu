// The row implicit_gemm: launches layer_gemm_f32.cuh and layer_gemm_f16.cuh.
#include "kernels/device_array.cuh"
#include "kernels/image_buffer.h"
#include "kernels/layer_forms.h"
#include "kernels/layer_gemm_f16.cuh"
#include "kernels/layer_gemm_f32.cuh"

namespace weft {

namespace {

using GemmKernel = void (*)(GemmArgs);

struct GemmLaunch {
    GemmKernel kernel;
    int threads, shared_bytes;
};

template <class T>
GemmLaunch f32_launch() {
    return {implicit_gemm_f32<T>, kGemmThreads, sizeof(GemmSlices<T>)};
}

template <class F>
GemmLaunch f16_launch() {
    return {implicit_gemm_f16<F>, kHalfThreads, sizeof(HalfSlices<F>)};
}

GemmLaunch launch_for(const GemmPlan& plan, LayerType type) {
    if (type == LayerType::f32)
        return plan.tile.rows == kGemmWide.rows ? f32_launch<GemmWide>() : f32_launch<GemmNarrow>();
    if (plan.tile.rows == kGemmHigh.rows)
        return plan.vectors ? f16_launch<HalfForm<HighTile, true>>()
                            : f16_launch<HalfForm<HighTile, false>>();
    return plan.vectors ? f16_launch<HalfForm<FlatTile, true>>()
                        : f16_launch<HalfForm<FlatTile, false>>();
}

class PreparedGemm : public PreparedLayer {
 public:
    PreparedGemm(const LayerProblem& p, const Device& device, const GemmPlan& plan)
        : device_(device),
          launch_(launch_for(plan, p.type)),
          weights_(upload(plan.weights)),
          halves_(upload(plan.halves)),
          places_(upload(plan.places)),
          args_(plan.args),
          blocks_(static_cast<unsigned>(plan.blocks)) {
        args_.places = places_.get();
        if (p.type == LayerType::f32)
            args_.weights = weights_.get();
        else
            args_.weights = halves_.get();
    }

    void launch(const void* input, void* output, StreamView stream) override {
        use_device(device_);
        args_.input = input;
        args_.output = output;
        const dim3 block(32, static_cast<unsigned>(launch_.threads) / 32);
        launch_.kernel<<<blocks_, block, launch_.shared_bytes, stream>>>(args_);
        cuda_check(cudaGetLastError(), "launch implicit_gemm");
    }

 private:
    Device device_;
    GemmLaunch launch_;
    DeviceArray<float> weights_;
    DeviceArray<std::uint16_t> halves_;
    DeviceArray<TapPlace> places_;
    GemmArgs args_;
    unsigned blocks_;
};

}  // namespace

std::unique_ptr<PreparedLayer> prepare_layer_gemm(const LayerProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    return std::make_unique<PreparedGemm>(p, device, plan_gemm(p, device.multiprocessors));
}

}  // namespace weft
