// The ring form of column_row_reuse as data: arguments and the list of compiled variants. Internal
// to kernels/.
#pragma once

#include <span>

#include "kernels/common/conv_args.h"
#include "kernels/device/device.h"

namespace weft {

// Warps per block; each works independently.
constexpr int kRingWarps = 4;

// Small taps on fp32 images: rows pass through a ring in shared memory, the taps and the tables of
// the image's ends are constants.
struct RingArgs {
    static constexpr int kMaxSize = 15;
    ConvImages images;  // its tables are unused: they are below
    int tiles_x = 0;
    std::uint32_t tiles_reciprocal = 0;  // (2^32 - 1) / tiles_x, rounded down
    int strips = 0;       // of the image's height: `tall_strips` of `strip_steps` + 1
    int strip_steps = 0;  // steps of output rows, then the others of `strip_steps`
    int tall_strips = 0;
    bool src_aligned = false;
    bool dst_aligned = false;
    int column_sources[kMaxSize]{};  // border_tables
    int row_sources[kMaxSize]{};
    float taps[kMaxSize * kMaxSize]{};  // [row][column]
};

// For fp32 images of one channel, one set of taps.
struct RingVariant {
    int size;              // taps per side, odd, centred
    int block_samples;     // samples per lane
    int step_rows;         // unit of output rows
    int alignment_bytes;   // required by the vector path
    void (*make_ready)();  // before the first launch, on the current device
    void (*launch)(const RingArgs&, int blocks, StreamView);
};

std::span<const RingVariant> ring_variants();

}  // namespace weft
