// A batch of launches as one CUDA graph, so that the CPU's launch time stays out of the timing.
#pragma once

#include <functional>
#include <memory>

#include "kernels/device.h"
#include "kernels/image_view.h"

struct CUgraphExec_st;

namespace weft::bench {

class LaunchGraph {
 public:
    // Records what `enqueue` puts on the stream; nothing runs yet. Throws CudaError.
    LaunchGraph(StreamView stream, const std::function<void()>& enqueue);
    void replay(StreamView stream) const;  // asynchronous

 private:
    struct Destroy {
        void operator()(CUgraphExec_st* g) const noexcept;
    };
    std::unique_ptr<CUgraphExec_st, Destroy> graph_;
};

// Copies all rows, padding included, within the device: what moving these bytes costs at least.
void copy_bytes(const ImageView& src, const ImageView& dst, StreamView stream);

// Fills an image, padding included, with a byte.
void poison(const ImageView& image, unsigned char byte, StreamView stream);

}  // namespace weft::bench
