// The device half of working_ops.h: one thread for the pixels that a sample of the smallest plane
// covers. The lines of the curves, 160 KB of both, are read through the first-level cache.
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

// A channel of an image of interleaved samples.
struct Channel {
    std::byte* data;
    long long pitch;
    int step;
    int columns, rows;

    template <class T>
    __device__ __forceinline__ T& at(int x, int y) const {
        return reinterpret_cast<T*>(data + y * pitch)[static_cast<long long>(x) * step];
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
    int columns, rows;  // of a thread
    int tiles_x;
    Channel source[kMostComponents];
    Channel planes[kMostComponents];
    Target targets[kMostComponents];
};

Channel channel_of(const ImageView& v, int channel, int columns, int rows) {
    auto* const data = static_cast<std::byte*>(v.data);
    return {data + static_cast<std::size_t>(channel) * bytes_per_sample(v.type), v.pitch_bytes,
            v.channels, columns, rows};
}

Args args_of(const WorkingRule& rule, std::span<const WorkingComponent> components,
             std::span<const ImageView> planes) {
    Args args{};
    args.rule = rule;
    args.width = planes[0].width;
    args.height = planes[0].height;
    args.columns = args.rows = 1;
    for (std::size_t k = 0; k < components.size(); ++k) {
        const WorkingComponent& c = components[k];
        args.columns = std::max(args.columns, c.columns);
        args.rows = std::max(args.rows, c.rows);
        args.source[k] = channel_of(c.image, c.channel, c.columns, c.rows);
        args.planes[k] = channel_of(planes[k], 0, 1, 1);
    }
    args.tiles_x = ((args.width + args.columns - 1) / args.columns + kBlockX - 1) / kBlockX;
    return args;
}

int blocks_of(const Args& args) {
    const int down = (args.height + args.rows - 1) / args.rows;
    return grid_size(args.tiles_x, (down + kBlockY - 1) / kBlockY);
}

// The first pixel of the thread.
__device__ __forceinline__ int2 first_pixel(const Args& args) {
    return {static_cast<int>(blockIdx.x % args.tiles_x * kBlockX + threadIdx.x) * args.columns,
            static_cast<int>(blockIdx.x / args.tiles_x * kBlockY + threadIdx.y) * args.rows};
}

__device__ __forceinline__ int colours_of(const WorkingRule& rule) {
    return rule.components - (rule.weighted ? 1 : 0);
}

__device__ __forceinline__ float through(const CurveView& curve, float v) {
    return curve.lines == nullptr ? v : working::value_at(curve, v);
}

template <class T, class W>
__device__ __forceinline__ void to_pixel(const Args& args, int x, int y) {
    const WorkingRule& rule = args.rule;
    const int colours = colours_of(rule);
    float v[kMostComponents];
#pragma unroll
    for (int c = 0; c < kMostComponents; ++c) {
        if (c >= rule.components) continue;
        const Channel& in = args.source[c];
        v[c] = working::fused(static_cast<float>(in.at<T>(x / in.columns, y / in.rows)),
                              rule.unit[c], rule.origin[c]);
    }
    if (rule.matrix) {
        const float luma = v[0];
        const float cb = v[1];
        const float cr = v[2];
        v[0] = working::fused(cr, rule.r_of_v, luma);
        v[1] = working::fused(cr, rule.g_of_v, working::fused(cb, rule.g_of_u, luma));
        v[2] = working::fused(cb, rule.b_of_u, luma);
    }
    const float alpha = colours == 1 ? v[1] : v[3];
#pragma unroll
    for (int c = 0; c < kMostComponents; ++c) {
        if (c >= rule.components) continue;
        if (c < colours) {
            v[c] = through(rule.to_light, v[c]);
            if (rule.weighted) v[c] = working::product(v[c], alpha);
        }
        if constexpr (sizeof(W) == sizeof(float))
            args.planes[c].at<W>(x, y) = v[c];
        else
            args.planes[c].at<W>(x, y) = static_cast<W>(static_cast<int>(
                working::rounded(working::fused(v[c], rule.step, rule.zero), rule.working_max)));
    }
}

template <class T, class W>
__global__ void to_values(const __grid_constant__ Args args) {
    const int2 first = first_pixel(args);
    for (int y = first.y; y < min(first.y + args.rows, args.height); ++y)
        for (int x = first.x; x < min(first.x + args.columns, args.width); ++x)
            to_pixel<T, W>(args, x, y);
}

template <class T>
__device__ __forceinline__ void store(const Args& args, int c, int x, int y, float value,
                                      bool counts) {
    const Target& target = args.targets[c];
    T& out = target.to.at<T>(x, y);
    if (!target.written || !counts) {
        out = args.source[c].at<T>(x, y);
        return;
    }
    const WorkingRule& rule = args.rule;
    const float v = working::fused(value, rule.back_unit[c], rule.back_origin[c]);
    if constexpr (sizeof(T) == sizeof(float))
        out = v;
    else
        out = static_cast<T>(static_cast<int>(
            rule.dither ? working::dithered(v, rule.max_value,
                                            working::threshold_at(target.left + x, target.top + y))
                        : working::rounded(v, rule.max_value)));
}

// The components' values of a pixel. Returns whether they are visible.
template <class W>
__device__ __forceinline__ bool values_of(const Args& args, int x, int y,
                                          float (&v)[kMostComponents]) {
    const WorkingRule& rule = args.rule;
    const int colours = colours_of(rule);
#pragma unroll
    for (int c = 0; c < kMostComponents; ++c) {
        if (c >= rule.components) continue;
        const W in = args.planes[c].at<W>(x, y);
        if constexpr (sizeof(W) == sizeof(float))
            v[c] = in;
        else
            v[c] = working::fused(static_cast<float>(in), rule.back_step, rule.back_zero);
    }
    const float alpha = colours == 1 ? v[1] : v[3];
    const bool counts = !rule.weighted || !(alpha < working::kLeastAlpha);
#pragma unroll
    for (int c = 0; c < kMostComponents; ++c) {
        if (c >= colours) continue;
        if (rule.weighted) v[c] = working::quotient(v[c], alpha);
        v[c] = through(rule.from_light, v[c]);
    }
    if (rule.matrix) {
        const float r = v[0];
        const float b = v[2];
        const float luma = working::fused(
            rule.luma_b, b, working::fused(rule.luma_g, v[1], working::product(rule.luma_r, r)));
        v[0] = luma;
        v[1] = working::sum(b, -luma);
        v[2] = working::sum(r, -luma);
    }
    return counts;
}

template <class T, class W>
__global__ void to_samples(const __grid_constant__ Args args) {
    const WorkingRule& rule = args.rule;
    const int2 first = first_pixel(args);
    if (first.x >= args.width || first.y >= args.height) return;
    const float factors[kMostComponents] = {1.0F, rule.u_of_b, rule.v_of_r, 1.0F};
    float sums[kMostComponents] = {};
    float visible = 0;
    for (int y = first.y; y < min(first.y + args.rows, args.height); ++y)
        for (int x = first.x; x < min(first.x + args.columns, args.width); ++x) {
            float v[kMostComponents] = {};
            const bool counts = values_of<W>(args, x, y, v);
            visible = working::sum(visible, counts ? 1.0F : 0.0F);
#pragma unroll
            for (int c = 0; c < kMostComponents; ++c) {
                if (c >= rule.components) continue;
                if (args.source[c].columns == 1 && args.source[c].rows == 1)
                    store<T>(args, c, x, y, working::product(v[c], factors[c]), counts);
                else
                    sums[c] = working::sum(sums[c], counts ? v[c] : 0.0F);
            }
        }
#pragma unroll
    for (int c = 0; c < kMostComponents; ++c) {
        if (c >= rule.components) continue;
        const Channel& source = args.source[c];
        if (source.columns == 1 && source.rows == 1) continue;
        store<T>(args, c, first.x / source.columns, first.y / source.rows,
                 working::quotient(working::product(sums[c], factors[c]), visible), visible > 0);
    }
}

template <class Launch>
void with_types(PixelType samples, PixelType values, const Launch& launch) {
    const auto of = [&](auto sample) {
        values == PixelType::f32 ? launch(sample, float{}) : launch(sample, std::uint16_t{});
    };
    if (samples == PixelType::u8) return of(std::uint8_t{});
    samples == PixelType::u16 ? of(std::uint16_t{}) : of(float{});
}

}  // namespace

