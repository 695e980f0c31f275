// cuBLAS, loaded on first use: neither the build nor the program requires it. Internal to kernels/.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "kernels/device/device.h"
#include "kernels/layer_problem.h"

namespace weft {

// Empty, or a sentence that the library is missing. Searches once per process, for libcublas.so.13,
// .12 and .so as the dynamic linker does.
std::string why_no_cublas();

// A product of column-major matrices, C = op(A) · B, one for each of `count` sets, a stride apart.
// A is m × k, or k × m and transposed; B k × n; C m × n; all of one type, sums in fp32.
struct BlasProduct {
    LayerType type = LayerType::f32;
    bool transpose_a = false;
    int m = 0, n = 0, k = 0;
    const void* a = nullptr;
    const void* b = nullptr;
    void* c = nullptr;
    int lda = 0, ldb = 0, ldc = 0;
    long long stride_a = 0, stride_b = 0, stride_c = 0;
    int count = 1;
};

// A handle on the current device with a workspace of its own, so that products can be recorded in a
// CUDA graph. Throws std::runtime_error.
class Blas {
 public:
    Blas();
    ~Blas();
    Blas(const Blas&) = delete;
    Blas& operator=(const Blas&) = delete;

    // Asynchronous on `stream`.
    void multiply(const BlasProduct& product, StreamView stream);

 private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace weft
