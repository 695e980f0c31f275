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
uniform float peak_pq;
uniform float white_pq;
uniform float dither_step;
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

// The arithmetic of shown_colour() in app/viewer/view/hdr.cpp, which names its sources.
constexpr std::string_view kHdr = R"(
const float m1 = 0.1593017578125, m2 = 78.84375;
const float c1 = 0.8359375, c2 = 18.8515625, c3 = 18.6875;

vec3 pq_nits(vec3 v) {
    vec3 p = pow(clamp(v, 0.0, 1.0), vec3(1.0 / m2));
    return 10000.0 * pow(max(p - c1, 0.0) / (c2 - c3 * p), vec3(1.0 / m1));
}

float pq_of(float nits) {
    float p = pow(clamp(nits / 10000.0, 0.0, 1.0), m1);
    return pow((c1 + c2 * p) / (1.0 + c3 * p), m2);
}

vec3 hlg_nits(vec3 v) {
    vec3 e = clamp(v, 0.0, 1.0);
    vec3 low = e * e / 3.0;
    vec3 high = (exp((e - 0.55991073) / 0.17883277) + 0.28466892) / 12.0;
    vec3 scene = mix(high, low, lessThanEqual(e, vec3(0.5)));
    return 1000.0 * scene * pow(dot(scene, vec3(0.2627, 0.678, 0.0593)), 0.2);
}

float compressed(float nits) {
    float e = min(pq_of(nits) / peak_pq, 1.0);
    float top = white_pq / peak_pq;
    float knee = 1.5 * top - 0.5;
    if (e <= knee) return nits;
    float t = (e - knee) / (1.0 - knee);
    float t2 = t * t;
    float t3 = t2 * t;
    float mapped = (2.0 * t3 - 3.0 * t2 + 1.0) * knee + (t3 - 2.0 * t2 + t) * (1.0 - knee) +
                   (3.0 * t2 - 2.0 * t3) * top;
    return pq_nits(vec3(peak_pq * mapped)).x;
}

vec4 shown_colour(vec4 coded) {
    vec3 light = DECODED(coded.rgb);
    float largest = max(most(light), 1e-4);
    light *= compressed(largest) / largest / 203.0;
    if (WIDE)
        light = vec3(dot(light, vec3(1.660491, -0.587641, -0.072850)),
                     dot(light, vec3(-0.124550, 1.132900, -0.008349)),
                     dot(light, vec3(-0.018151, -0.100579, 1.118730)));
    return vec4(pow(clamp(light, 0.0, 1.0), vec3(1.0 / 2.2)), coded.a);
}
)";

// Between -0.5 and 0.5, by an ordered matrix of 8 × 8.
constexpr std::string_view kDither = R"(
float dither() {
    ivec2 p = ivec2(gl_FragCoord.xy);
    int x = p.x ^ p.y;
    int rank = (p.y & 1) << 5 | (x & 1) << 4 | (p.y & 2) << 2 | (x & 2) << 1 | (p.y & 4) >> 1 |
               (x & 4) >> 2;
    return (float(rank) + 0.5) / 64.0 - 0.5;
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

std::string_view shown(const PictureShaderTraits& traits) {
    using enum PictureShaderTraits::Show;
    switch (traits.show) {
        case picture:
            return traits.transfer == HdrTransfer::none
                       ? "over_checks(picture_at(screen))"
                       : "over_checks(shown_colour(picture_at(screen)))";
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

std::string hdr_functions(const PictureShaderTraits& traits) {
    const bool pq = traits.transfer == HdrTransfer::pq;
    const std::string text = replaced(std::string(kHdr), "DECODED", pq ? "pq_nits" : "hlg_nits");
    return replaced(text, "WIDE", traits.wide ? "true" : "false");
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
    if (traits.transfer != HdrTransfer::none) text += hdr_functions(traits);
    if (traits.dithered) text += kDither;
    text += fmt::format(
        "void main() {{\n    vec2 screen = gl_FragCoord.xy;\n"
        "    colour = vec4({}{}, 1.0);\n}}\n",
        shown(traits), traits.dithered ? " + dither() * dither_step" : "");
    return text;
}

}  // namespace weft
