// Means in the place of samples: of square blocks, or of the samples around a part of a picture.
// Errors are those of pixel_ops.h.
#pragma once

#include <array>
#include <span>

#include "kernels/device/device.h"
#include "kernels/image_view.h"

namespace weft {

// How blocks divide one axis of a part. Lengths are in pixels of the frame; a sample is in the
// block of its first pixel, and the sample that contains the beginning of block 0 is in block 0.
struct BlockAxis {
    int size = 1;    // the side of each block
    int pitch = 1;   // from the first pixel of a sample to that of the next
    int corner = 0;  // where block 0 begins, from the first pixel of the part; of either sign

    // Blocks `first` to before `end` contain all of `count` samples. Some may be empty.
    int first() const;
    int end(int count) const;
    // The first sample of a block, from 0 to `count`.
    int begin(int block, int count) const;
};

// A part of one plane. `dst` has the shape of `src` and does not overlap it.
struct MeanPart {
    ImageView src;
    ImageView dst;
    unsigned channel_mask = 0;  // channels whose bit is clear are copied
    BlockAxis x = {}, y = {};
    // If it has pixels, every sample becomes the mean of those samples next to `src`, outside of
    // it, whose entry here is not 0. One row (u16, one channel, in the same space), in the order
    // of around(). The picture must have the samples that are selected.
    ImageView edge = {};
    // The samples where `edge` selects none.
    std::array<float, 4> otherwise = {};
};

struct EdgePlace {
    int x = 0, y = 0;
};

// The samples around a part of width × height samples are numbered from 0: the row above it from
// its corner at (-1, -1) to (width, -1), the row below it, the column to the left, the column to
// the right.
constexpr int around(int width, int height) {
    return 2 * (width + 2) + 2 * height;
}

constexpr EdgePlace edge_place(int number, int width, int height) {
    const int row = width + 2;
    if (number < 2 * row) return {number % row - 1, number < row ? -1 : height};
    const int beside = number - 2 * row;
    return {beside < height ? -1 : width, beside % height};
}

// Integers become the mean, exactly, rounded half to even. Floats are added up in double: the k-th
// sample of a block, in the order of its rows, and the k-th of around() belong to the sum k mod 32;
// then the upper half of the sums is added to the lower half until one is left, which is divided by
// the number of samples and rounded to float.
// All parts have samples of one type and are in one space. A GPU takes 32 of them per launch.
// Returns the number of launches, 1 on the CPU.
int take_means(std::span<const MeanPart> parts, StreamView stream);

}  // namespace weft
