// Draws a frame into a part of the window.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <utility>

#include "app/gui/picture/gl_objects.h"
#include "app/gui/picture/picture_shader.h"
#include "app/gui/picture/plane_texture.h"
#include "app/viewer/screen/shown_frame.h"
#include "app/viewer/view/view_geometry.h"
#include "app/viewer/view/view_parts.h"
#include "kernels/device/stream.h"

namespace weft {

// Placement in framebuffer pixels with y downwards.
struct DrawRequest {
    ViewPart part;
    Rect placed;  // the whole picture, which may be larger than the part
    DisplayShape shape;
    double framebuffer_height = 0;
    HdrPicture hdr = {};        // tone-mapped, unless it is a difference
    double gain = 1;            // for a difference
    bool false_colour = false;  // for a difference
};

class PictureRenderer {
 public:
    // With the window's OpenGL context current. Throws std::runtime_error.
    explicit PictureRenderer(const Device& device);

    void set_frame(ShownFramePtr frame) { frame_ = std::move(frame); }
    // Draws a part of the last frame set. Uploads its pictures unless they are already there.
    // Throws CudaError.
    void draw(const DrawRequest& request);

    // Empty: frames stay on the GPU. Otherwise why they go through host memory.
    const std::string& why_no_interop() const { return why_no_interop_; }
    const ShownFramePtr& frame() const { return frame_; }

 private:
    // A side of a frame is the original or the result of one of two stacks.
    struct Uploaded {
        std::array<PlaneTexture, 4> planes;
        ShownFramePtr frame;
    };
    const Uploaded& upload(Side side);
    const GlProgram& program_for(const PictureShaderTraits& traits);
    PictureShaderTraits traits_for(const DrawRequest& request) const;
    void bind(const Uploaded& side, int first_unit, const char* name) const;
    void set_format(const FrameInfo& info) const;
    void set_view(const DrawRequest& request) const;
    GLint uniform(const char* name) const;

    std::map<PictureShaderTraits, GlProgram> programs_;
    GLuint current_ = 0;  // the program in use
    GlVertexArray vertices_;
    int most_taps_;
    int depth_bits_;  // the frame buffer has so many for red
    std::string why_no_interop_;
    std::unique_ptr<Stream> stream_;  // if interop is possible
    std::array<Uploaded, 3> sides_;
    ShownFramePtr frame_;
};

}  // namespace weft
