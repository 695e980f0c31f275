// Host-side preparation shared by all GPU convolution rows. No CUDA; internal to kernels/.
#pragma once

#include <vector>

#include "kernels/common/conv_args.h"
#include "kernels/conv_problem.h"
#include "kernels/device/device.h"

namespace weft {

// The border_tables of both axes: upload `entries`, then point images.x.table at its start and
// images.y.table at entry `y_table`.
struct BorderTables {
    std::vector<int> entries;
    std::size_t y_table = 0;
};

// Sizes, borders, saturation and finish of a problem; pointers and pitches are left null.
ConvImages conv_images(const ConvProblem& problem, BorderTables& borders);

// Pointers and pitches. Throws std::runtime_error if a pitch does not fit 32 bits.
void set_images(const ImageView& src, const ImageView& dst, ConvImages& images);

// True if every row starts at a multiple of `alignment_bytes`.
bool rows_aligned(const ImageView& image, int alignment_bytes);

// Shared memory that a block may have at most (CUDA C++ Programming Guide, "Compute Capabilities").
int most_shared_bytes(const Device& device);

// tiles_x * tiles_y as the size of a one-dimensional grid: rows of blocks may exceed the 65,535
// that a grid's y takes. Throws std::runtime_error above 2^31 - 1.
int grid_size(int tiles_x, int tiles_y);

}  // namespace weft
