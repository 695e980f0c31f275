// Values that one instruction loads or stores: up to 16 bytes of neighbouring ones.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft {

// The largest power of two up to 16 that divides `bytes`.
constexpr std::size_t vector_alignment(std::size_t bytes) {
    return (bytes | 16) & ~((bytes | 16) - 1);
}

// Aligned as far as its size allows, so that 12 bytes are loaded by fours and 32 by sixteens.
template <class T, int N>
struct alignas(vector_alignment(sizeof(T) * N)) Vector {
    T v[N];
};

template <int N>
using Words = Vector<std::uint32_t, N>;

template <int N>
using Floats = Vector<float, N>;

}  // namespace weft
