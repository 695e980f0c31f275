// Replaces cuda_hardware.cpp in CPU-only builds.
#include <stdexcept>

#include "app/media/picture/cuda_hardware.h"

namespace weft {

BufferPtr make_cuda_hardware(StreamView) {
    throw std::runtime_error("this build has no CUDA");
}

}  // namespace weft
