// Stubs for cudnn_layer.cu and cudnn_graph.cu if cudnn.h was not found when the plug-in was built.
#include <stdexcept>

#include "tests/bench/peers/cudnn_layer.h"

namespace weft::bench {

const std::string& why_no_cudnn() {
    static const std::string why =
        "the plug-in was built without cudnn.h: install cuDNN's headers and build again";
    return why;
}

std::unique_ptr<PreparedLayer> prepare_cudnn(const LayerProblem&, const Device&, CudnnChoice,
                                             bool) {
    throw std::runtime_error(why_no_cudnn());
}

std::unique_ptr<PreparedLayer> prepare_cudnn_graph(const LayerProblem&, const Device&, bool) {
    throw std::runtime_error(why_no_cudnn());
}

}  // namespace weft::bench
