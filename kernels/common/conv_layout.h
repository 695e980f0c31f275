// Host preparation of all GPU kernels for images, and all border arithmetic. No CUDA; internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "filters/operation.h"
#include "kernels/conv_problem.h"
#include "kernels/device/device.h"

namespace weft {

// The index in 0..n-1 that `coordinate` (any value) takes its sample from, or -1 where that is the
// constant border value. Reflects as often as needed; an axis of length 1 always gives 0.
int border_source(int coordinate, int n, Border border);

// Entry k of the first `before` entries: the source of coordinate k - before. Entry before + k: the
// source of coordinate n + k, 0 <= k < after. One unused entry closes the table, so that it is
// never empty.
std::vector<int> border_table(int n, int before, int after, Border border);

// One axis of the image and the border_table for the samples beyond its ends.
struct AxisMap {
    const int* table = nullptr;  // device memory; see border_table()
    int length = 0;              // pixels
    int before = 0;              // coordinates -before .. length + after - 1 are defined
    int after = 0;
};

struct ConvImages {
    const std::byte* src = nullptr;
    std::byte* dst = nullptr;
    int src_pitch = 0;  // bytes, may be negative; 32 bits make a row address one instruction
    int dst_pitch = 0;
    AxisMap x;
    AxisMap y;
    std::uint32_t border_word = 0;  // the constant border's sample, repeated to fill 32 bits
    float max_value = 255.0F;
    float scale[4] = {1, 1, 1, 1};  // per channel
    float bias[4] = {0, 0, 0, 0};
};

// The border_tables of both axes: upload `entries`, then point images.x.table at its start and
// images.y.table at entry `y_table`.
struct BorderTables {
    std::vector<int> entries;
    std::size_t y_table = 0;
};

// Sizes, borders, saturation and finish of a problem; pointers and pitches are left null.
ConvImages conv_images(const ConvProblem& problem, BorderTables& borders);

// Makes the x axis that of an image of one channel, whose rows are the samples of all channels.
void set_axis_of_samples(int channels, ConvImages& images, BorderTables& borders);

// Filters rows whose samples are those of all channels (see above) by `filter`, whose taps are
// dense or separable: they are as far apart as the pixels of a channel, with zeros between them.
ConvProblem in_one_channel(const ConvProblem& problem, const ChannelConv& filter);

// Pointers and pitches. Throws std::runtime_error if a pitch does not fit 32 bits.
void set_images(const ImageView& src, const ImageView& dst, ConvImages& images);

// True if every row starts at a multiple of `alignment_bytes`.
bool rows_aligned(const ImageView& image, int alignment_bytes);

// Shared memory that a block may have at most (CUDA C++ Programming Guide, "Compute Capabilities").
int most_shared_bytes(const Device& device);

// tiles_x * tiles_y as the size of a one-dimensional grid: rows of blocks may exceed the 65,535
// that a grid's y takes. Throws std::runtime_error above 2^31 - 1.
int grid_size(int tiles_x, int tiles_y);

// From Ampere on, each resident block takes 1 KiB of shared memory more than it requests.
constexpr int kSharedBytesOfSystem = 1024;

// Shared memory of a multiprocessor. A block may have all of it on Turing, and 1 KiB less from
// Ampere on.
inline int shared_bytes_of_multiprocessor(const Device& device) {
    return most_shared_bytes(device) + (device.compute_major < 8 ? 0 : kSharedBytesOfSystem);
}

}  // namespace weft
