// OpenGL buffer objects that CUDA writes to, so that pixels reach the screen without leaving the
// GPU. All calls need the OpenGL context that owns the buffers to be current on the calling thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "kernels/device/device.h"

struct cudaGraphicsResource;

namespace weft {

// Empty if the current OpenGL context runs on `device`; else the reason why CUDA cannot write its
// buffers: no GPU, another GPU, or a renderer without CUDA (Mesa). Never throws.
std::string why_no_gl_interop(const Device& device);

// Owns the registration of a buffer object with CUDA, not the buffer. Move-only.
class GlBuffer {
 public:
    GlBuffer() = default;
    // `name` as glGenBuffers() gave it, with its storage allocated; CUDA will overwrite all of it.
    // Throws CudaError.
    explicit GlBuffer(unsigned name);

    explicit operator bool() const { return resource_ != nullptr; }

 private:
    friend class GlMapping;
    struct Unregister {
        void operator()(cudaGraphicsResource* resource) const noexcept;
    };
    std::unique_ptr<cudaGraphicsResource, Unregister> resource_;
};

// While this lives the buffer belongs to CUDA: OpenGL must not touch it. Unmapping is ordered after
// the work on `stream`.
class GlMapping {
 public:
    GlMapping(const GlBuffer& buffer, StreamView stream);  // throws CudaError
    ~GlMapping();
    GlMapping(const GlMapping&) = delete;
    GlMapping& operator=(const GlMapping&) = delete;

    void* data() const { return data_; }  // device memory
    std::size_t bytes() const { return bytes_; }

 private:
    cudaGraphicsResource* resource_;
    StreamView stream_;
    void* data_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace weft
