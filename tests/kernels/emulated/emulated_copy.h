// The functions of kernels/common/async_copy.cuh for warps that run on the CPU: a copy is done at
// once. Include it before any .cuh.
#pragma once

#include <cstring>

#include "kernels/common/async_copy.cuh"
#include "tests/kernels/emulated/emulated_gpu.h"

namespace weft {

inline void copy_vector(void* to, const void* from) {
    std::memcpy(to, from, 16);
}

inline void copy_word(void* to, const void* from) {
    std::memcpy(to, from, 4);
}

inline void copy_part(void* to, const void* from, int bytes) {
    std::memset(to, 0, 16);
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

inline void close_copies() {}

template <int Groups>
void wait_copies_before() {}

inline void wait_copies() {}

inline int in_register(int value) {
    return value;
}

template <class T>
T* shared_in_register(T* shared) {
    return shared;
}

template <class T>
T* global_in_register(T* global) {
    return global;
}

}  // namespace weft
