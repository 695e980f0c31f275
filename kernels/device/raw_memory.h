// Memory for ImageBuffer and the kernels' workspaces. Internal to kernels/.
#pragma once

#include <cstddef>

#include "kernels/device/image_buffer.h"

namespace weft {

// At least `bytes` bytes, aligned to 256; uninitialised. Throws std::bad_alloc (host) or CudaError;
// std::runtime_error with a sentence for pinned and device memory of a CPU-only build.
void* allocate_raw(std::size_t bytes, Allocation where);

// `memory` came from allocate_raw with the same `where`, or is null.
void release_raw(void* memory, Allocation where) noexcept;

// The two kinds that need CUDA, without the cases that do not.
void* allocate_cuda(std::size_t bytes, Allocation where);
void release_cuda(void* memory, Allocation where) noexcept;

}  // namespace weft
