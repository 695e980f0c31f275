// The CUDA driver's own handle for what use_device() made current, for libraries that ask for it.
#pragma once

// CUDA's opaque context type, so that this header needs no CUDA.
struct CUctx_st;

namespace weft {

// The primary context of the device that is current on the calling thread; it stays valid until the
// program ends. Throws CudaError; std::runtime_error in a CPU-only build.
CUctx_st* current_driver_context();

}  // namespace weft
