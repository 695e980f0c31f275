// Launches implicit_gemm_bank_f32.cuh and implicit_gemm_bank_f16.cuh for implicit_gemm.
#include <stdexcept>

#include "kernels/common/kernel_launch.cuh"
#include "kernels/device/device_array.cuh"
#include "kernels/device/stream.h"
#include "kernels/layers/implicit_gemm_bank_f16.cuh"
#include "kernels/layers/implicit_gemm_bank_f32.cuh"

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

class PreparedBank : public PreparedLayer {
 public:
    PreparedBank(const LayerProblem& p, const Device& device, const BankPlan& plan)
        : device_(device),
          kernel_(p.type == LayerType::f32 ? f32_kernel(p.taps.x) : f16_kernel(plan.chunks)),
          block_(32, p.type == LayerType::f32 ? kBankWarps : kHalfBankWarps),
          weights_(upload(plan.weights)),
          halves_(upload(plan.halves)),
          args_(plan.args),
          blocks_(static_cast<unsigned>(plan.blocks)),
          shared_bytes_(plan.shared_bytes) {
        args_.weights = halves_.get();
        if (p.type == LayerType::f32) args_.weights = weights_.get();
        allow_all_shared_memory(kernel_);
    }

    void launch(const void* input, void* output, StreamView stream) override {
        use_device(device_);
        args_.input = input;
        args_.output = output;
        kernel_<<<blocks_, block_, shared_bytes_, stream>>>(args_);
        cuda_check(cudaGetLastError(), "launch implicit_gemm for few channels");
    }

 private:
    Device device_;
    BankKernel kernel_;
    dim3 block_;
    DeviceArray<float> weights_;
    DeviceArray<std::uint16_t> halves_;
    BankArgs args_;
    unsigned blocks_;
    int shared_bytes_;
};

}  // namespace

std::unique_ptr<PreparedLayer> prepare_layer_bank(const LayerProblem& p, const Device& device) {
    use_device(device);
    return std::make_unique<PreparedBank>(p, device, plan_bank(p));
}

}  // namespace weft
