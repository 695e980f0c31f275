#include "app/gui/picture/plane_texture.h"

#include <array>

#include "kernels/pixels/pixel_ops.h"

namespace weft {
namespace {

struct TexelFormat {
    GLint internal;
    GLenum layout;
};

constexpr std::array<GLenum, 4> kLayouts{GL_RED, GL_RG, GL_RGB, GL_RGBA};
constexpr std::array<GLint, 4> kBytes{GL_R8, GL_RG8, GL_RGB8, GL_RGBA8};
constexpr std::array<GLint, 4> kWords{GL_R16, GL_RG16, GL_RGB16, GL_RGBA16};
constexpr std::array<GLint, 4> kFloats{GL_R32F, GL_RG32F, GL_RGB32F, GL_RGBA32F};

TexelFormat texel_format(const ImageView& plane) {
    const auto k = static_cast<std::size_t>(plane.channels - 1);
    const auto& internal = plane.type == PixelType::u8    ? kBytes
                           : plane.type == PixelType::u16 ? kWords
                                                          : kFloats;
    return {internal.at(k), kLayouts.at(k)};
}

GLenum sample_type(PixelType type) {
    return type == PixelType::u8    ? GL_UNSIGNED_BYTE
           : type == PixelType::u16 ? GL_UNSIGNED_SHORT
                                    : GL_FLOAT;
}

std::ptrdiff_t pixel_bytes(const ImageView& plane) {
    return static_cast<std::ptrdiff_t>(bytes_per_sample(plane.type)) * plane.channels;
}

bool same_shape(const ImageView& a, const ImageView& b) {
    return a.width == b.width && a.height == b.height && a.channels == b.channels &&
           a.type == b.type;
}

ImageView packed(const ImageView& like, void* data, MemorySpace space) {
    ImageView view = like;
    view.data = data;
    view.pitch_bytes = static_cast<std::ptrdiff_t>(like.row_bytes());
    view.space = space;
    return view;
}

}  // namespace

void PlaneTexture::set(const ImageView& plane, bool interop, StreamView stream) {
    if (!texture_ || !same_shape(plane, shape_)) allocate(plane);
    if (plane.space == MemorySpace::device && interop)
        set_by_cuda(plane, stream);
    else
        set_by_copy(plane, stream);
}

void PlaneTexture::allocate(const ImageView& plane) {
    const TexelFormat format = texel_format(plane);
    shared_ = {};
    texture_ = make_texture();
    glBindTexture(GL_TEXTURE_2D, texture_.name());
    glTexImage2D(GL_TEXTURE_2D, 0, format.internal, plane.width, plane.height, 0, format.layout,
                 sample_type(plane.type), nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    shape_ = plane;
}

void PlaneTexture::fill_from(const void* pixels, const ImageView& plane,
                             std::ptrdiff_t pitch_bytes) const {
    glBindTexture(GL_TEXTURE_2D, texture_.name());
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, static_cast<GLint>(pitch_bytes / pixel_bytes(plane)));
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, plane.width, plane.height, texel_format(plane).layout,
                    sample_type(plane.type), pixels);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
}

void PlaneTexture::set_by_cuda(const ImageView& plane, StreamView stream) {
    if (!shared_) {
        buffer_ = make_buffer();
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer_.name());
        glBufferData(GL_PIXEL_UNPACK_BUFFER,
                     static_cast<GLsizeiptr>(plane.row_bytes()) * plane.height, nullptr,
                     GL_STREAM_DRAW);
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
        shared_ = GlBuffer(buffer_.name());
    }
    {
        const GlMapping mapping(shared_, stream);
        const ImageView target = packed(plane, mapping.data(), MemorySpace::device);
        copy_image(plane, target, stream);
    }
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer_.name());
    fill_from(nullptr, plane, static_cast<std::ptrdiff_t>(plane.row_bytes()));
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
}

void PlaneTexture::set_by_copy(const ImageView& plane, StreamView stream) {
    const bool readable = plane.space == MemorySpace::host && plane.pitch_bytes > 0 &&
                          plane.pitch_bytes % pixel_bytes(plane) == 0;
    if (readable) {
        fill_from(plane.data, plane, plane.pitch_bytes);
        return;
    }
    rows_.resize(plane.row_bytes() * static_cast<std::size_t>(plane.height));
    const ImageView target = packed(plane, rows_.data(), MemorySpace::host);
    copy_image(plane, target, stream);
    fill_from(rows_.data(), target, target.pitch_bytes);
}

}  // namespace weft
