// Asynchronous copies from global to shared memory, bypassing the L1 cache; GPUs before Ampere lack
// them and load and store instead. The tests replace this file's functions to run kernels on the
// CPU.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft {

#ifdef __CUDACC__

__device__ __forceinline__ std::uint32_t shared_address(const void* shared) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
}

// Starts to copy 16 bytes. Both addresses are multiples of 16.
__device__ __forceinline__ void copy_vector(void* to, const void* from) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from)
                 : "memory");
#else
    *static_cast<uint4*>(to) = *static_cast<const uint4*>(from);
#endif
}

// The same for 4 bytes at multiples of 4.
__device__ __forceinline__ void copy_word(void* to, const void* from) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(to)), "l"(from)
                 : "memory");
#else
    *static_cast<std::uint32_t*>(to) = *static_cast<const std::uint32_t*>(from);
#endif
}

// Closes a group: the copies that this thread started since the last one.
__device__ __forceinline__ void close_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits for this thread's copies, except its `Groups` latest groups; other threads see them after a
// barrier.
template <int Groups>
__device__ __forceinline__ void wait_copies_before() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(Groups) : "memory");
#endif
}

// Copies the first `bytes` of 16, with zeros for the rest. For sources compiled for Ampere and
// later only.
__device__ __forceinline__ void copy_part(void* to, const void* from, int bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
                 "l"(from), "r"(bytes)
                 : "memory");
}

// Waits for this thread's copies; other threads see them after a barrier.
__device__ __forceinline__ void wait_copies() {
    asm volatile("cp.async.wait_all;" ::: "memory");
}

// A value that stays in a register. The compiler otherwise recomputes values in every round of a
// loop: a move for a constant, a dozen instructions for a flag, a slow S2R for an address in shared
// memory.
__device__ __forceinline__ int in_register(int value) {
    int out = 0;
    asm volatile("mov.b32 %0, %1;" : "=r"(out) : "r"(value));
    return out;
}

// The same for addresses.
template <class T>
__device__ __forceinline__ T* shared_in_register(T* shared) {
    std::uint32_t address = shared_address(shared);
    asm volatile("" : "+r"(address));
    return static_cast<T*>(__cvta_shared_to_generic(address));
}

template <class T>
__device__ __forceinline__ T* global_in_register(T* global) {
    std::size_t address = __cvta_generic_to_global(global);
    asm volatile("" : "+l"(address));
    return static_cast<T*>(__cvta_global_to_generic(address));
}

#endif

}  // namespace weft
