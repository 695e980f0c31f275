#include "app/gui/picture_renderer.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/gui/picture_shader.h"
#include "app/viewer/colour_matrix.h"

namespace weft {
namespace {

constexpr int kMostTaps = 4;         // a side, of what one screen pixel averages
constexpr double kSquaresScale = 4;  // from here on samples are squares

const Picture& side_of(const ShownFrame& frame, Side side) {
    if (side == 0 || frame.filtered.empty()) return frame.original;
    return frame.filtered[std::min(side, frame.filtered.size()) - 1];
}

int component_index(Component c) {
    switch (c) {
        case Component::y:
        case Component::r:
            return 0;
        case Component::u:
        case Component::g:
            return 1;
        case Component::v:
        case Component::b:
            return 2;
        case Component::a:
            return 3;
    }
    return 0;
}

// Texture values are samples over the largest one that the type holds.
float texture_scale(const FrameInfo& info) {
    switch (info.sample) {
        case SampleType::u8:
            return 255.0F / info.max_value();
        case SampleType::u16:
            return 65535.0F / info.max_value();
        case SampleType::f32:
            return 1.0F;
    }
    return 1.0F;
}

// Display to coded space, both 0..1, column-major for OpenGL.
std::array<float, 9> turn_matrix(int degrees) {
    switch (degrees) {
        case 90:
            return {0, -1, 0, 1, 0, 0, 0, 1, 1};
        case 180:
            return {-1, 0, 0, 0, -1, 0, 1, 1, 1};
        case 270:
            return {0, 1, 0, -1, 0, 0, 1, 0, 1};
        default:
            return {1, 0, 0, 0, 1, 0, 0, 0, 1};
    }
}

int shader_mode(const ViewState& view, DrawSide side) {
    if (side != DrawSide::as_view) return side == DrawSide::left ? 0 : 1;
    switch (view.mode) {
        case CompareMode::single:
        case CompareMode::side_by_side:
            return 1;
        case CompareMode::wipe:
            return view.held_original ? 0 : 2;
        case CompareMode::difference:
            return view.held_original ? 0 : 3;
    }
    return 1;
}

}  // namespace

PictureRenderer::PictureRenderer(const Device& device)
    : program_(make_program(kPictureVertexShader, kPictureFragmentShader)),
      vertices_(make_vertex_array()),
      why_no_interop_(why_no_gl_interop(device)) {
    if (!device.is_gpu()) return;
    use_device(device);
    stream_ = std::make_unique<Stream>();
}

GLint PictureRenderer::uniform(const char* name) const {
    return glGetUniformLocation(program_.name(), name);
}

void PictureRenderer::set_frame(ShownFramePtr frame, const ViewState& view) {
    frame_ = std::move(frame);
    if (!frame_) return;
    const bool alone = view.mode == CompareMode::single;
    bring(1, alone ? view.shown_alone() : view.right);
    if (!alone) bring(0, view.left);
}

void PictureRenderer::bring(std::size_t slot, Side side) {
    if (brought_of_[slot] == frame_ && brought_[slot] == side) return;
    const Picture& picture = side_of(*frame_, side);
    const StreamView stream = stream_ ? stream_->view() : nullptr;
    for (std::size_t p = 0; p < picture.planes.size() && p < planes_[slot].size(); ++p)
        planes_[slot][p].set(picture.planes[p], why_no_interop_.empty(), stream);
    if (stream_) stream_->synchronize();
    brought_of_[slot] = frame_;
    brought_[slot] = side;
}

void PictureRenderer::bind(std::size_t slot, int first_unit, const char* name) const {
    for (int p = 0; p < static_cast<int>(planes_[slot].size()); ++p) {
        const int unit = first_unit + p;
        glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit));
        glBindTexture(GL_TEXTURE_2D, planes_[slot][static_cast<std::size_t>(p)].name());
        glUniform1i(uniform(fmt::format("{}[{}]", name, p).c_str()), unit);
    }
}