void to_working(const WorkingRule& rule, std::span<const WorkingComponent> from,
                std::span<const ImageView> to, StreamView stream) {
    const Args args = args_of(rule, from, to);
    with_types(from[0].image.type, to[0].type, [&](auto sample, auto value) {
        to_values<decltype(sample), decltype(value)>
            <<<blocks_of(args), dim3(kBlockX, kBlockY), 0, stream>>>(args);
    });
    cuda_check(cudaGetLastError(), "launch the conversion to working values");
}

void from_working(const WorkingRule& rule, std::span<const ImageView> from,
                  std::span<const WorkingComponent> source, std::span<const WorkingTarget> to,
                  StreamView stream) {
    Args args = args_of(rule, source, from);
    for (std::size_t k = 0; k < to.size(); ++k)
        args.targets[k] = {
            channel_of(to[k].to.image, to[k].to.channel, to[k].to.columns, to[k].to.rows),
            to[k].left, to[k].top, to[k].written};
    with_types(source[0].image.type, from[0].type, [&](auto sample, auto value) {
        to_samples<decltype(sample), decltype(value)>
            <<<blocks_of(args), dim3(kBlockX, kBlockY), 0, stream>>>(args);
    });
    cuda_check(cudaGetLastError(), "launch the conversion from working values");
}

}  // namespace weft::device_ops
