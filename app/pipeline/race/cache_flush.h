// Empties the caches between two launches, so that the second one reads from memory.
#pragma once

#include "kernels/device/device.h"
#include "kernels/device/image_buffer.h"

namespace weft {

class CacheFlush {
 public:
    // Allocates twice the GPU's L2, or twice the CPU's last cache (at most 256 MiB), on the current
    // device. Throws CudaError or std::bad_alloc.
    explicit CacheFlush(const Device& device);

    // Overwrites all of it: asynchronously on a GPU; on the CPU with all cores, before it returns.
    void run(StreamView stream);

 private:
    ImageBuffer memory_;
};

}  // namespace weft
