// A plane of a picture as a texture, filled from host memory or by CUDA.
#pragma once

#include <vector>

#include "app/gui/picture/gl_objects.h"
#include "kernels/device/gl_buffer.h"
#include "kernels/image_view.h"

namespace weft {

// Shaders read samples as value / (2^8 - 1), value / (2^16 - 1) or floats.
class PlaneTexture {
 public:
    // Copies the plane; blocks until its pixels are no longer needed. With `interop`, device planes
    // go through a buffer object that CUDA writes, otherwise through host memory. Throws CudaError.
    void set(const ImageView& plane, bool interop, StreamView stream);

    GLuint name() const { return texture_.name(); }

 private:
    void allocate(const ImageView& plane);
    void fill_from(const void* pixels, const ImageView& plane, std::ptrdiff_t pitch_bytes) const;
    void set_by_cuda(const ImageView& plane, StreamView stream);
    void set_by_copy(const ImageView& plane, StreamView stream);

    GlTexture texture_;
    GlPixelBuffer buffer_;
    GlBuffer shared_;              // after buffer_: unregistered first
    ImageView shape_;              // the texture's
    std::vector<std::byte> rows_;  // for planes whose rows OpenGL cannot read
};

}  // namespace weft
