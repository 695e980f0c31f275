// Which layers each row takes.
#include "kernels/layer_forms.h"

#include "kernels/cuda_rows.h"

namespace weft {

namespace {

std::string why_not_any(const LayerProblem&, const Device& device) {
    return why_no_gpu(device);
}

}  // namespace

LayerForm direct_layer_form() {
    return {.why_not = why_not_any, .prepare = prepare_layer_direct, .cost = layer_cost};
}

}  // namespace weft
