// The kernel implicit_gemm: launches implicit_gemm_f32.cuh and implicit_gemm_f16.cuh; for few
// channels implicit_gemm_bank.cu does.
#include "kernels/common/kernel_launch.cuh"
#include "kernels/device/device_array.cuh"
#include "kernels/device/stream.h"
#include "kernels/layers/implicit_gemm_bank.h"
#include "kernels/layers/implicit_gemm_f16.cuh"
#include "kernels/layers/implicit_gemm_f32.cuh"

namespace weft {

namespace {

using GemmKernel = void (*)(GemmArgs);

struct GemmLaunch {
    GemmKernel kernel;
    int threads, shared_bytes;
};

LaunchShape shape_of(const GemmLaunch& launch, const GemmPlan& plan) {
    return {.blocks = static_cast<unsigned>(plan.blocks),
            .splits = static_cast<unsigned>(plan.args.splits),
            .threads = dim3(32, static_cast<unsigned>(launch.threads) / 32),
            .shared_bytes = launch.shared_bytes};
}

LaunchShape adding_shape(const GemmPlan& plan) {
    constexpr std::size_t kBlock = 32 * kAddWarps;
    const std::size_t outputs =
        static_cast<std::size_t>(plan.args.shape.out_channels) * plan.args.pixels;
    return {.blocks = static_cast<unsigned>((outputs + kBlock - 1) / kBlock),
            .threads = dim3(32, kAddWarps)};
}

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
          multiply_(launch_for(plan, p.type)),
          add_(p.type == LayerType::f32 ? add_splits<ElementF32> : add_splits<ElementF16>),
          multiply_shape_(shape_of(multiply_, plan)),
          add_shape_(adding_shape(plan)),
          weights_(upload(plan.weights)),
          halves_(upload(plan.halves)),
          places_(upload(plan.places)),
          partial_(device_array<float>(plan.partial_sums())),
          args_(plan.args) {
        args_.places = places_.get();
        if (plan.partial_sums() > 0) args_.partial = partial_.get();
        if (p.type == LayerType::f32)
            args_.weights = weights_.get();
        else
            args_.weights = halves_.get();
    }

    void launch(const void* input, void* output, StreamView stream) override {
        use_device(device_);
        args_.input = input;
        args_.output = output;
        weft::launch(multiply_.kernel, multiply_shape_, stream, args_, "launch implicit_gemm");
        if (args_.partial != nullptr)
            weft::launch(add_, add_shape_, stream, args_, "add up implicit_gemm's sums");
    }

 private:
    Device device_;
    GemmLaunch multiply_;
    GemmKernel add_;
    LaunchShape multiply_shape_;
    LaunchShape add_shape_;
    DeviceArray<float> weights_;
    DeviceArray<std::uint16_t> halves_;
    DeviceArray<TapPlace> places_;
    DeviceArray<float> partial_;
    GemmArgs args_;
};

}  // namespace

std::unique_ptr<PreparedLayer> prepare_layer_gemm(const LayerProblem& p, const Device& device) {
    validate(p);
    if (takes_bank(p)) return prepare_layer_bank(p, device);
    use_device(device);
    return std::make_unique<PreparedGemm>(p, device, plan_gemm(p, device.multiprocessors));
}

}  // namespace weft
