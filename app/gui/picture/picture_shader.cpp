#include "app/gui/picture/picture_shader.h"

#include <string_view>

#include <fmt/format.h>

#include "filters/planes.h"

namespace weft {
namespace {

constexpr std::string_view kHead = R"(#version 330 core
uniform sampler2D picture_planes[4];
uniform sampler2D minus_planes[4];
uniform vec2 plane_size[4];
uniform mat3 to_rgb;
uniform vec3 rgb_offset;
uniform float sample_scale;
uniform vec4 place;
uniform mat3 turn;
uniform float gain;
out vec4 colour;
)";

constexpr std::string_view kSquares = R"(
vec4 texel(sampler2D plane, vec2 at, vec2 size) {
    return texelFetch(plane, ivec2(clamp(at * size, vec2(0.0), size - 1.0)), 0);
}
)";

constexpr std::string_view kSmooth = R"(
vec4 texel(sampler2D plane, vec2 at, vec2 size) {
    return texture(plane, at);
}
)";

// Averages over the screen pixel's footprint. Missing components have neutral values: no chroma, no
// alpha.
constexpr std::string_view kSide = R"(
vec4 SIDE_at(vec2 screen) {
    vec4 sum = vec4(0.0);
    for (int j = 0; j < TAPS; ++j)
        for (int i = 0; i < TAPS; ++i) {
            vec2 inner = (vec2(i, j) + 0.5) / float(TAPS) - 0.5;
            vec2 display = (screen + inner - place.xy) / place.zw;
            vec2 at = (turn * vec3(display.x, 1.0 - display.y, 1.0)).xy;
            vec4 parts = SIDE_parts(at);
            sum += vec4(to_rgb * (parts.xyz - rgb_offset), parts.w);
        }
    return sum / float(TAPS * TAPS);
}
)";

constexpr std::string_view kDisplay = R"(
// Black, violet, orange, pale yellow: lightness grows with the value.
vec3 heat(float v) {
    vec3 low = mix(vec3(0.0, 0.0, 0.02), vec3(0.45, 0.11, 0.43), clamp(v * 3.0, 0.0, 1.0));
    vec3 middle = mix(low, vec3(0.93, 0.41, 0.15), clamp(v * 3.0 - 1.0, 0.0, 1.0));
    return mix(middle, vec3(0.99, 1.0, 0.64), clamp(v * 3.0 - 2.0, 0.0, 1.0));
}

// Transparent pixels over squares of two grays.
vec3 over_checks(vec4 c) {
    ivec2 square = ivec2(gl_FragCoord.xy) / 8;
    vec3 under = ((square.x + square.y) & 1) == 0 ? vec3(0.38) : vec3(0.52);
    return mix(under, c.rgb, c.a);
}
)";

std::string_view shown(PictureShaderTraits::Show show) {
    using enum PictureShaderTraits::Show;
    switch (show) {
        case picture:
            return "over_checks(picture_at(screen))";
        case difference:
            return "clamp((picture_at(screen).rgb - minus_at(screen).rgb) * gain * 0.5 + 0.5, "
                   "0.0, 1.0)";
        case heat:
            return "heat(most(abs(picture_at(screen).rgb - minus_at(screen).rgb)) * gain)";
    }
    return "";
}

std::string replaced(std::string text, std::string_view word, std::string_view by) {
    for (std::size_t at = text.find(word); at != std::string::npos;
         at = text.find(word, at + by.size()))
        text.replace(at, word.size(), by);
    return text;
}

// One fetch per plane, then the components from them.
std::string parts_function(const PictureShaderTraits& traits) {
    std::string text = "vec4 SIDE_parts(vec2 at) {\n";
    for (int p = 0; p < 4; ++p)
        for (int k = 3; k >= 0; --k)
            if (traits.plane[static_cast<std::size_t>(k)] == p) {
                text += fmt::format(
                    "    vec4 p{0} = texel(SIDE_planes[{0}], at, plane_size[{0}]) * "
                    "sample_scale;\n",
                    p);
                break;
            }
    constexpr std::array<std::string_view, 4> kNone{"0.0", "0.5", "0.5", "1.0"};
    text += "    return vec4(";
    for (std::size_t k = 0; k < 4; ++k) {
        text += k == 0 ? "" : ", ";
        text += traits.plane[k] < 0 ? std::string(kNone[k])
                                    : fmt::format("p{}[{}]", traits.plane[k], traits.channel[k]);
    }
    return text + ");\n}\n";
}

std::string side_functions(const PictureShaderTraits& traits, std::string_view side) {
    std::string text = parts_function(traits) + std::string(kSide);
    text = replaced(text, "TAPS", fmt::format("{}", traits.taps));
    return replaced(text, "SIDE", side);
}

}  // namespace

const char* const kPictureVertexShader = R"(#version 330 core
void main() {
    vec2 corner = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2);
    gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}
)";

PictureShaderTraits traits_of(const FrameInfo& info) {
    PictureShaderTraits traits;
    for (std::size_t p = 0; p < info.planes.size() && p < 4; ++p)
        for (std::size_t c = 0; c < info.planes[p].components.size(); ++c) {
            const unsigned k = component_number(info.planes[p].components[c]);
            traits.plane[k] = static_cast<int>(p);
            traits.channel[k] = static_cast<int>(c);
        }
    return traits;
}

std::string picture_fragment_shader(const PictureShaderTraits& traits) {
    std::string text(kHead);
    text += traits.squares ? kSquares : kSmooth;
    text += side_functions(traits, "picture");
    if (traits.show != PictureShaderTraits::Show::picture) text += side_functions(traits, "minus");
    text += kDisplay;
    text += "float most(vec3 v) { return max(v.r, max(v.g, v.b)); }\n";
    text += fmt::format(
        "void main() {{\n    vec2 screen = gl_FragCoord.xy;\n"
        "    colour = vec4({}, 1.0);\n}}\n",
        shown(traits.show));
    return text;
}

}  // namespace weft
