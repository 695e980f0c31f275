// The shaders that convert a picture's planes to screen colours.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "app/viewer/view/hdr.h"
#include "filters/frame_info.h"

namespace weft {

// Settings that are compiled in instead of being uniforms: a software renderer runs every branch of
// a shader, and every texture fetch in it, for every pixel.
struct PictureShaderTraits {
    enum class Show : std::uint8_t { picture, difference, heat };

    // For each of y u v a or r g b a: its plane, -1 for none, and its channel there.
    std::array<int, 4> plane{-1, -1, -1, -1};
    std::array<int, 4> channel{};
    Show show = Show::picture;
    HdrTransfer transfer = HdrTransfer::none;  // the picture is tone-mapped: see hdr.h
    bool wide = false;                         // it has BT.2020 primaries
    int taps = 1;           // per side, of the grid averaged for one screen pixel
    bool squares = false;   // samples as squares, not interpolated
    bool dithered = false;  // to the frame buffer's depth, against bands

    auto operator<=>(const PictureShaderTraits&) const = default;
};

// The places of the components in such frames.
PictureShaderTraits traits_of(const FrameInfo& info);

// Draws one triangle that covers the viewport; no attributes.
extern const char* const kPictureVertexShader;

// Uniforms: picture_planes, minus_planes (samplers by plane; a difference is picture - minus),
// plane_size (vec2[4]), to_rgb (mat3), rgb_offset (vec3), sample_scale (float, texture value to
// 0..1), place (vec4, origin and size of the picture on the screen, y up), turn (mat3, display to
// coded space, both 0..1), gain, peak_pq and white_pq (float, of a tone-mapped picture: PQ's values
// of the film's peak and the screen's white), dither_step (float, between two levels of the frame
// buffer).
std::string picture_fragment_shader(const PictureShaderTraits& traits);

}  // namespace weft
