#include "app/gui/picture/picture_renderer.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/gui/picture/picture_shader.h"
#include "app/viewer/view/colour_matrix.h"

namespace weft {
namespace {

constexpr int kMostTaps = 4;         // per side, averaged for one screen pixel
constexpr double kSquaresScale = 4;  // from this scale on samples are squares

// Texture values are samples divided by the type's largest value.
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

// From display to coded space, both 0..1, column-major for OpenGL.
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

using Show = PictureShaderTraits::Show;

Show shown_by(const DrawRequest& request) {
    if (!request.part.minus) return Show::picture;
    return request.false_colour ? Show::heat : Show::difference;
}

// Mesa's software renderers.
bool is_software() {
    const auto* name = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    const std::string_view words = name == nullptr ? "" : name;
    return words.find("llvmpipe") != std::string_view::npos ||
           words.find("softpipe") != std::string_view::npos;
}

// The depth of red, which is also that of the others.
int frame_buffer_bits() {
    constexpr GLint kUsual = 8;
    GLint bits = 0;
    glGetFramebufferAttachmentParameteriv(GL_DRAW_FRAMEBUFFER, GL_BACK_LEFT,
                                          GL_FRAMEBUFFER_ATTACHMENT_RED_SIZE, &bits);
    return bits > 0 ? bits : kUsual;
}

}  // namespace

PictureRenderer::PictureRenderer(const Device& device)
    : vertices_(make_vertex_array()),
      most_taps_(is_software() ? 1 : kMostTaps),
      depth_bits_(frame_buffer_bits()),
      why_no_interop_(why_no_gl_interop(device)) {
    if (!device.is_gpu()) return;
    use_device(device);
    stream_ = std::make_unique<Stream>();
}

GLint PictureRenderer::uniform(const char* name) const {
    return glGetUniformLocation(current_, name);
}

const PictureRenderer::Uploaded& PictureRenderer::upload(Side side) {
    Uploaded& uploaded = sides_[std::min({side, frame_->filtered.size(), sides_.size() - 1})];
    if (uploaded.frame == frame_) return uploaded;
    const Picture& picture = frame_->side(side);
    StreamView stream = stream_ ? stream_->view() : nullptr;
    for (std::size_t p = 0; p < picture.planes.size() && p < uploaded.planes.size(); ++p)
        uploaded.planes[p].set(picture.planes[p], why_no_interop_.empty(), stream);
    if (stream_) stream_->synchronize();
    uploaded.frame = frame_;
    return uploaded;
}

void PictureRenderer::bind(const Uploaded& side, int first_unit, const char* name) const {
    for (int p = 0; p < static_cast<int>(side.planes.size()); ++p) {
        const int unit = first_unit + p;
        glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(unit));
        glBindTexture(GL_TEXTURE_2D, side.planes[static_cast<std::size_t>(p)].name());
        glUniform1i(uniform(fmt::format("{}[{}]", name, p).c_str()), unit);
    }
}

const GlProgram& PictureRenderer::program_for(const PictureShaderTraits& traits) {
    GlProgram& program = programs_[traits];
    if (!program)
        program = make_program(kPictureVertexShader, picture_fragment_shader(traits).c_str());
    return program;
}

PictureShaderTraits PictureRenderer::traits_for(const DrawRequest& request) const {
    PictureShaderTraits traits = traits_of(frame_->info);
    const double scale = request.placed.width / request.shape.display_size().width;
    traits.show = shown_by(request);
    if (!request.part.minus) {
        traits.transfer = request.hdr.transfer;
        traits.wide = request.hdr && request.hdr.wide;
    }
    traits.dithered = frame_->info.depth_bits > depth_bits_ || request.hdr;
    traits.taps = std::clamp(static_cast<int>(std::ceil(1 / scale)), 1, most_taps_);
    traits.squares = scale >= kSquaresScale;
    return traits;
}

void PictureRenderer::set_format(const FrameInfo& info) const {
    std::array<GLfloat, 8> size{};
    for (std::size_t p = 0; p < info.planes.size() && p < 4; ++p) {
        size[2 * p] = static_cast<GLfloat>(info.planes[p].width);
        size[2 * p + 1] = static_cast<GLfloat>(info.planes[p].height);
    }
    glUniform2fv(uniform("plane_size"), 4, size.data());
    glUniform1f(uniform("sample_scale"), texture_scale(info));

    const ColourTransform colours = to_rgb(info);
    std::array<GLfloat, 9> matrix{};
    std::ranges::transform(colours.matrix, matrix.begin(),
                           [](double v) { return static_cast<GLfloat>(v); });
    glUniformMatrix3fv(uniform("to_rgb"), 1, GL_TRUE, matrix.data());
    // Gray frames have no chroma: the shader's 0.5 must cancel out.
    const bool gray = traits_of(info).plane[1] < 0;
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
    glUniform1f(uniform("gain"), static_cast<GLfloat>(request.gain));
    glUniform1f(uniform("peak_pq"), static_cast<GLfloat>(pq_of(request.hdr.peak_nits)));
    glUniform1f(uniform("white_pq"), static_cast<GLfloat>(pq_of(kScreenWhiteNits)));
    glUniform1f(uniform("dither_step"), 1 / static_cast<GLfloat>((1 << depth_bits_) - 1));
}

void PictureRenderer::draw(const DrawRequest& request) {
    const Rect seen = common_part(request.placed, request.part.visible);
    if (!frame_ || seen.width < 1 || seen.height < 1) return;
    const Uploaded& picture = upload(request.part.side);
    const Uploaded& minus = request.part.minus ? upload(*request.part.minus) : picture;
    // Neighbouring parts round their common edge alike.
    const auto left = static_cast<GLint>(seen.x);
    const auto bottom = static_cast<GLint>(request.framebuffer_height - seen.y - seen.height);
    glEnable(GL_SCISSOR_TEST);
    glScissor(left, bottom, static_cast<GLint>(seen.x + seen.width) - left,
              static_cast<GLint>(request.framebuffer_height - seen.y) - bottom);
    glDisable(GL_BLEND);
    current_ = program_for(traits_for(request)).name();
    glUseProgram(current_);
    bind(picture, 0, "picture_planes");
    if (request.part.minus) bind(minus, 4, "minus_planes");
    set_format(frame_->info);
    set_view(request);
    glBindVertexArray(vertices_.name());
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glDisable(GL_SCISSOR_TEST);
    glActiveTexture(GL_TEXTURE0);
}

}  // namespace weft
