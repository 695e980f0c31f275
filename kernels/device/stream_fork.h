// Work on one stream that may run at the same time, such as the planes of a frame.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "kernels/device/stream.h"

namespace weft {

class StreamFork {
 public:
    // For up to `branches` at once, on the current device. With at most one, as on the CPU, no
    // stream is created and everything runs in order. Throws CudaError.
    explicit StreamFork(std::size_t branches);

    // Calls `enqueue` for the branches 0 to `count` - 1, each with the stream for its work. The
    // work begins after all earlier work on `trunk`, and later work on `trunk` waits for it; branch
    // 0 is on the trunk itself. May be recorded as a graph. Rethrows what `enqueue` throws, once
    // the trunk waits for the work enqueued before.
    void run(StreamView trunk, std::size_t count,
             const std::function<void(std::size_t branch, StreamView stream)>& enqueue);

 private:
    struct Branch {
        Stream stream;
        StreamEvent done;
    };

    std::vector<Branch> branches_;    // all but the first
    std::vector<StreamEvent> begun_;  // one, if there are branches
};

}  // namespace weft
