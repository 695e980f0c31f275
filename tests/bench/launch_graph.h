// A batch of launches as one CUDA graph, so that the CPU's launch time stays out of the timing.
#pragma once

#include <functional>
#include <memory>

#include "kernels/device.h"

struct CUgraphExec_st;

namespace weft::bench {

class LaunchGraph {
 public:
    // Records what `enqueue` puts on the stream; nothing runs yet. Throws CudaError, also where a
    // launch cannot be recorded; the stream is usable again then.
    LaunchGraph(StreamView stream, const std::function<void()>& enqueue);
    void replay(StreamView stream) const;  // asynchronous

 private:
    struct Destroy {
        void operator()(CUgraphExec_st* g) const noexcept;
    };
    std::unique_ptr<CUgraphExec_st, Destroy> graph_;
};

}  // namespace weft::bench
