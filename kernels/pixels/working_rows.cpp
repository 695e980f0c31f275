// The host half of working_ops.h, compiled twice as host_rows.cpp is, with the same bits. Pieces of
// rows pass through short arrays, one loop per operation, which the compiler vectorises where
// samples lie side by side. Bands of rows run on all cores.
#include <algorithm>
#include <cstddef>

#include "kernels/device/cgroup.h"
#include "kernels/device/parallel_slots.h"
#include "kernels/pixels/working_ops_backend.h"
#include "kernels/pixels/working_pixel.h"
#include "kernels/with_sample_type.h"

namespace weft::host_ops {
namespace {

using working::fused;
using working::product;
using working::quotient;
using working::sum;

constexpr int kPiece = 512;     // a multiple of the columns of a sample
constexpr int kMostRows = 4;    // of a sample
constexpr int kLeastBand = 64;  // rows, below which a thread is not worth its start

// The values of a piece of a row: colours, then alpha if it weighs.
using Values = float[4][kPiece];

int shift_of(int covered) {
    return covered == 4 ? 2 : covered - 1;
}

int colours_of(const WorkingRule& rule) {
    return rule.components - (rule.weighted ? 1 : 0);
}

// A component's samples on a row of pixels, from column `left` on, which begins a sample.
template <class T>
[[gnu::always_inline]] inline T* samples_at(const WorkingComponent& c, int row, int left) {
    const std::ptrdiff_t column = left / c.columns;
    return reinterpret_cast<T*>(c.image.row(row / c.rows)) + column * c.image.channels + c.channel;
}

[[gnu::always_inline]] inline void apply(const CurveView& curve, float* __restrict v, int count) {
    if (curve.lines == nullptr) return;
    const CurveView c = curve;
    for (int i = 0; i < count; ++i) v[i] = working::value_at(c, v[i]);
}

// The samples of `count` pixels, each of which covers 2^shift of them. Step is a constant where
// samples lie side by side.
template <class T, class Step>
[[gnu::always_inline]] inline void load_samples(const T* __restrict in, Step step, int shift,
                                                int count, float unit, float origin,
                                                float* __restrict v) {
    const auto value = [&](int k) {
        return fused(static_cast<float>(in[static_cast<std::ptrdiff_t>(k) * step]), unit, origin);
    };
    if (shift == 0) {
        for (int k = 0; k < count; ++k) v[k] = value(k);
    } else if (shift == 1) {
        for (int k = 0; k < (count + 1) / 2; ++k) v[2 * k] = v[2 * k + 1] = value(k);
    } else {
        for (int k = 0; k < (count + 3) / 4; ++k)
            v[4 * k] = v[4 * k + 1] = v[4 * k + 2] = v[4 * k + 3] = value(k);
    }
}

template <class T>
[[gnu::always_inline]] inline void load(const WorkingComponent& c, int row, int left, int count,
                                        float unit, float origin, float* __restrict v) {
    const T* const in = samples_at<const T>(c, row, left);
    const int shift = shift_of(c.columns);
    if (c.image.channels == 1)
        load_samples(in, std::integral_constant<int, 1>{}, shift, count, unit, origin, v);
    else
        load_samples(in, c.image.channels, shift, count, unit, origin, v);
}

[[gnu::always_inline]] inline void to_rgb(const WorkingRule& rule, Values& v, int count) {
    const WorkingRule m = rule;
    for (int i = 0; i < count; ++i) {
        const float y = v[0][i];
        const float cb = v[1][i];
        const float cr = v[2][i];
        v[0][i] = fused(cr, m.r_of_v, y);
        v[1][i] = fused(cr, m.g_of_v, fused(cb, m.g_of_u, y));
        v[2][i] = fused(cb, m.b_of_u, y);
    }
}

// Luma, b - luma and r - luma.
[[gnu::always_inline]] inline void to_differences(const WorkingRule& rule, Values& v, int count) {
    const WorkingRule m = rule;
    for (int i = 0; i < count; ++i) {
        const float r = v[0][i];
        const float b = v[2][i];
        const float y = fused(m.luma_b, b, fused(m.luma_g, v[1][i], product(m.luma_r, r)));
        v[0][i] = y;
        v[1][i] = sum(b, -y);
        v[2][i] = sum(r, -y);
    }
}

template <class W>
[[gnu::always_inline]] inline void store_working(const WorkingRule& rule, const float* __restrict v,
                                                 W* __restrict out, int count) {
    const float step = rule.step;
    const float zero = rule.zero;
    const float max = rule.working_max;
    for (int i = 0; i < count; ++i) {
        if constexpr (std::is_same_v<W, float>)
            out[i] = v[i];
        else
            out[i] =
                static_cast<W>(static_cast<int>(working::rounded(fused(v[i], step, zero), max)));
    }
}

template <class W>
[[gnu::always_inline]] inline void load_working(const WorkingRule& rule, const W* __restrict in,
                                                float* __restrict v, int count) {
    const float step = rule.back_step;
    const float zero = rule.back_zero;
    for (int i = 0; i < count; ++i) {
        if constexpr (std::is_same_v<W, float>)
            v[i] = in[i];
        else
            v[i] = fused(static_cast<float>(in[i]), step, zero);
    }
}

struct ToArgs {
    const WorkingRule& rule;
    std::span<const WorkingComponent> from;
    std::span<const ImageView> to;
};

template <class T, class W>
struct ToBody {
    [[gnu::always_inline]] static void run(const ToArgs& args, int begin, int end) {
        const WorkingRule& rule = args.rule;
        const int colours = colours_of(rule);
        Values v;
        for (int y = begin; y < end; ++y)
            for (int left = 0; left < args.to[0].width; left += kPiece) {
                const int count = std::min(kPiece, args.to[0].width - left);
                for (int c = 0; c < rule.components; ++c)
                    load<T>(args.from[c], y, left, count, rule.unit[c], rule.origin[c], v[c]);
                if (rule.matrix) to_rgb(rule, v, count);
                for (int c = 0; c < colours; ++c) {
                    apply(rule.to_light, v[c], count);
                    if (!rule.weighted) continue;
                    for (int i = 0; i < count; ++i) v[c][i] = product(v[c][i], v[colours][i]);
                }
                for (int c = 0; c < rule.components; ++c)
                    store_working(rule, v[c], reinterpret_cast<W*>(args.to[c].row(y)) + left,
                                  count);
            }
    }
};

struct FromArgs {
    const WorkingRule& rule;
    std::span<const ImageView> from;
    std::span<const WorkingComponent> source;
    std::span<const WorkingTarget> to;
};

// The values of the components, of a piece of a row of pixels. Where alpha weighs, `counts` is 0
// for pixels that are not visible and 1 for others.
template <class W>
[[gnu::always_inline]] inline void component_values(const FromArgs& args, int y, int left,
                                                    int count, Values& v, float* counts) {
    const WorkingRule& rule = args.rule;
    const int colours = colours_of(rule);
    for (int c = 0; c < rule.components; ++c)
        load_working(rule, reinterpret_cast<const W*>(args.from[c].row(y)) + left, v[c], count);
    if (rule.weighted)
        for (int i = 0; i < count; ++i)
            counts[i] = v[colours][i] < working::kLeastAlpha ? 0.0F : 1.0F;
    for (int c = 0; c < colours; ++c) {
        if (rule.weighted)
            for (int i = 0; i < count; ++i) v[c][i] = quotient(v[c][i], v[colours][i]);
        apply(rule.from_light, v[c], count);
    }
    if (rule.matrix) to_differences(rule, v, count);
}

float factor_of(const WorkingRule& rule, int component) {
    return component == 1 ? rule.u_of_b : component == 2 ? rule.v_of_r : 1.0F;
}

// Writes samples of whole values, and the source's where no pixel counts.
template <class T, class StepIn, class StepOut>
[[gnu::always_inline]] inline void store_samples(const T* __restrict in, StepIn step_in,
                                                 T* __restrict out, StepOut step_out, int count,
                                                 const float* __restrict values,
                                                 const float* __restrict counts) {
    const auto sample = [](float v) {
        if constexpr (std::is_same_v<T, float>)
            return v;
        else
            return static_cast<T>(static_cast<int>(v));
    };
    if (values == nullptr)
        for (std::ptrdiff_t i = 0; i < count; ++i) out[i * step_out] = in[i * step_in];
    else if (counts == nullptr)
        for (std::ptrdiff_t i = 0; i < count; ++i) out[i * step_out] = sample(values[i]);
    else
        for (std::ptrdiff_t i = 0; i < count; ++i)
            out[i * step_out] = counts[i] > 0 ? sample(values[i]) : in[i * step_in];
}

// Writes samples from their values. Without `counts` all of them count.
template <class T>
[[gnu::always_inline]] inline void store(const FromArgs& args, int component, int row, int first,
                                         int count, float* __restrict values,
                                         const float* __restrict counts) {
    const WorkingTarget& target = args.to[component];
    const WorkingComponent& from = args.source[component];
    const int step_in = from.image.channels;
    const int step_out = target.to.image.channels;
    const T* const in = reinterpret_cast<const T*>(from.image.row(row)) + from.channel +
                        static_cast<std::ptrdiff_t>(step_in) * first;
    T* const out = reinterpret_cast<T*>(target.to.image.row(row)) + target.to.channel +
                   static_cast<std::ptrdiff_t>(step_out) * first;
    const float unit = args.rule.back_unit[component];
    const float origin = args.rule.back_origin[component];
    const float max = args.rule.max_value;
    if (!target.written) values = nullptr;
    if (values != nullptr)
        for (int i = 0; i < count; ++i) values[i] = fused(values[i], unit, origin);
    if constexpr (!std::is_same_v<T, float>) {
        if (values != nullptr && args.rule.dither)
            for (int i = 0; i < count; ++i)
                values[i] = working::dithered(
                    values[i], max,
                    working::threshold_at(target.left + first + i, target.top + row));
        else if (values != nullptr)
            for (int i = 0; i < count; ++i) values[i] = working::rounded(values[i], max);
    }
    using One = std::integral_constant<int, 1>;
    if (step_in == 1 && step_out == 1)
        store_samples(in, One{}, out, One{}, count, values, counts);
    else
        store_samples(in, step_in, out, step_out, count, values, counts);
}

// Adds the values of a row to the sums of the samples that cover them, from left to right.
[[gnu::always_inline]] inline void add(const float* __restrict v, int shift, int samples,
                                       float* __restrict sums) {
    if (shift == 0)
        for (int k = 0; k < samples; ++k) sums[k] = sum(sums[k], v[k]);
    else if (shift == 1)
        for (int k = 0; k < samples; ++k) sums[k] = sum(sum(sums[k], v[2 * k]), v[2 * k + 1]);
    else
        for (int k = 0; k < samples; ++k)
            sums[k] =
                sum(sum(sum(sum(sums[k], v[4 * k]), v[4 * k + 1]), v[4 * k + 2]), v[4 * k + 3]);
}

template <class T, class W>
struct FromBody {
    [[gnu::always_inline]] static void run(const FromArgs& args, int begin, int end) {
        int rows = 1;
        for (const WorkingComponent& c : args.source) rows = std::max(rows, c.rows);
        for (int y = begin; y < end; y += rows)
            for (int left = 0; left < args.from[0].width; left += kPiece)
                run_piece(args, y, std::min(rows, end - y), left,
                          std::min(kPiece, args.from[0].width - left));
    }

