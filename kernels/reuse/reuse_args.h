// The two forms of column_row_reuse as data: arguments and the lists of compiled variants.
// Internal to kernels/.
#pragma once

#include <span>

#include "kernels/common/conv_args.h"
#include "kernels/device/device.h"
#include "kernels/image_view.h"

namespace weft {

// Warps per block, one below the other, so that the rows they share meet in the L1 cache.
constexpr int kReuseWarps = 4;

struct ReuseArgs {
    ConvImages images;
    int tiles_x = 0;  // tiles of 32 blocks in a row
    bool src_aligned = false;
    bool dst_aligned = false;
};

// Small taps, all loops unrolled: the taps are operands in constant memory.
struct RollingArgs {
    static constexpr int kMaxTaps = 4 * 9 * 9;
    ReuseArgs base;
    int strip = 0;           // output rows per warp
    float taps[kMaxTaps]{};  // [set][channel][row][column]
};

// Any taps, loops at run time: the taps pass through shared memory.
struct StripArgs {
    ReuseArgs base;
    const float* taps = nullptr;  // device: [set][plane][row][stride], see StripVariant::tap_stride
    int sets = 1;
    int planes = 1;  // tap planes per set: 1 for all channels, or one per channel
    bool magnitude = false;
    int height = 1;  // tap rows
    int anchor_y = 0;
    int left_px = 0;  // halo on each side
    int right_px = 0;
    int first_block = 0;  // first of the window, relative to a lane's own block; <= 0
    int tap_blocks = 1;   // blocks that the taps start in
    int tap_begin = 0;    // taps of a row are at tap_begin <= k < tap_end, counted in pixels from
    int tap_end = 1;      // the start of first_block
};

struct RollingVariant {
    PixelType type;
    int channels;
    int size;             // taps per side, odd, centred
    int sets;             // 1, or 2: magnitude
    int block_samples;    // samples per lane
    int alignment_bytes;  // required by the vector path
    int resident_blocks;  // per multiprocessor
    void (*launch)(const RollingArgs&, int blocks, StreamView);
};

struct StripVariant {
    PixelType type;
    int channels;
    bool several_sets;
    int block_samples;
    int alignment_bytes;
    int strip;       // output rows per warp
    int tap_stride;  // floats
    // `shared_bytes` is the size of one set of taps, for which `reserve` was called on the device.
    void (*launch)(const StripArgs&, int blocks, int shared_bytes, StreamView);
    void (*reserve)(int shared_bytes) = nullptr;  // no device: nothing to reserve
};

std::span<const RollingVariant> rolling_u8_variants();
std::span<const RollingVariant> rolling_u8_channels_variants();
std::span<const RollingVariant> rolling_wide_variants();
std::span<const StripVariant> strip_u8_variants();
std::span<const StripVariant> strip_u16_variants();
std::span<const StripVariant> strip_f32_variants();

}  // namespace weft
