// A gray picture at halved sizes, in which a Tracker searches from coarse to fine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/image_view.h"

namespace weft {

// 8-bit samples, row by row from the top.
struct GrayImage {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> samples;

    const std::uint8_t* row(int y) const {
        return samples.data() + static_cast<std::ptrdiff_t>(y) * width;
    }
    std::uint8_t* row(int y) { return samples.data() + static_cast<std::ptrdiff_t>(y) * width; }
};

// Level k has the picture halved k times, each sample the rounded mean of four; odd last rows and
// columns are dropped. The point (x, y) of the picture is (x, y) / 2^k there, where pixel i covers
// the range from i to i + 1. The pixels are copied.
class GrayPyramid {
 public:
    // `luma`: one channel in host memory, u8, or u16 of `depth_bits`. Keeps the levels from
    // `finest` on until a side is shorter than 16 pixels, and at least one.
    GrayPyramid(const ImageView& luma, int depth_bits, int finest);

    int width() const { return width_; }
    int height() const { return height_; }
    int finest() const { return finest_; }
    int coarsest() const { return finest_ + static_cast<int>(levels_.size()) - 1; }
    // The nearest level that exists.
    int nearest_level(int level) const;
    const GrayImage& level(int level) const {
        return levels_[static_cast<std::size_t>(level - finest_)];
    }
    std::size_t bytes() const;

 private:
    int width_;
    int height_;
    int finest_;
    std::vector<GrayImage> levels_;
};

}  // namespace weft
