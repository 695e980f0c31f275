// The functions of kernels/common/mma.cuh for warps that run on the CPU. Fragments have PTX's
// layout, products and sums are plain fp32. Include it after emulated_gpu.h and before any .cuh.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "kernels/common/half_bits.h"
#include "kernels/common/mma.cuh"
#include "tests/kernels/emulated/emulated_copy.h"
#include "tests/kernels/emulated/emulated_gpu.h"

namespace weft {

namespace emulated {

using Lanes = std::array<std::uint32_t, 32>;

inline int lane() {
    return static_cast<int>(thread_index.x);
}

// Half `which` (0: low) of a register. The table takes a third of the time of half_value().
inline float half_of(std::uint32_t bits, int which) {
    static const std::vector<float> values = [] {
        std::vector<float> all;
        for (std::uint32_t half = 0; half <= 0xFFFF; ++half)
            all.push_back(half_value(static_cast<std::uint16_t>(half)));
        return all;
    }();
    return values[bits >> (16 * which) & 0xFFFF];
}

// The addresses of all lanes.
inline std::array<const std::byte*, 32> gather_addresses(const void* address) {
    const auto bits = std::bit_cast<std::uint64_t>(address);
    const Lanes low = gather(static_cast<std::uint32_t>(bits));
    const Lanes high = gather(static_cast<std::uint32_t>(bits >> 32));
    std::array<const std::byte*, 32> out{};
    for (std::size_t k = 0; k < 32; ++k)
        out[k] =
            std::bit_cast<const std::byte*>(static_cast<std::uint64_t>(high[k]) << 32 | low[k]);
    return out;
}

inline std::uint32_t half_at(const std::byte* row, int column) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, row + 2 * column, sizeof bits);
    return bits;
}

// This lane's register of 8×8 matrix `m`, whose rows lanes 8 m .. 8 m + 7 address.
inline std::uint32_t matrix_register(const std::array<const std::byte*, 32>& rows, int m,
                                     bool transposed) {
    const int g = lane() / 4;
    const int q = lane() % 4;
    const auto row = [&](int r) { return rows[static_cast<std::size_t>(8 * m + r)]; };
    return transposed ? half_at(row(2 * q + 1), g) << 16 | half_at(row(2 * q), g)
                      : half_at(row(g), 2 * q + 1) << 16 | half_at(row(g), 2 * q);
}

inline void load_matrices(const void* address, bool transposed, ChunkFragment& first,
                          ChunkFragment& second) {
    const auto rows = gather_addresses(address);
    first = {matrix_register(rows, 0, transposed), matrix_register(rows, 1, transposed)};
    second = {matrix_register(rows, 2, transposed), matrix_register(rows, 3, transposed)};
}

}  // namespace emulated

inline void load_chunks(const void* row, ChunkFragment& first, ChunkFragment& second) {
    emulated::load_matrices(row, false, first, second);
}

inline void load_columns(const void* row, ChunkFragment& first, ChunkFragment& second) {
    emulated::load_matrices(row, true, first, second);
}

inline ChunkFragment rounded_chunk(const float (&sums)[4]) {
    const auto pair = [](float a, float b) {
        return static_cast<std::uint32_t>(half_bits(b)) << 16 | half_bits(a);
    };
    return {pair(sums[0], sums[1]), pair(sums[2], sums[3])};
}

inline void multiply_chunk(float (&sums)[4], const ChunkFragment& a, std::uint32_t b) {
    const emulated::Lanes low = emulated::gather(a.low);
    const emulated::Lanes high = emulated::gather(a.high);
    const emulated::Lanes right = emulated::gather(b);
    const int g = emulated::lane() / 4;
    const int q = emulated::lane() % 4;
    for (int v = 0; v < 4; ++v) {
        const emulated::Lanes& left = v < 2 ? low : high;
        const int column = 2 * q + v % 2;
        for (int k = 0; k < 8; ++k)
            sums[v] +=
                emulated::half_of(left[static_cast<std::size_t>(4 * g + k / 2)], k % 2) *
                emulated::half_of(right[static_cast<std::size_t>(4 * column + k / 2)], k % 2);
    }
}

inline void multiply_chunks(float (&sums)[4], const float (&start)[4], const ChunkFragment& first,
                            const ChunkFragment& second, std::uint32_t b_first,
                            std::uint32_t b_second) {
    for (int v = 0; v < 4; ++v) sums[v] = start[v];
    multiply_chunk(sums, first, b_first);
    multiply_chunk(sums, second, b_second);
}

