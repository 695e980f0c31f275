// The device half of working_ops.h: one thread for four pixels of a row, or of the rows that a
// sample of the smallest plane covers. Planes of values are read and written by vectors, and so are
// samples that lie side by side. The lines of the curves, 160 KB of both, are read through the
// first-level cache.
#include <algorithm>
#include <array>

#include "kernels/common/conv_layout.h"
#include "kernels/common/samples.cuh"
#include "kernels/device/cuda_check.cuh"
#include "kernels/pixels/working_ops_backend.h"
#include "kernels/pixels/working_pixel.h"

namespace weft::device_ops {

namespace {

constexpr int kBlockX = 32;
constexpr int kBlockY = 8;
constexpr int kMostComponents = 4;
constexpr int kRun = 4;  // pixels, the most columns of a sample

using Run = float[kRun];

template <class T>
struct alignas(kRun * sizeof(T)) Vector {
    T samples[kRun];
};

// A channel of an image of interleaved samples, which cover 2^shift_x columns and 2^shift_y rows.
struct Channel {
    std::byte* data;
    long long pitch;
    int step;
    int shift_x, shift_y;
    bool vectors;  // may be read and written by four samples from each fourth on

    __device__ __forceinline__ bool covers_one() const { return shift_x + shift_y == 0; }

