// Whether this build has the CUDA sources. Internal to kernels/.
#pragma once

#include <string>

namespace weft {

#if defined(WEFT_HAVE_CUDA) || defined(__CUDACC__)
constexpr bool kHaveCuda = true;
#else
constexpr bool kHaveCuda = false;
#endif

// Empty in a build with CUDA; otherwise the sentence that all GPU kernels and the GPU probe show.
inline std::string why_no_cuda() {
    if constexpr (kHaveCuda) return {};
    return "this build has no CUDA kernels; build weft where NVIDIA's CUDA toolkit is installed";
}

// The address of a function of a CUDA source; null in a CPU-only build, which does not define it.
template <auto function>
constexpr auto cuda_only() -> decltype(function) {
    if constexpr (kHaveCuda)
        return function;
    else
        return nullptr;
}

}  // namespace weft
