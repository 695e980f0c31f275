// The layer form of direct on the host.
#include "kernels/device/cuda_build.h"
#include "kernels/layers/layer_kernel.h"

namespace weft {

// Defined in layer_direct.cu, in builds with CUDA only.
std::unique_ptr<PreparedLayer> prepare_layer_direct(const LayerProblem& problem,
                                                    const Device& device);

extern constinit const LayerKernel kDirectLayer = {
    .name = "direct",
    .why_not = [](const LayerProblem&, const Device&) { return std::string(); },
    .prepare = cuda_only<prepare_layer_direct>(),
    .cost = layer_cost,
};

}  // namespace weft
