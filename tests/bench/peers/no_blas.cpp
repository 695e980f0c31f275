// Stubs for cublas_layer.cu and cusparse_layer.cu if their headers were not found when the plug-in
// was built.
#include <stdexcept>

#include "tests/bench/peers/blas_layer.h"

namespace weft::bench {

namespace {

const std::string kWhy =
    "the plug-in was built without the headers of cuBLAS and cuSPARSE: install them and build "
    "again";

}  // namespace

const std::string& why_no_cublas() {
    return kWhy;
}

const std::string& why_no_cusparse() {
    return kWhy;
}

std::unique_ptr<PreparedLayer> prepare_cublas(const LayerProblem&, const Device&) {
    throw std::runtime_error(kWhy);
}

std::unique_ptr<PreparedLayer> prepare_cusparse(const LayerProblem&, const Device&) {
    throw std::runtime_error(kWhy);
}

}  // namespace weft::bench