    template <class T>
    __device__ __forceinline__ T* at(int x, int y) const {
        return reinterpret_cast<T*>(data + y * pitch) + static_cast<long long>(x) * step;
    }
};

struct Target {
    Channel to;
    int left, top;
    bool written;
};

struct Args {
    WorkingRule rule;
    int width, height;  // pixels
    int rows;           // of a thread
    Channel source[kMostComponents];
    Channel planes[kMostComponents];
    Target targets[kMostComponents];
};

int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

int shift_of(int covered) {
    return covered == 4 ? 2 : covered - 1;
}

Channel channel_of(const ImageView& v, int channel, int columns, int rows) {
    auto* const data = static_cast<std::byte*>(v.data);
    const std::size_t vector = kRun * bytes_per_sample(v.type);
    const bool aligned = reinterpret_cast<std::uintptr_t>(data) % vector == 0 &&
                         static_cast<std::size_t>(v.pitch_bytes) % vector == 0;
    return {data + static_cast<std::size_t>(channel) * bytes_per_sample(v.type),
            v.pitch_bytes,
            v.channels,
            shift_of(columns),
            shift_of(rows),
            aligned && v.channels == 1};
}

Args args_of(const WorkingRule& rule, std::span<const WorkingComponent> components,
             std::span<const ImageView> planes) {
    Args args{};
    args.rule = rule;
    args.width = planes[0].width;
    args.height = planes[0].height;
    args.rows = 1;
    for (std::size_t k = 0; k < components.size(); ++k) {
        const WorkingComponent& c = components[k];
        args.source[k] = channel_of(c.image, c.channel, c.columns, c.rows);
        args.planes[k] = channel_of(planes[k], 0, 1, 1);
    }
    return args;
}

dim3 blocks_of(const Args& args) {
    return dim3(ceil_div(ceil_div(args.width, kRun), kBlockX),
                ceil_div(ceil_div(args.height, args.rows), kBlockY));
}

// The first pixel of the thread.
__device__ __forceinline__ int2 first_pixel(const Args& args) {
    return {static_cast<int>(blockIdx.x * kBlockX + threadIdx.x) * kRun,
            static_cast<int>(blockIdx.y * kBlockY + threadIdx.y) * args.rows};
}

__device__ __forceinline__ int colours_of(const WorkingRule& rule) {
    return rule.components - (rule.weighted ? 1 : 0);
}

__device__ __forceinline__ void pass_through(const CurveView& curve, Run& v) {
    if (curve.lines == nullptr) return;
#pragma unroll
    for (int k = 0; k < kRun; ++k) v[k] = working::value_at(curve, v[k]);
}

// Alpha is the last of several components.
template <int Most>
__device__ __forceinline__ float alpha_of(const Run (&v)[Most], int colours, int pixel) {
    if constexpr (Most == 1)
        return 1;
    else
        return colours == 1 ? v[1][pixel] : v[3][pixel];
}

// The samples of the first `count` pixels from x on, which is a multiple of kRun.
template <class T>
__device__ __forceinline__ void load(const Channel& c, int x, int y, int count, Run& v) {
    const T* const in = c.at<const T>(x >> c.shift_x, y >> c.shift_y);
    if (c.shift_x == 0 && c.vectors && count == kRun) {
        const auto all = *reinterpret_cast<const Vector<T>*>(in);
#pragma unroll
        for (int k = 0; k < kRun; ++k) v[k] = static_cast<float>(all.samples[k]);
        return;
    }
#pragma unroll
    for (int k = 0; k < kRun; ++k)
        v[k] = static_cast<float>(in[k < count ? (k >> c.shift_x) * c.step : 0]);
}

template <class T>
__device__ __forceinline__ void store(const Channel& c, int x, int y, int count,
                                      const Vector<T>& samples) {
    T* const out = c.at<T>(x, y);
    if (c.vectors && count == kRun) {
        *reinterpret_cast<Vector<T>*>(out) = samples;
        return;
    }
#pragma unroll
    for (int k = 0; k < kRun; ++k)
        if (k < count) out[static_cast<long long>(k) * c.step] = samples.samples[k];
}

// Of at most `Most` components.
template <class T, class W, int Most>
__global__ void to_values(const __grid_constant__ Args args) {
    const WorkingRule& rule = args.rule;
    const auto [x, y] = first_pixel(args);
    if (x >= args.width || y >= args.height) return;
    const int count = min(kRun, args.width - x);
    const int colours = colours_of(rule);
    Run v[Most];
#pragma unroll
    for (int c = 0; c < Most; ++c) {
        if (c >= rule.components) continue;
        load<T>(args.source[c], x, y, count, v[c]);
#pragma unroll
        for (int k = 0; k < kRun; ++k)
            v[c][k] = working::fused(v[c][k], rule.unit[c], rule.origin[c]);
    }
    if (rule.matrix) {
#pragma unroll
        for (int k = 0; k < kRun; ++k) {
            const float luma = v[0][k];
            const float cb = v[1][k];
            const float cr = v[2][k];
            v[0][k] = working::fused(cr, rule.r_of_v, luma);
            v[1][k] = working::fused(cr, rule.g_of_v, working::fused(cb, rule.g_of_u, luma));
            v[2][k] = working::fused(cb, rule.b_of_u, luma);
        }
    }
#pragma unroll
    for (int c = 0; c < Most; ++c) {
        if (c >= rule.components) continue;
        if (c < colours) {
            pass_through(rule.to_light, v[c]);
#pragma unroll
            for (int k = 0; k < kRun; ++k)
                if (rule.weighted) v[c][k] = working::product(v[c][k], alpha_of(v, colours, k));
        }
        Vector<W> values;
#pragma unroll
        for (int k = 0; k < kRun; ++k) {
            if constexpr (sizeof(W) == sizeof(float))
                values.samples[k] = v[c][k];
            else
                values.samples[k] = static_cast<W>(static_cast<int>(working::rounded(
                    working::fused(v[c][k], rule.step, rule.zero), rule.working_max)));
        }
        store(args.planes[c], x, y, count, values);
    }
}

// The sample of a value at a place of the plane.
template <class T>
__device__ __forceinline__ T sample_of(const WorkingRule& rule, float value, int x, int y) {
    if constexpr (sizeof(T) == sizeof(float))
        return value;
    else
        return static_cast<T>(static_cast<int>(
            rule.dither ? working::dithered(value, rule.max_value, working::threshold_at(x, y))
                        : working::rounded(value, rule.max_value)));
}

// Writes samples of a component from their values. Samples of which no pixel is visible are the
// source's.
template <class T>
__device__ __forceinline__ void store_samples(const Args& args, int c, int x, int y, int count,
                                              const Run& values, const Run& visible) {
    const WorkingRule& rule = args.rule;
    const Target& target = args.targets[c];
    Vector<T> out;
#pragma unroll
    for (int k = 0; k < kRun; ++k)
        out.samples[k] =
            sample_of<T>(rule, working::fused(values[k], rule.back_unit[c], rule.back_origin[c]),
                         target.left + x + k, target.top + y);
    if (!target.written || rule.weighted) {
        const T* const source = args.source[c].at<const T>(x, y);
#pragma unroll
        for (int k = 0; k < kRun; ++k)
            if (k < count && !(target.written && visible[k] > 0))
                out.samples[k] = source[static_cast<long long>(k) * args.source[c].step];
    }
    store(target.to, x, y, count, out);
}

// The components' values of four pixels, and 1 for each that counts, 0 for others.
template <class W, int Most>
__device__ __forceinline__ void values_of(const Args& args, int x, int y, int count, Run (&v)[Most],
                                          Run& visible) {
    const WorkingRule& rule = args.rule;
    const int colours = colours_of(rule);
#pragma unroll
    for (int c = 0; c < Most; ++c) {
        if (c >= rule.components) continue;
        load<W>(args.planes[c], x, y, count, v[c]);
        if constexpr (sizeof(W) != sizeof(float)) {
#pragma unroll
            for (int k = 0; k < kRun; ++k)
                v[c][k] = working::fused(v[c][k], rule.back_step, rule.back_zero);
        }
    }
#pragma unroll
    for (int k = 0; k < kRun; ++k) visible[k] = k < count ? 1.0F : 0.0F;
    if (rule.weighted) {
#pragma unroll
        for (int k = 0; k < kRun; ++k) {
            const float alpha = alpha_of(v, colours, k);
            if (alpha < working::kLeastAlpha) visible[k] = 0;
#pragma unroll
            for (int c = 0; c < Most; ++c)
                if (c < colours) v[c][k] = working::quotient(v[c][k], alpha);
        }
    }
#pragma unroll
    for (int c = 0; c < Most; ++c)
        if (c < colours) pass_through(rule.from_light, v[c]);
    if (!rule.matrix) return;
#pragma unroll
    for (int k = 0; k < kRun; ++k) {
        const float r = v[0][k];
        const float b = v[2][k];
        const float luma = working::fused(
            rule.luma_b, b, working::fused(rule.luma_g, v[1][k], working::product(rule.luma_r, r)));
        v[0][k] = luma;
        v[1][k] = working::sum(b, -luma);
        v[2][k] = working::sum(r, -luma);
    }
}

// Adds the values of a row to the sums of the samples that cover them, from left to right.
__device__ __forceinline__ void add(const Run& v, int shift, Run& sums) {
    if (shift == 0) {
#pragma unroll
        for (int k = 0; k < kRun; ++k) sums[k] = working::sum(sums[k], v[k]);
    } else if (shift == 1) {
        sums[0] = working::sum(working::sum(sums[0], v[0]), v[1]);
        sums[1] = working::sum(working::sum(sums[1], v[2]), v[3]);
    } else {
#pragma unroll
        for (int k = 0; k < kRun; ++k) sums[0] = working::sum(sums[0], v[k]);
    }
}

// Four blocks a multiprocessor hide the reads of the curves. Without the bound, the kernel takes 78
// registers, three blocks fit, and a picture of 4K from u16 takes 85 us in place of 78.
template <class T, class W, int Most>
__global__ void __launch_bounds__(kBlockX* kBlockY, 4)
    to_samples(const __grid_constant__ Args args) {
    const WorkingRule& rule = args.rule;
    const auto [x, top] = first_pixel(args);
    if (x >= args.width || top >= args.height) return;
    const int count = min(kRun, args.width - x);
    const int bottom = min(top + args.rows, args.height);
    Run sums[Most] = {};
    Run covered[Most] = {};  // visible pixels
#pragma unroll 1
    for (int y = top; y < bottom; ++y) {
        Run v[Most] = {};
        Run visible;
        values_of<W>(args, x, y, count, v, visible);
#pragma unroll
        for (int c = 0; c < Most; ++c) {
            if (c >= rule.components) continue;
            const Channel& source = args.source[c];
            if (rule.weighted || count < kRun) {
#pragma unroll
                for (int k = 0; k < kRun; ++k) v[c][k] = visible[k] > 0 ? v[c][k] : 0.0F;
                add(visible, source.shift_x, covered[c]);
            }
            add(v[c], source.shift_x, sums[c]);
            const int columns = 1 << source.shift_x;
            const int rows_after = (1 << source.shift_y) - 1;
            if (y + 1 < bottom && (y & rows_after) != rows_after) continue;
            if (!rule.weighted && count == kRun) {
                const auto pixels = static_cast<float>(columns * ((y & rows_after) + 1));
#pragma unroll
                for (int k = 0; k < kRun; ++k) covered[c][k] = pixels;
            }
            const float factor = c == 1 ? rule.u_of_b : c == 2 ? rule.v_of_r : 1.0F;
            const int samples = (count + columns - 1) >> source.shift_x;
#pragma unroll
            for (int k = 0; k < kRun; ++k) {
                v[c][k] = working::product(sums[c][k], factor);
                if (!source.covers_one() && k < samples)
                    v[c][k] = working::quotient(v[c][k], covered[c][k]);
            }
            store_samples<T>(args, c, x >> source.shift_x, y >> source.shift_y, samples, v[c],
                             covered[c]);
#pragma unroll
            for (int k = 0; k < kRun; ++k) sums[c][k] = covered[c][k] = 0;
        }
    }
}

// Values of 16 bits are those of exact sums, which frames in f32 do not have. A component alone is
// most often one of a frame that is dithered, and its kernels are ten times as short.
template <class Launch>
void with_types(const Args& args, PixelType samples, PixelType values, const Launch& launch) {
    const auto of = [&](auto sample, auto value) {
        args.rule.components == 1
            ? launch(sample, value, std::integral_constant<int, 1>{})
            : launch(sample, value, std::integral_constant<int, kMostComponents>{});
    };
    const auto of_integers = [&](auto sample) {
        values == PixelType::f32 ? of(sample, float{}) : of(sample, std::uint16_t{});
    };
    if (samples == PixelType::f32) return of(float{}, float{});
    samples == PixelType::u8 ? of_integers(std::uint8_t{}) : of_integers(std::uint16_t{});
}

}  // namespace

void to_working(const WorkingRule& rule, std::span<const WorkingComponent> from,
                std::span<const ImageView> to, StreamView stream) {
    const Args args = args_of(rule, from, to);
    with_types(args, from[0].image.type, to[0].type, [&](auto sample, auto value, auto most) {
        to_values<decltype(sample), decltype(value), most>
            <<<blocks_of(args), dim3(kBlockX, kBlockY), 0, stream>>>(args);
    });
    cuda_check(cudaGetLastError(), "launch the conversion to working values");
}

void from_working(const WorkingRule& rule, std::span<const ImageView> from,
                  std::span<const WorkingComponent> source, std::span<const WorkingTarget> to,
                  StreamView stream) {
    Args args = args_of(rule, source, from);
    for (const WorkingComponent& c : source) args.rows = std::max(args.rows, c.rows);
    for (std::size_t k = 0; k < to.size(); ++k)
        args.targets[k] = {
            channel_of(to[k].to.image, to[k].to.channel, to[k].to.columns, to[k].to.rows),
            to[k].left, to[k].top, to[k].written};
    with_types(args, source[0].image.type, from[0].type, [&](auto sample, auto value, auto most) {
        to_samples<decltype(sample), decltype(value), most>
            <<<blocks_of(args), dim3(kBlockX, kBlockY), 0, stream>>>(args);
    });
    cuda_check(cudaGetLastError(), "launch the conversion from working values");
}

}  // namespace weft::device_ops
