// The OpenGL side of the CUDA runtime: registration and mapping of buffer objects.
#include "kernels/device/gl_buffer.h"

#include <array>

#include <cuda_gl_interop.h>

#include "kernels/device/cuda_check.cuh"

namespace weft {

std::string why_no_gl_interop(const Device& device) {
    if (!device.is_gpu()) return "filters run on the CPU";
    std::array<int, 16> ordinals{};
    unsigned count = 0;
    const cudaError_t code =
        cudaGLGetDevices(&count, ordinals.data(), ordinals.size(), cudaGLDeviceListAll);
    if (code != cudaSuccess) {
        (void)cudaGetLastError();
        return std::string("the OpenGL renderer is not on a CUDA device: ") +
               cudaGetErrorString(code);
    }
    for (unsigned k = 0; k < count; ++k)
        if (ordinals[k] == device.ordinal) return "";
    return "the OpenGL renderer is on another GPU than the filters";
}

GlBuffer::GlBuffer(unsigned name) {
    cudaGraphicsResource* resource = nullptr;
    cuda_check(cudaGraphicsGLRegisterBuffer(&resource, name, cudaGraphicsRegisterFlagsWriteDiscard),
               "register an OpenGL buffer");
    resource_.reset(resource);
}

// At exit the context may be gone before its buffers.
void GlBuffer::Unregister::operator()(cudaGraphicsResource* resource) const noexcept {
    (void)cudaGraphicsUnregisterResource(resource);
}

GlMapping::GlMapping(const GlBuffer& buffer, StreamView stream)
    : resource_(buffer.resource_.get()), stream_(stream) {
    cuda_check(cudaGraphicsMapResources(1, &resource_, stream_), "map an OpenGL buffer");
    const cudaError_t code = cudaGraphicsResourceGetMappedPointer(&data_, &bytes_, resource_);
    if (code == cudaSuccess) return;
    (void)cudaGraphicsUnmapResources(1, &resource_, stream_);
    cuda_check(code, "find the memory of an OpenGL buffer");
}

// The next call on the stream reports the error.
GlMapping::~GlMapping() {
    (void)cudaGraphicsUnmapResources(1, &resource_, stream_);
}

}  // namespace weft
