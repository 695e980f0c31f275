// The difference of two images, accumulated over any number of pairs.
#pragma once

#include <cstdint>

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

}  // namespace weft
