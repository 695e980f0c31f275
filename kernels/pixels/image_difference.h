// The difference of two images, accumulated over any number of pairs.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/device/device.h"
#include "kernels/image_view.h"

namespace weft {

struct ImageDifference {
    double largest = 0;          // of any sample, in its own steps; infinite if only one is NaN
    std::int64_t pixels = 0;     // compared
    std::int64_t differing = 0;  // pixels with a sample that is not the same

    // Counts another pair: host images of one shape and type. GpuDifference does it for images on a
    // GPU.
    void add(const ImageView& want, const ImageView& got);
    void add(const ImageDifference& other);

    double differing_fraction() const {
        return pixels == 0 ? 0.0 : static_cast<double>(differing) / static_cast<double>(pixels);
    }
};

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
