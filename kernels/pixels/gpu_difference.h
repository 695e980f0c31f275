// The difference of images on a GPU, without copying them to the host.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/device/device.h"
#include "kernels/pixels/image_difference.h"

namespace weft {

// For one stream at a time. Throws CudaError; std::runtime_error in a CPU-only build.
class GpuDifference {
 public:
    GpuDifference();  // on the current device
    ~GpuDifference();
    GpuDifference(GpuDifference&&) noexcept;
    GpuDifference& operator=(GpuDifference&&) noexcept;

    // Counts a pair as ImageDifference::add() does: device images of one shape and type.
    // Asynchronous on `stream`.
    void add(const ImageView& want, const ImageView& got, StreamView stream);

    // The difference of all pairs since the last call; waits for the stream.
    ImageDifference take(StreamView stream);

 private:
    struct Sums;
    std::unique_ptr<Sums> sums_;
    std::int64_t pixels_ = 0;  // added and not taken
};

}  // namespace weft
