// The number of blocks for which __launch_bounds__ asks the compiler to leave registers.
#pragma once

namespace weft {

// `wanted` blocks of so many threads on a multiprocessor, or as many as one holds: 1024 threads on
// Turing, 1536 on GeForce GPUs since, 2048 on A100, Hopper and B200. ptxas refuses more.
constexpr int blocks_that_fit(int wanted, int threads) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 800 || \
    (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200)
    const int most = 2048 / threads;
#elif __CUDA_ARCH__ < 800
    const int most = 1024 / threads;
#else
    const int most = 1536 / threads;
#endif
    return wanted < most ? wanted : most;
}

}  // namespace weft