inline void multiply_chunks(float (&sums)[4], const ChunkFragment& first,
                            const ChunkFragment& second, std::uint32_t b_first,
                            std::uint32_t b_second) {
    multiply_chunk(sums, first, b_first);
    multiply_chunk(sums, second, b_second);
}

inline void multiply_bytes(int (&sums)[4], const int (&start)[4], const ChunkFragment& a,
                           std::uint32_t b) {
    const emulated::Lanes low = emulated::gather(a.low);
    const emulated::Lanes high = emulated::gather(a.high);
    const emulated::Lanes right = emulated::gather(b);
    const int g = emulated::lane() / 4;
    const int q = emulated::lane() % 4;
    for (int v = 0; v < 4; ++v) {
        const emulated::Lanes& left = v < 2 ? low : high;
        const int column = 2 * q + v % 2;
        int sum = start[v];
        for (int k = 0; k < 16; ++k) {
            const std::uint32_t pixels = left[static_cast<std::size_t>(4 * g + k / 4)];
            const std::uint32_t taps = right[static_cast<std::size_t>(4 * column + k / 4)];
            sum += static_cast<std::uint8_t>(pixels >> (8 * (k % 4))) *
                   static_cast<std::int8_t>(taps >> (8 * (k % 4)));
        }
        sums[v] = sum;
    }
}

inline void multiply_bytes(int (&sums)[4], const int (&start)[4], const ChunkFragment& first,
                           const ChunkFragment& second, std::uint32_t b_first,
                           std::uint32_t b_second) {
    multiply_bytes(sums, start, first, b_first);
    multiply_bytes(sums, sums, second, b_second);
}

namespace emulated {

// Byte: the type of B's.
template <class Byte>
void multiply_signed_by(int (&sums)[4], const int (&start)[4], const ChunkFragment& first,
                        const ChunkFragment& second, const ByteColumns& b) {
    const std::array<Lanes, 4> taps = {gather(first.low), gather(first.high), gather(second.low),
                                       gather(second.high)};
    const std::array<Lanes, 2> pixels = {gather(b.w[0]), gather(b.w[1])};
    const int g = lane() / 4;
    const int q = lane() % 4;
    for (int v = 0; v < 4; ++v) {
        const int column = 2 * q + v % 2;
        int sum = start[v];
        for (int k = 0; k < 32; ++k) {
            const std::size_t part = k / 16;
            const std::uint32_t left =
                taps[2 * part + v / 2][static_cast<std::size_t>(4 * g + k % 16 / 4)];
            const std::uint32_t right =
                pixels[part][static_cast<std::size_t>(4 * column + k % 16 / 4)];
            sum += static_cast<std::int8_t>(left >> (8 * (k % 4))) *
                   static_cast<Byte>(right >> (8 * (k % 4)));
        }
        sums[v] = sum;
    }
}

}  // namespace emulated

inline void multiply_taps(int (&sums)[4], const int (&start)[4], const ChunkFragment& first,
                          const ChunkFragment& second, const ByteColumns& b) {
    emulated::multiply_signed_by<std::uint8_t>(sums, start, first, second, b);
}

inline void multiply_signed(int (&sums)[4], const int (&start)[4], const ChunkFragment& first,
                            const ChunkFragment& second, const ByteColumns& b) {
    emulated::multiply_signed_by<std::int8_t>(sums, start, first, second, b);
}

inline void split_halves(float first, float second, std::uint32_t& upper, std::uint32_t& lower) {
    const auto pair = [](float a, float b) {
        return static_cast<std::uint32_t>(half_bits(b)) << 16 | half_bits(a);
    };
    upper = pair(first, second);
    lower = pair(first - emulated::half_of(upper, 0), second - emulated::half_of(upper, 1));
}

// The same steps as the product's, each rounded to half precision.
inline std::uint32_t centred_halves_of_words(std::uint32_t word, std::uint32_t middle) {
    const auto half = [&](int which) -> std::uint32_t {
        const std::uint32_t sample = word >> (16 * which);
        const float low = half_value(static_cast<std::uint16_t>((sample & 0x3FF) | 0x6400));
        const float high = half_value(static_cast<std::uint16_t>((sample >> 2 & 0x300) | 0x4000));
        const std::uint16_t part = half_bits(high * 2048.0F + emulated::half_of(middle, which));
        return half_bits(low + half_value(part));
    };
    return half(1) << 16 | half(0);
}

inline std::uint32_t centred_halves(std::uint32_t word, int pair) {
    const auto half = [&](int byte) -> std::uint32_t {
        return half_bits(static_cast<float>(word >> (8 * byte) & 0xFF) - 128.0F);
    };
    return half(2 * pair + 1) << 16 | half(2 * pair);
}

}  // namespace weft
