// The shaders that convert a picture's planes to screen colours.
#pragma once

#include <array>
#include <cstdint>
#include <string>

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
    int taps = 1;          // per side, of the grid averaged for one screen pixel
    bool squares = false;  // samples as squares, not interpolated

    auto operator<=>(const PictureShaderTraits&) const = default;
};

// The places of the components in such frames.
PictureShaderTraits traits_of(const FrameInfo& info);

// Draws one triangle that covers the viewport; no attributes.
extern const char* const kPictureVertexShader;

// Uniforms: picture_planes, minus_planes (samplers by plane; a difference is picture - minus),
// plane_size (vec2[4]), to_rgb (mat3), rgb_offset (vec3), sample_scale (float, texture value to
// 0..1), place (vec4, origin and size of the picture on the screen, y up), turn (mat3, display to
// coded space, both 0..1), gain.
std::string picture_fragment_shader(const PictureShaderTraits& traits);

}  // namespace weft
