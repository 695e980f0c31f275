// The accumulators of direct and direct_separable: fp32, or double where fp32 sums would be more
// than half a level off (rounding.h). GeForce GPUs compute double at 1/64 of the rate of fp32, H200
// at half of it.
#pragma once

#include "kernels/common/samples.cuh"

namespace weft {

struct Fp32Sums {
    using Value = float;
    static __device__ __forceinline__ float add(float weight, float x, float sum) {
        return __fmaf_rn(weight, x, sum);
    }
    static __device__ __forceinline__ float magnitude(float a, float b) {
        return magnitude_of(a, b);
    }
    static __device__ __forceinline__ float larger_of(float a, float b) { return larger(a, b); }
    static __device__ __forceinline__ float finish(float sum, float scale, float bias) {
        return __fmaf_rn(sum, scale, bias);
    }
};

struct Fp64Sums {
    using Value = double;
    static __device__ __forceinline__ double add(double weight, double x, double sum) {
        return fma(weight, x, sum);
    }
    static __device__ __forceinline__ double magnitude(double a, double b) {
        return sqrt(fma(b, b, a * a));
    }
    static __device__ __forceinline__ double larger_of(double a, double b) { return a > b ? a : b; }
    static __device__ __forceinline__ float finish(double sum, double scale, double bias) {
        return static_cast<float>(fma(sum, scale, bias));
    }
};

}  // namespace weft
