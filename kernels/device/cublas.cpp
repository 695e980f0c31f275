// The cuBLAS functions in use, and the handle that owns its workspace.
#include "kernels/device/cublas.h"

#include <stdexcept>

#include <library_types.h>

#include "kernels/device/device_array.cuh"
#include "kernels/device/loaded_library.h"

namespace weft {

namespace {

constexpr std::size_t kWorkspace = 32U << 20;  // NVIDIA's recommendation for Hopper

// cuBLAS's own types and values, so that a toolkit without it can build this.
using Handle = void*;
using Status = int;
constexpr Status kSuccess = 0;
constexpr int kNotTransposed = 0;
constexpr int kTransposed = 1;
constexpr int kSumsInF32 = 68;
constexpr int kAnyAlgorithm = -1;
constexpr int kNoReducedPrecisionSums = 16;  // neither TF32 nor sums in half precision

using Multiply = Status (*)(Handle, int op_a, int op_b, int m, int n, int k, const void* alpha,
                            const void* a, cudaDataType_t, int lda, long long stride_a,
                            const void* b, cudaDataType_t, int ldb, long long stride_b,
                            const void* beta, void* c, cudaDataType_t, int ldc, long long stride_c,
                            int count, int sums, int algorithm);

// The functions in use, by their exported names.
struct Functions {
    LoadedLibrary library{"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
    Status (*create)(Handle*) = library.find<decltype(create)>("cublasCreate_v2");
    Status (*destroy)(Handle) = library.find<decltype(destroy)>("cublasDestroy_v2");
    Status (*set_stream)(Handle,
                         cudaStream_t) = library.find<decltype(set_stream)>("cublasSetStream_v2");
    Status (*set_workspace)(Handle, void*, std::size_t) =
        library.find<decltype(set_workspace)>("cublasSetWorkspace_v2");
    Status (*set_math_mode)(Handle,
                            int) = library.find<decltype(set_math_mode)>("cublasSetMathMode");
    Multiply multiply = library.find<Multiply>("cublasGemmStridedBatchedEx");

    bool complete() const {
        return create != nullptr && destroy != nullptr && set_stream != nullptr &&
               set_workspace != nullptr && set_math_mode != nullptr && multiply != nullptr;
    }
};

const Functions& cublas() {
    static const Functions functions;
    return functions;
}

void blas_check(Status status, std::string_view doing) {
    if (status == kSuccess) return;
    throw std::runtime_error("cuBLAS failed to " + std::string(doing) + ": status " +
                             std::to_string(status));
}

}  // namespace

std::string why_no_cublas() {
    return cublas().complete() ? "" : "it needs cuBLAS 12 or 13, which was not found";
}

struct Blas::State {
    Handle handle = nullptr;
    DeviceArray<std::byte> workspace = device_array<std::byte>(kWorkspace);

    State() {
        if (!cublas().complete()) throw std::runtime_error(why_no_cublas());
        blas_check(cublas().create(&handle), "start");
        blas_check(cublas().set_math_mode(handle, kNoReducedPrecisionSums), "set its arithmetic");
    }
    ~State() { (void)cublas().destroy(handle); }
};

Blas::Blas() : state_(std::make_unique<State>()) {}
Blas::~Blas() = default;

void Blas::multiply(const BlasProduct& p, StreamView stream) {
    const cudaDataType_t type = p.type == LayerType::f32 ? CUDA_R_32F : CUDA_R_16F;
    const float one = 1.0F;
    const float zero = 0.0F;
    // Setting the stream also drops the workspace.
    blas_check(cublas().set_stream(state_->handle, stream), "take a stream");
    blas_check(cublas().set_workspace(state_->handle, state_->workspace.get(), kWorkspace),
               "take its workspace");
    blas_check(cublas().multiply(state_->handle, p.transpose_a ? kTransposed : kNotTransposed,
                                 kNotTransposed, p.m, p.n, p.k, &one, p.a, type, p.lda, p.stride_a,
                                 p.b, type, p.ldb, p.stride_b, &zero, p.c, type, p.ldc, p.stride_c,
                                 p.count, kSumsInF32, kAnyAlgorithm),
               "multiply");
}

}  // namespace weft
