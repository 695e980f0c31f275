// Turns lists of compiled variants into rows that the host code searches. For CUDA sources only.
#pragma once

#include <array>

#include "kernels/device/cuda_check.cuh"
#include "kernels/device/shared_memory.cuh"
#include "kernels/reuse/reuse_variants.cuh"

namespace weft {

template <class P>
constexpr PixelType pixel_type_of();
template <>
constexpr PixelType pixel_type_of<U8>() {
    return PixelType::u8;
}
template <>
constexpr PixelType pixel_type_of<U16>() {
    return PixelType::u16;
}
template <>
constexpr PixelType pixel_type_of<F32>() {
    return PixelType::f32;
}

template <class S>
constexpr int alignment_of() {
    return static_cast<int>(alignof(Words<S::kBlock / S::Pixel::kPerWord>));
}

template <class S>
void launch_rolling(const RollingArgs& args, int blocks, StreamView stream) {
    reuse_rolling<S><<<blocks, dim3(32, kReuseWarps), 0, stream>>>(args);
    cuda_check(cudaGetLastError(), "launch column_row_reuse");
}

template <class S>
void reserve_strip(int shared_bytes) {
    if (shared_bytes > 48 * 1024) allow_all_shared_memory(reuse_strip<S>);
}

template <class S>
void launch_strip(const StripArgs& args, int blocks, int shared_bytes, StreamView stream) {
    reuse_strip<S><<<blocks, dim3(32, kReuseWarps), shared_bytes, stream>>>(args);
    cuda_check(cudaGetLastError(), "launch column_row_reuse");
}

template <class... S>
constexpr std::array<RollingVariant, sizeof...(S)> rolling_rows(Variants<S...>) {
    return {RollingVariant{pixel_type_of<typename S::Pixel>(), S::kChannels, S::kSize, S::kSets,
                           S::kBlock, alignment_of<S>(), S::kBlocks, launch_rolling<S>}...};
}

template <class... S>
constexpr std::array<StripVariant, sizeof...(S)> strip_rows(Variants<S...>) {
    return {StripVariant{pixel_type_of<typename S::Pixel>(), S::kChannels, S::kSeveralSets,
                         S::kBlock, alignment_of<S>(), S::kRows, S::kTapStride, launch_strip<S>,
                         reserve_strip<S>}...};
}

}  // namespace weft
