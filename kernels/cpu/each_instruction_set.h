// Compiles a file of vector code, WEFT_VECTOR_CODE, once for each instruction set, in a namespace
// of its own: vectors16 for every CPU, vectors32 for AVX2 with FMA, vectors64 for AVX-512 with
// VNNI. The code writes Floats, Ints and Shorts (vectors.inc) and gets the widest that the set has.
// One object file holds them all, so that no inline function of the standard library is compiled
// for a CPU that the machine may not be. Include the headers that the code needs first.
#ifdef __x86_64__
#include <immintrin.h>
#endif
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "kernels/pixels/host_rows.h"

// For lambdas, which take no attribute in brackets.
#define WEFT_INLINE __attribute__((always_inline))

namespace weft::vectors16 {
#define WEFT_VECTOR_BYTES 16
#include "kernels/cpu/vectors.inc"
#include WEFT_VECTOR_CODE
#undef WEFT_VECTOR_BYTES
}  // namespace weft::vectors16

#ifdef __x86_64__

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
namespace weft::vectors32 {
#define WEFT_VECTOR_BYTES 32
#include "kernels/cpu/vectors.inc"
#include WEFT_VECTOR_CODE
#undef WEFT_VECTOR_BYTES
}  // namespace weft::vectors32
#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni"))), apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,prefer-vector-width=512")
#endif
namespace weft::vectors64 {
#define WEFT_VECTOR_BYTES 64
#include "kernels/cpu/vectors.inc"
#include WEFT_VECTOR_CODE
#undef WEFT_VECTOR_BYTES
}  // namespace weft::vectors64
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#else

namespace weft {
namespace vectors32 = vectors16;
namespace vectors64 = vectors16;
}  // namespace weft

#endif

#undef WEFT_INLINE
