// Samples of a frame to the values on which a step works at a higher precision, and back. Each runs
// where its images are, as in pixel_ops.h, and both devices compute the same bits
// (working_pixel.h).
#pragma once

#include <cstdint>
#include <span>

#include "filters/frame_info.h"
#include "kernels/device/device.h"
#include "kernels/image_view.h"
#include "kernels/pixels/transfer_curve.h"

namespace weft {

// A Curve in the memory of the images. Without lines it is x itself.
struct CurveView {
    const float* lines = nullptr;
    int origin = 0;  // the bits of the place of the first node, less the distance of two nodes
    int shift = 0;
    int last = 0;  // the number of the last line
};

// The curve, whose lines are at `lines`.
inline CurveView view_of(const Curve& curve, const float* lines) {
    if (curve.lines.empty()) return {};
    return {lines, static_cast<int>(curve.first) - (1 << curve.shift), curve.shift,
            static_cast<int>(curve.lines.size() / 2) - 1};
}

// How 1 to 4 components of a frame become as many planes of values and how these become components
// again. Values are v = fma(sample, unit, origin) of each component; of y, u and v with a matrix
//   r = fma(v, r_of_v, y); g = fma(v, g_of_v, fma(u, g_of_u, y)); b = fma(u, b_of_u, y);
// then the curve of the colours; then, where the last component is alpha and weighs, colour times
// alpha. f32 planes hold these values, u16 planes hold fma(value, step, zero), rounded half to even
// and clamped.
//
// The way back divides the colours by alpha, takes the other curve, and with a matrix
//   y = fma(luma_b, b, fma(luma_g, g, luma_r * r)), u = (b - y) * u_of_b, v = (r - y) * v_of_r.
// A component whose sample covers several pixels counts for each of them and takes the mean of
// them, row by row. The sample is fma(value, back_unit, back_origin), clamped to 0 to max_value and
// rounded half to even, or with `dither` up from the threshold of its place (threshold_at());
// samples in f32 are neither. A pixel with alpha below 2^-17 keeps its colour's samples.
struct WorkingRule {
    int components = 1;
    bool matrix = false;
    bool weighted = false;  // by alpha, the last component
    bool dither = false;    // 8 bits only
    // Arrays that device code can index.
    float unit[4] = {1, 1, 1, 1};
    float origin[4] = {};
    float back_unit[4] = {1, 1, 1, 1};
    float back_origin[4] = {};
    float r_of_v = 0, g_of_u = 0, g_of_v = 0, b_of_u = 0;
    float luma_r = 0, luma_g = 0, luma_b = 0, u_of_b = 1, v_of_r = 1;
    CurveView to_light, from_light;
    float step = 1, zero = 0;            // of u16 planes
    float back_step = 1, back_zero = 0;  // value = fma(sample, back_step, back_zero)
    float working_max = 65'535;
    float max_value = 255;  // of the frame's samples
};

// One component of a frame: a channel of a plane whose samples cover columns × rows pixels, which
// are 1, 2 or 4.
struct WorkingComponent {
    ImageView image;
    int channel = 0;
    int columns = 1;
    int rows = 1;
};

// Where a component's results go. A component that is not written gets the samples of the source.
// The samples of the image begin at this place of the frame's plane.
struct WorkingTarget {
    WorkingComponent to;
    bool written = true;
    int left = 0;
    int top = 0;
};

// Both take one entry per component of the rule: planes of one channel, all u16 or all f32 and of
// one size, the frame's in pixels. Throws std::invalid_argument if images do not match.
void to_working(const WorkingRule& rule, std::span<const WorkingComponent> from,
                std::span<const ImageView> to, StreamView stream);
void from_working(const WorkingRule& rule, std::span<const ImageView> from,
                  std::span<const WorkingComponent> source, std::span<const WorkingTarget> to,
                  StreamView stream);

}  // namespace weft
