// Idea: every loop is an always-inlined body that two functions instantiate, one for the build's
// baseline and one with target("avx2,fma"); the compiler vectorises both (CMake builds this file
// with -O3 -fno-math-errno -fno-trapping-math, which change no result). A fused multiply-add is an
// instruction in the second and libm's exact function in the first, so the bits are equal.
// target_clones would do the same, but its resolvers run before a sanitizer's start-up and crash.
#include "kernels/pixels/host_rows.h"

#include <cmath>
#include <cstdint>

#include "kernels/with_sample_type.h"

namespace weft {

namespace {

// 2^23: a float in [0, 2^23) plus this has no fraction bits left, so that the addition itself
// rounds half to even; two instructions on any CPU.
constexpr float kRoundingOffset = 8388608.0F;

template <class T>
struct FinishBody {
    [[gnu::always_inline]] static void run(const float* __restrict in, void* __restrict out_bytes,
                                           std::size_t count, const RowFinish& how) {
        T* __restrict out = static_cast<T*>(out_bytes);
        const RowFinish f = how;
        for (std::size_t i = 0; i < count; ++i) {
            float v = std::fma(in[i], f.scale, f.bias);
            v = v > 0.0F ? v : 0.0F;
            v = v < f.max_value ? v : f.max_value;
            out[i] = static_cast<T>(static_cast<int>((v + kRoundingOffset) - kRoundingOffset));
        }
    }
};

template <>
struct FinishBody<float> {
    [[gnu::always_inline]] static void run(const float* __restrict in, void* __restrict out_bytes,
                                           std::size_t count, const RowFinish& how) {
        float* __restrict out = static_cast<float*>(out_bytes);
        const RowFinish f = how;
        for (std::size_t i = 0; i < count; ++i) out[i] = std::fma(in[i], f.scale, f.bias);
    }
};

struct MagnitudeBody {
    [[gnu::always_inline]] static void run(float* __restrict inout, const float* __restrict b,
                                           std::size_t count) {
        for (std::size_t i = 0; i < count; ++i)
            inout[i] = std::sqrt(std::fma(b[i], b[i], inout[i] * inout[i]));
    }
};

template <class T>
struct WeighBody {
    [[gnu::always_inline]] static void run(float weight, const void* __restrict in_bytes,
                                           float* __restrict acc, std::size_t count) {
        const T* __restrict in = static_cast<const T*>(in_bytes);
        for (std::size_t i = 0; i < count; ++i) acc[i] = weight * static_cast<float>(in[i]);
    }
};

template <class T>
struct AddWeighedBody {
    [[gnu::always_inline]] static void run(float weight, const void* __restrict in_bytes,
                                           float* __restrict acc, std::size_t count) {
        const T* __restrict in = static_cast<const T*>(in_bytes);
        for (std::size_t i = 0; i < count; ++i)
            acc[i] = std::fma(weight, static_cast<float>(in[i]), acc[i]);
    }
};

struct BlendBody {
    [[gnu::always_inline]] static void run(float* __restrict inout, std::size_t count,
                                           const RowBlend& how) {
        const RowBlend b = how;
        for (std::size_t i = 0; i < count; ++i) {
            const float s = b.absolute ? std::fabs(inout[i]) : inout[i];
            const float v = std::fma(s, b.scale, b.bias);
            inout[i] = v < b.threshold ? 0.0F : v;
        }
    }
};

template <class T>
struct GatherBody {
    [[gnu::always_inline]] static void run(const void* __restrict in_bytes, std::size_t step,
                                           float* __restrict out, std::size_t count) {
        const T* __restrict in = static_cast<const T*>(in_bytes);
        for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<float>(in[i * step]);
    }
};

template <class T>
struct ScatterBody {
    [[gnu::always_inline]] static void run(const void* __restrict in_bytes,
                                           void* __restrict out_bytes, std::size_t step,
                                           std::size_t count) {
        const T* __restrict in = static_cast<const T*>(in_bytes);
        T* __restrict out = static_cast<T*>(out_bytes);
        for (std::size_t i = 0; i < count; ++i) out[i * step] = in[i];
    }
};

struct Baseline {
    template <class Body, class... Args>
    static void run(Args... args) {
        Body::run(args...);
    }
};

#if defined(__x86_64__)
struct Avx2 {
    template <class Body, class... Args>
    [[gnu::target("avx2,fma")]] static void run(Args... args) {
        Body::run(args...);
    }
};
#endif

// Runs Body<sample type> on `Cpu`.
template <class Cpu, template <class> class Body, class... Args>
void run_typed(PixelType type, Args... args) {
    with_sample_type(
        type, [&](auto sample) { Cpu::template run<Body<decltype(sample)>, Args...>(args...); });
}

template <class Cpu>
constexpr RowOps ops_for(std::string_view name) {
    return {
        .name = name,
        .finish =
            [](const float* in, void* out, PixelType type, std::size_t count,
               const RowFinish& how) {
                run_typed<Cpu, FinishBody, const float*, void*, std::size_t, const RowFinish&>(
                    type, in, out, count, how);
            },
        .magnitude =
            [](float* inout, const float* b, std::size_t count) {
                Cpu::template run<MagnitudeBody, float*, const float*, std::size_t>(inout, b,
                                                                                    count);
            },
        .weigh = [](float weight, const void* in, PixelType type, float* acc,
                    std::size_t count) { run_typed<Cpu, WeighBody>(type, weight, in, acc, count); },
        .add_weighed =
            [](float weight, const void* in, PixelType type, float* acc, std::size_t count) {
                run_typed<Cpu, AddWeighedBody>(type, weight, in, acc, count);
            },
        .blend =
            [](float* inout, std::size_t count, const RowBlend& how) {
                Cpu::template run<BlendBody, float*, std::size_t, const RowBlend&>(inout, count,
                                                                                   how);
            },
        .gather = [](const void* in, PixelType type, std::size_t step, float* out,
                     std::size_t count) { run_typed<Cpu, GatherBody>(type, in, step, out, count); },
        .scatter =
            [](const void* in, void* out, PixelType type, std::size_t step, std::size_t count) {
                run_typed<Cpu, ScatterBody>(type, in, out, step, count);
            },
    };
}

constexpr RowOps kBaseline = ops_for<Baseline>("baseline");
#if defined(__x86_64__)
constexpr RowOps kAvx2 = ops_for<Avx2>("avx2");
#endif

}  // namespace

const RowOps& baseline_row_ops() {
    return kBaseline;
}

const RowOps& row_ops() {
#if defined(__x86_64__)
    static const bool have = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (have) return kAvx2;
#endif
    return kBaseline;
}

}  // namespace weft