void PictureRenderer::set_format(const FrameInfo& info) const {
    std::array<GLint, 4> plane{-1, -1, -1, -1};
    std::array<GLint, 4> channel{};
    std::array<GLfloat, 8> scale{};
    std::array<GLfloat, 8> size{};
    for (std::size_t p = 0; p < info.planes.size() && p < 4; ++p) {
        size[2 * p] = static_cast<GLfloat>(info.planes[p].width);
        size[2 * p + 1] = static_cast<GLfloat>(info.planes[p].height);
        const auto& components = info.planes[p].components;
        for (std::size_t c = 0; c < components.size(); ++c) {
            const auto k = static_cast<std::size_t>(component_index(components[c]));
            plane[k] = static_cast<GLint>(p);
            channel[k] = static_cast<GLint>(c);
        }
    }
    for (std::size_t k = 0; k < 4; ++k) scale[2 * k] = texture_scale(info);
    glUniform1iv(uniform("component_plane"), 4, plane.data());
    glUniform1iv(uniform("component_channel"), 4, channel.data());
    glUniform2fv(uniform("component_scale"), 4, scale.data());
    glUniform2fv(uniform("plane_size"), 4, size.data());
    glUniform1i(uniform("has_alpha"), plane[3] >= 0 ? 1 : 0);

    const ColourTransform colours = to_rgb(info);
    std::array<GLfloat, 9> matrix{};
    std::ranges::transform(colours.matrix, matrix.begin(),
                           [](double v) { return static_cast<GLfloat>(v); });
    glUniformMatrix3fv(uniform("to_rgb"), 1, GL_TRUE, matrix.data());
    // Gray frames have no chroma: the shader's 0.5 has to vanish.
    const bool gray = plane[1] < 0;
    glUniform3f(uniform("rgb_offset"), static_cast<GLfloat>(colours.offset[0]),
                gray ? 0.5F : static_cast<GLfloat>(colours.offset[1]),
                gray ? 0.5F : static_cast<GLfloat>(colours.offset[2]));
}

void PictureRenderer::set_view(const DrawRequest& request) const {
    const Rect& placed = request.placed;
    const double bottom = request.framebuffer_height - placed.y - placed.height;
    glUniform4f(uniform("place"), static_cast<GLfloat>(placed.x), static_cast<GLfloat>(bottom),
                static_cast<GLfloat>(placed.width), static_cast<GLfloat>(placed.height));
    glUniformMatrix3fv(uniform("turn"), 1, GL_FALSE,
                       turn_matrix(request.shape.rotation_degrees).data());
    const double scale = placed.width / request.shape.display_size().width;
    const int taps = std::clamp(static_cast<int>(std::ceil(1 / scale)), 1, kMostTaps);
    glUniform1i(uniform("taps"), taps);
    glUniform1i(uniform("squares"), scale >= kSquaresScale ? 1 : 0);
    glUniform1i(uniform("mode"), shader_mode(request.view, request.side));
    glUniform1f(uniform("wipe_x"),
                static_cast<GLfloat>(placed.x + request.view.wipe * placed.width));
    glUniform1f(uniform("gain"), static_cast<GLfloat>(request.view.gain));
    glUniform1i(uniform("false_colour"), request.view.false_colour ? 1 : 0);
}

void PictureRenderer::draw(const DrawRequest& request) const {
    if (!frame_ || request.viewport.width < 1 || request.viewport.height < 1) return;
    const Rect& v = request.viewport;
    glEnable(GL_SCISSOR_TEST);
    glScissor(static_cast<GLint>(v.x),
              static_cast<GLint>(request.framebuffer_height - v.y - v.height),
              static_cast<GLsizei>(v.width), static_cast<GLsizei>(v.height));
    glDisable(GL_BLEND);
    glUseProgram(program_.name());
    bind(0, 0, "left_planes");
    bind(1, 4, "right_planes");
    set_format(frame_->info);
    set_view(request);
    glBindVertexArray(vertices_.name());
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glDisable(GL_SCISSOR_TEST);
    glActiveTexture(GL_TEXTURE0);
}

}  // namespace weft
