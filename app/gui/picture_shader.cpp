#include "app/gui/picture_shader.h"

namespace weft {

const char* const kPictureVertexShader = R"(#version 330 core
void main() {
    vec2 corner = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2);
    gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}
)";

// `place` maps gl_FragCoord to display space, `turn` display to coded space (both 0..1).
// Smaller than one screen pixel, samples are averaged over the pixel's footprint in a grid of
// `taps` × `taps`; larger than four, they are shown as the squares that they are.
const char* const kPictureFragmentShader = R"(#version 330 core
uniform sampler2D left_planes[4];
uniform sampler2D right_planes[4];
uniform int component_plane[4];    // y u v a or r g b a: its plane, -1 for none
uniform int component_channel[4];
uniform vec2 component_scale[4];   // texture value to 0..1
uniform vec2 plane_size[4];
uniform mat3 to_rgb;
uniform vec3 rgb_offset;
uniform vec4 place;                // origin and size of the picture on the screen, y up
uniform mat3 turn;
uniform int taps;
uniform bool squares;
uniform int mode;                  // 0 left, 1 right, 2 wipe, 3 difference
uniform float wipe_x;              // in screen pixels
uniform float gain;
uniform bool false_colour;
uniform bool has_alpha;
out vec4 colour;

vec4 texel(sampler2D plane, vec2 at, vec2 size) {
    if (squares) return texelFetch(plane, ivec2(clamp(at * size, vec2(0.0), size - 1.0)), 0);
    return texture(plane, at);
}

vec4 plane_texel(bool left, int plane, vec2 at) {
    if (left) {
        if (plane == 0) return texel(left_planes[0], at, plane_size[0]);
        if (plane == 1) return texel(left_planes[1], at, plane_size[1]);
        if (plane == 2) return texel(left_planes[2], at, plane_size[2]);
        return texel(left_planes[3], at, plane_size[3]);
    }
    if (plane == 0) return texel(right_planes[0], at, plane_size[0]);
    if (plane == 1) return texel(right_planes[1], at, plane_size[1]);
    if (plane == 2) return texel(right_planes[2], at, plane_size[2]);
    return texel(right_planes[3], at, plane_size[3]);
}

float component(bool left, int k, vec2 at, float otherwise) {
    if (component_plane[k] < 0) return otherwise;
    float value = plane_texel(left, component_plane[k], at)[component_channel[k]];
    return value * component_scale[k].x + component_scale[k].y;
}

vec4 sample_rgb(bool left, vec2 at) {
    vec3 parts;
    parts.x = component(left, 0, at, 0.0);
    parts.y = component(left, 1, at, 0.5);
    parts.z = component(left, 2, at, 0.5);
    float alpha = has_alpha ? component(left, 3, at, 1.0) : 1.0;
    return vec4(to_rgb * (parts - rgb_offset), alpha);
}

vec4 picture_at(bool left, vec2 screen) {
    vec4 sum = vec4(0.0);
    for (int j = 0; j < taps; ++j)
        for (int i = 0; i < taps; ++i) {
            vec2 inner = (vec2(i, j) + 0.5) / float(taps) - 0.5;
            vec2 display = (screen + inner - place.xy) / place.zw;
            vec2 at = (turn * vec3(display.x, 1.0 - display.y, 1.0)).xy;
            sum += sample_rgb(left, at);
        }
    return sum / float(taps * taps);
}

// Black, violet, red, orange, pale yellow: lightness grows with the value.
vec3 heat(float v) {
    vec3 low = mix(vec3(0.0, 0.0, 0.02), vec3(0.45, 0.11, 0.43), clamp(v * 3.0, 0.0, 1.0));
    vec3 middle = mix(low, vec3(0.93, 0.41, 0.15), clamp(v * 3.0 - 1.0, 0.0, 1.0));
    return mix(middle, vec3(0.99, 1.0, 0.64), clamp(v * 3.0 - 2.0, 0.0, 1.0));
}

vec3 over_checks(vec4 c) {
    if (c.a >= 1.0) return c.rgb;
    ivec2 square = ivec2(gl_FragCoord.xy) / 8;
    vec3 under = ((square.x + square.y) & 1) == 0 ? vec3(0.38) : vec3(0.52);
    return mix(under, c.rgb, c.a);
}

void main() {
    vec2 screen = gl_FragCoord.xy;
    vec2 inside = (screen - place.xy) / place.zw;
    if (any(lessThan(inside, vec2(0.0))) || any(greaterThan(inside, vec2(1.0)))) discard;
    if (mode == 3) {
        vec3 d = picture_at(false, screen).rgb - picture_at(true, screen).rgb;
        vec3 far = abs(d) * gain;
        colour = vec4(false_colour ? heat(max(far.r, max(far.g, far.b)))
                                   : clamp(d * gain * 0.5 + 0.5, 0.0, 1.0), 1.0);
        return;
    }
    bool left = mode == 0 || (mode == 2 && screen.x < wipe_x);
    colour = vec4(over_checks(picture_at(left, screen)), 1.0);
}
)";

}  // namespace weft
