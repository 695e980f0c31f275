#include <string>

#include "kernels/device/cuda_check.cuh"

namespace weft {

namespace {

std::string_view base_name(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

void cuda_check(cudaError_t code, std::string_view doing, std::source_location where) {
    if (code == cudaSuccess) return;
    (void)cudaGetLastError();
    std::string message = "failed to ";
    message.append(doing).append(": ").append(cudaGetErrorString(code));
    message.append(" (").append(cudaGetErrorName(code)).append(") at ");
    message.append(base_name(where.file_name())).append(":").append(std::to_string(where.line()));
    throw CudaError(message, code);
}

}  // namespace weft
