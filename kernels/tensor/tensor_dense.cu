// Launches tensor_dense.cuh.
#include "kernels/tensor/tensor_dense.cuh"
#include "kernels/tensor/tensor_launch.cuh"

namespace weft {

namespace {

template <bool SeveralSets>
TensorKernel kernel_for(int chunks) {
    switch (unrolled_chunks(chunks)) {
        case 2:
            return tensor_dense<2, SeveralSets>;
        case 3:
            return tensor_dense<3, SeveralSets>;
        case 4:
            return tensor_dense<4, SeveralSets>;
        case 5:
            return tensor_dense<5, SeveralSets>;
        default:
            return tensor_dense<0, SeveralSets>;
    }
}

}  // namespace

std::unique_ptr<PreparedConv> prepare_tensor_dense(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    const TensorLayout layout = lay_out_tensor_dense(p, device);
    const TensorKernel kernel = layout.args.sets > 1 ? kernel_for<true>(layout.args.chunks)
                                                     : kernel_for<false>(layout.args.chunks);
    return std::make_unique<PreparedTensor>(p, device, kernel, layout);
}

}  // namespace weft
