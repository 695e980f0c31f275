// The list of kernels for layers.
#include <algorithm>
#include <array>

#include "kernels/layers/layer_kernel.h"

namespace weft {

// One line adds a kernel: the name of its LayerKernel, which its own host source defines. In the
// order of tables.
#define WEFT_LAYER_KERNELS(KERNEL)  \
    KERNEL(kColumnRowReuseLayer)    \
    KERNEL(kSharedTileLayer)        \
    KERNEL(kFftLayer)               \
    KERNEL(kDirectLayer)            \
    KERNEL(kImplicitGemmLayer)      \
    KERNEL(kIm2colGemmLayer)        \
    KERNEL(kSparseDirectTiledLayer) \
    KERNEL(kSparseDirectLayer)

#define WEFT_DECLARE(name) extern const LayerKernel name;
WEFT_LAYER_KERNELS(WEFT_DECLARE)
#undef WEFT_DECLARE

std::string why_cannot(const LayerKernel& kernel, const LayerProblem& p, const Device& device) {
    std::string reason = why_cannot_run(kernel.space, device);
    return reason.empty() ? kernel.why_not(p, device) : reason;
}

std::span<const LayerKernel> layer_kernels() {
#define WEFT_ENTRY(name) name,
    static const std::array kernels{WEFT_LAYER_KERNELS(WEFT_ENTRY)};
#undef WEFT_ENTRY
    return kernels;
}

const LayerKernel* find_layer_kernel(std::string_view name) {
    const std::span<const LayerKernel> kernels = layer_kernels();
    const auto found = std::ranges::find(kernels, name, &LayerKernel::name);
    return found == kernels.end() ? nullptr : &*found;
}

}  // namespace weft
