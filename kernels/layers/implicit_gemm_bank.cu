// Launches implicit_gemm_bank_f32.cuh and implicit_gemm_bank_f16.cuh for implicit_gemm.
#include <stdexcept>

#include "kernels/layers/implicit_gemm_bank_f16.cuh"
#include "kernels/layers/implicit_gemm_bank_f32.cuh"
#include "kernels/layers/prepared_layer.cuh"

namespace weft {

namespace {

using BankKernel = void (*)(BankArgs);

BankKernel f32_kernel(int taps) {
    switch (taps) {
        case 3:
            return layer_bank_f32<3>;
        case 5:
            return layer_bank_f32<5>;
        case 7:
            return layer_bank_f32<7>;
        case 9:
            return layer_bank_f32<9>;
        case 11:
            return layer_bank_f32<11>;
    }
    throw std::logic_error("a row of taps that takes_bank() refuses");
}

BankKernel f16_kernel(int chunks) {
    static_assert(kMostChunks == 3);
    return chunks == 1 ? layer_bank_f16<1> : chunks == 2 ? layer_bank_f16<2> : layer_bank_f16<3>;
}

}  // namespace

std::unique_ptr<PreparedLayer> prepare_layer_bank(const LayerProblem& p, const Device& device) {
    use_device(device);
    const BankPlan plan = plan_bank(p);
    const bool f32 = p.type == LayerType::f32;
    const BankKernel kernel = f32 ? f32_kernel(p.taps.x) : f16_kernel(plan.chunks);
    const LaunchShape shape{.blocks = static_cast<unsigned>(plan.blocks),
                            .threads = dim3(32, f32 ? kBankWarps : kHalfBankWarps),
                            .shared_bytes = plan.shared_bytes};
    allow_all_shared_memory(kernel);
    DeviceArray<float> weights = upload(plan.weights);
    DeviceArray<std::uint16_t> halves = upload(plan.halves);
    BankArgs args = plan.args;
    args.weights = halves.get();
    if (f32) args.weights = weights.get();
    auto body = [=, weights = std::move(weights), halves = std::move(halves)](
                    const void* input, void* output, StreamView stream) mutable {
        args.input = input;
        args.output = output;
        launch(kernel, shape, stream, args, "launch implicit_gemm for few channels");
    };
    return prepared_layer(device, std::move(body));
}

}  // namespace weft
