// The kernel implicit_gemm: launches implicit_gemm_f32.cuh and implicit_gemm_f16.cuh; for few
// channels implicit_gemm_bank.cu does.
#include "kernels/layers/implicit_gemm_bank.h"
#include "kernels/layers/implicit_gemm_f16.cuh"
#include "kernels/layers/implicit_gemm_f32.cuh"
#include "kernels/layers/prepared_layer.cuh"

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

}  // namespace

std::unique_ptr<PreparedLayer> prepare_layer_gemm(const LayerProblem& p, const Device& device) {
    validate(p);
    if (takes_bank(p)) return prepare_layer_bank(p, device);
    use_device(device);
    const GemmPlan plan = plan_gemm(p, device.multiprocessors);
    const bool f32 = p.type == LayerType::f32;
    const GemmLaunch multiply = launch_for(plan, p.type);
    const GemmKernel add = f32 ? add_splits<ElementF32> : add_splits<ElementF16>;
    const LaunchShape multiply_shape = shape_of(multiply, plan);
    const LaunchShape add_shape = adding_shape(plan);
    DeviceArray<float> weights = upload(plan.weights);
    DeviceArray<std::uint16_t> halves = upload(plan.halves);
    DeviceArray<TapPlace> places = upload(plan.places);
    DeviceArray<float> partial = device_array<float>(plan.partial_sums());
    GemmArgs args = plan.args;
    args.weights = halves.get();
    if (f32) args.weights = weights.get();
    args.places = places.get();
    if (plan.partial_sums() > 0) args.partial = partial.get();
    auto body = [=, weights = std::move(weights), halves = std::move(halves),
                 places = std::move(places), partial = std::move(partial)](
                    const void* input, void* output, StreamView stream) mutable {
        args.input = input;
        args.output = output;
        launch(multiply.kernel, multiply_shape, stream, args, "launch implicit_gemm");
        if (args.partial != nullptr)
            launch(add, add_shape, stream, args, "add up implicit_gemm's sums");
    };
    return prepared_layer(device, std::move(body));
}

}  // namespace weft
