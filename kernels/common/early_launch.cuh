// The device side of launches that begin before the preceding kernel of the stream has ended, on
// Hopper and later GPUs: blocks start as soon as there is room for them, and wait until all earlier
// work of the stream is done and visible. The tests provide the two functions for the CPU.
// Source: CUDA C++ Programming Guide, "Programmatic Dependent Launch and Synchronization"
#pragma once

namespace weft {

#ifdef __CUDACC__

// Every thread calls it before it first reads data that other kernels may write, or writes data
// that they may read. No effect in ordinary launches, and before Hopper.
__device__ __forceinline__ void wait_for_predecessors() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Once all blocks have called it, or ended, the next kernel in the stream may start early.
__device__ __forceinline__ void let_successor_start() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

#endif

}  // namespace weft
