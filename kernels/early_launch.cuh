// The device's side of launches that begin before the kernel in front of them in the stream has
// ended, as Hopper and later GPUs can: blocks start as soon as there is room for them, and wait
// until everything that the stream did before is done and visible. The tests give the two functions
// for the CPU.
// Source: CUDA C++ Programming Guide, "Programmatic Dependent Launch and Synchronization"
#pragma once

namespace weft {

#ifdef __CUDACC__

// Every thread calls it before it first reads what others may write, or writes what others may
// read. Of no effect in a launch of the ordinary kind, and before Hopper.
__device__ __forceinline__ void wait_for_predecessors() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// From when all blocks have called it, or ended, a kernel behind this one may start early.
__device__ __forceinline__ void let_successor_start() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

#endif

}  // namespace weft
