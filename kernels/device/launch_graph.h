// A batch of launches as one CUDA graph: the CPU takes as long for all of them as for a few.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "kernels/device/device.h"

// CUDA's own opaque graph type.
struct CUgraphExec_st;

namespace weft {

class LaunchGraph {
 public:
    // Records what `enqueue` puts on the stream, which must not be CUDA's default one; nothing runs
    // yet. Pointers are recorded as they are. Throws what `enqueue` throws, and CudaError for
    // operations that cannot be recorded: those that allocate, wait, or load a kernel on first use.
    // The stream is usable again then. Other threads may use CUDA freely.
    LaunchGraph(StreamView stream, const std::function<void()>& enqueue);
    // Asynchronous, ordered on the stream and after earlier replays, which may outlive this. Throws
    // CudaError.
    void replay(StreamView stream) const;

 private:
    struct Destroy {
        void operator()(CUgraphExec_st* g) const noexcept;
    };
    std::unique_ptr<CUgraphExec_st, Destroy> graph_;
};

// A launch of a kernel. Numbers that CUDA does not report, as for kernels of libraries, are 0.
struct LaunchFacts {
    int blocks = 0;
    int threads = 0;       // per block
    int registers = 0;     // per thread
    int shared_bytes = 0;  // per block
    double occupancy = 0;  // threads of a multiprocessor that can be resident, of the most: 0 to 1
};

// The kernels that `enqueue` launches on the stream that it gets, recorded and not run. Throws as
// the constructor of LaunchGraph does.
std::vector<LaunchFacts> recorded_launches(const std::function<void(StreamView)>& enqueue);

}  // namespace weft
