// The CUDA driver's handle for the context of use_device(), for libraries that need it.
#pragma once

// CUDA's opaque context type, so that this header needs no CUDA.
struct CUctx_st;

namespace weft {

// The primary context of the device that is current on the calling thread; it stays valid until the
// program ends. Throws CudaError; std::runtime_error in a CPU-only build.
CUctx_st* current_driver_context();

}  // namespace weft
