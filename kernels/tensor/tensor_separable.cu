// Launches tensor_separable.cuh.
#include "kernels/tensor/tensor_launch.cuh"
#include "kernels/tensor/tensor_separable.cuh"

namespace weft {

namespace {

TensorKernel kernel_for(int chunks) {
    switch (chunks) {
        case 2:
            return tensor_separable<2>;
        case 3:
            return tensor_separable<3>;
        case 4:
            return tensor_separable<4>;
        default:
            return tensor_separable<5>;
    }
}

}  // namespace

std::unique_ptr<PreparedConv> prepare_tensor_separable(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    const TensorLayout layout = lay_out_tensor_separable(p, device);
    return std::make_unique<PreparedTensor>(p, device, kernel_for(layout.args.chunks), layout);
}

}  // namespace weft
