// Draws a frame into a part of the window.
#pragma once

#include <array>
#include <map>
#include <memory>

#include "app/gui/picture/gl_objects.h"
#include "app/gui/picture/picture_shader.h"
#include "app/gui/picture/plane_texture.h"
#include "app/viewer/screen/shown_frame.h"
#include "app/viewer/view/view_geometry.h"
#include "app/viewer/view/view_state.h"
#include "kernels/device/stream.h"

namespace weft {

// For side by side, each side is drawn separately.
enum class DrawSide : std::uint8_t { as_view, left, right };

// Placement and view, in framebuffer pixels with y downwards.
struct DrawRequest {
    Rect viewport;  // nothing is drawn outside
    Rect placed;    // the whole picture, which may be larger
    DisplayShape shape;
    double framebuffer_height = 0;
    ViewState view;
    DrawSide side = DrawSide::as_view;
};

class PictureRenderer {
 public:
    // With the window's OpenGL context current. Throws std::runtime_error.
    explicit PictureRenderer(const Device& device);

    // Uploads the sides that `view` shows, unless they are already there. Throws CudaError.
    void set_frame(ShownFramePtr frame, const ViewState& view);
    // Draws the last frame set.
    void draw(const DrawRequest& request);

    // Empty: frames stay on the GPU. Otherwise why they go through host memory.
    const std::string& why_no_interop() const { return why_no_interop_; }
    const ShownFramePtr& frame() const { return frame_; }

 private:
    using Planes = std::array<PlaneTexture, 4>;
    void upload(std::size_t slot, Side side);
    const GlProgram& program_for(const PictureShaderTraits& traits);
    PictureShaderTraits traits_for(const DrawRequest& request) const;
    void bind(std::size_t slot, int first_unit, const char* name) const;
    void set_format(const FrameInfo& info) const;
    void set_view(const DrawRequest& request) const;
    GLint uniform(const char* name) const;

    std::map<PictureShaderTraits, GlProgram> programs_;
    GLuint current_ = 0;  // the program in use
    GlVertexArray vertices_;
    int most_taps_;
    std::string why_no_interop_;
    std::unique_ptr<Stream> stream_;  // if interop is possible
    std::array<Planes, 2> planes_;    // left and right
    std::array<Side, 2> uploaded_side_{};
    std::array<ShownFramePtr, 2> uploaded_frame_;
    ShownFramePtr frame_;
};

}  // namespace weft