    // The samples that cover these pixels.
    [[gnu::always_inline]] static void run_piece(const FromArgs& args, int top, int rows, int left,
                                                 int count) {
        const WorkingRule& rule = args.rule;
        Values v, sums{};
        float counts[kPiece];
        float visible[4][kPiece]{};
        for (int y = top; y < top + rows; ++y) {
            component_values<W>(args, y, left, count, v, counts);
            if (!rule.weighted) std::fill_n(counts, count, 1.0F);
            for (int c = 0; c < rule.components; ++c) {
                const WorkingComponent& source = args.source[c];
                if (source.columns == 1 && source.rows == 1) {
                    const float factor = factor_of(rule, c);
                    for (int i = 0; i < count; ++i) v[c][i] = product(v[c][i], factor);
                    store<T>(args, c, y, left, count, v[c], rule.weighted ? counts : nullptr);
                    continue;
                }
                // Pixels that do not count add nothing, and those past the edge do not.
                const int shift = shift_of(source.columns);
                const int samples = (count + source.columns - 1) >> shift;
                if (rule.weighted)
                    for (int i = 0; i < count; ++i) v[c][i] = counts[i] > 0 ? v[c][i] : 0.0F;
                std::fill(v[c] + count, v[c] + (samples << shift), 0.0F);
                std::fill(counts + count, counts + (samples << shift), 0.0F);
                add(v[c], shift, samples, sums[c]);
                add(counts, shift, samples, visible[c]);
            }
        }
        for (int c = 0; c < rule.components; ++c) {
            const WorkingComponent& source = args.source[c];
            if (source.columns == 1 && source.rows == 1) continue;
            const int samples = (count + source.columns - 1) / source.columns;
            const float factor = factor_of(rule, c);
            for (int i = 0; i < samples; ++i)
                sums[c][i] = quotient(product(sums[c][i], factor), visible[c][i]);
            store<T>(args, c, top / source.rows, left / source.columns, samples, sums[c],
                     rule.weighted ? visible[c] : nullptr);
        }
    }
};

template <template <class, class> class Body, class T, class W, class Args>
void run_baseline(const Args& args, int begin, int end) {
    Body<T, W>::run(args, begin, end);
}

#if defined(__x86_64__)
template <template <class, class> class Body, class T, class W, class Args>
[[gnu::target("avx2,fma")]] void run_avx2(const Args& args, int begin, int end) {
    Body<T, W>::run(args, begin, end);
}
#endif

template <template <class, class> class Body, class T, class W, class Args>
void run(const Args& args, int begin, int end) {
#if defined(__x86_64__)
    static const bool have = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (have) return run_avx2<Body, T, W>(args, begin, end);
#endif
    run_baseline<Body, T, W>(args, begin, end);
}

template <template <class, class> class Body, class Args>
void run(PixelType samples, const ImageView& plane, const Args& args) {
    const int bands = std::min(usable_cores(), std::max(1, plane.height / kLeastBand));
    const int rows = (plane.height + bands * kMostRows - 1) / (bands * kMostRows) * kMostRows;
    parallel_slots(bands, [&](int band) {
        const int begin = std::min(band * rows, plane.height);
        const int end = std::min(begin + rows, plane.height);
        with_sample_type(samples, [&]<class T>(T) {
            if (plane.type == PixelType::f32)
                run<Body, T, float>(args, begin, end);
            else
                run<Body, T, std::uint16_t>(args, begin, end);
        });
    });
}

}  // namespace

void to_working(const WorkingRule& rule, std::span<const WorkingComponent> from,
                std::span<const ImageView> to) {
    run<ToBody>(from[0].image.type, to[0], ToArgs{rule, from, to});
}

void from_working(const WorkingRule& rule, std::span<const ImageView> from,
                  std::span<const WorkingComponent> source, std::span<const WorkingTarget> to) {
    run<FromBody>(source[0].image.type, from[0], FromArgs{rule, from, source, to});
}

}  // namespace weft::host_ops
