// All decisions of column_row_reuse on the host: the compiled variant, the layout of taps and
// borders in memory, and how the image is cut into strips. No CUDA; internal to kernels/.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/common/conv_layout.h"
#include "kernels/conv_kernel.h"
#include "kernels/device/device.h"
#include "kernels/image_view.h"

namespace weft {

// Small taps on fp32 images: rows pass through a ring in shared memory, the taps and the tables of
// the image's ends are constants.
struct RingArgs {
    static constexpr int kMaxSize = 15;
    ConvImages images;  // its tables are unused: they are below
    int tiles_x = 0;
    int strips = 0;       // along the image's height: `tall_strips` of `strip_steps` + 1
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
    int size;                // taps per side, odd, centred
    int warps;               // per block
    int block_samples;       // samples per lane
    int step_rows;           // output rows of a block's step
    int resident_blocks;     // per multiprocessor
    int alignment_bytes;     // required by the vector path
    void (*make_ready)();    // before the first launch, on the current device
    bool (*can_be_early)();  // on the current device
    void (*launch)(const RingArgs&, int blocks, bool early, StreamView);
};

// Warps per block, one below the other, so that the rows they share meet in the L1 cache.
constexpr int kReuseWarps = 4;

// The smallest taps, on images that take longer to move than to compute: all loops unrolled, the
// taps and the tables of the image's ends are constants.
struct TileArgs {
    static constexpr int kMaxSize = 9;
    ConvImages images;  // its tables are unused: they are below
    int tiles_x = 0;    // tiles of 32 blocks in a row
    int tiles_y = 0;    // rows of kReuseWarps tiles below one another
    bool src_aligned = false;
    bool dst_aligned = false;
    int column_sources[kMaxSize]{};  // border_tables
    int row_sources[kMaxSize]{};
    float taps[4 * kMaxSize * kMaxSize]{};  // [channel][row][column]
};

// For one set of taps, of the variant's size in every channel.
struct TileVariant {
    PixelType type;
    int channels;
    int size;                // taps per side, odd, centred
    int block_samples;       // samples per lane
    int rows;                // output rows per warp
    int alignment_bytes;     // required by the vector path
    bool (*can_be_early)();  // on the current device
    void (*launch)(const TileArgs&, int blocks, bool early, StreamView);
};

struct ReuseArgs {
    ConvImages images;
    int tiles_x = 0;  // tiles of 32 blocks in a row
    bool src_aligned = false;
    bool dst_aligned = false;
};

// Small taps, all loops unrolled: the taps are operands in constant memory.
struct RollingArgs {
    static constexpr int kMaxSize = 9;
    static constexpr int kMaxTaps = 4 * kMaxSize * kMaxSize;
    ConvImages images;  // its tables are unused: they are below
    int tiles_x = 0;    // tiles of 32 blocks in a row
    int strip = 0;      // output rows per warp, at least the taps' side less one
    // Threads' columns are counted in blocks of samples.
    int inner_begin = 0;  // those whose samples are all in vectors in the image
    int inner_end = 0;
    int end_columns = 1;  // the others; at least 1
    int end_blocks = 0;   // for them, one thread per row
    bool dst_aligned = false;
    int column_sources[kMaxSize]{};  // border_tables
    int row_sources[kMaxSize]{};
    float taps[kMaxTaps]{};  // [set][channel][row][column]; or the row's factors, the column's
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
    int size;                // taps per side, odd, centred
    int sets;                // 1, or 2: magnitude
    int block_samples;       // samples per lane
    int reach;               // samples that a lane loads on each side
    int alignment_bytes;     // required by the vector path
    int resident_blocks;     // per multiprocessor
    bool (*can_be_early)();  // on the current device
    void (*launch)(const RollingArgs&, int blocks, bool early, StreamView);
};

struct StripVariant {
    PixelType type = PixelType::u8;
    int channels = 1;
    bool several_sets = false;
    int block_samples = 0;
    int alignment_bytes = 0;
    int strip = 0;            // output rows per warp
    int resident_blocks = 0;  // per multiprocessor
    int tap_stride = 0;       // floats
    // `shared_bytes` is the size of one set of taps, for which `reserve` was called on the device.
    void (*launch)(const StripArgs&, int blocks, int shared_bytes, StreamView) = nullptr;
    void (*reserve)(int shared_bytes) = nullptr;  // no device: nothing to reserve
};

// The compiled variants, in builds with CUDA only; of the rolling form and the strips those that
// may take the pixels.
std::span<const TileVariant> tile_variants();
std::span<const RingVariant> ring_variants();
std::span<const RollingVariant> rolling_variants(PixelType type, int channels);
std::span<const StripVariant> strip_variants(PixelType type);

// Arguments without their pointers, and the data for them.
struct RollingLayout {
    RollingArgs args;
    int strip_blocks = 0;
    int blocks = 0;  // with those of the ends
};

struct TileLayout {
    TileArgs args;
    int blocks = 0;
};

struct RingLayout {
    RingArgs args;
    int blocks = 0;
};

struct StripLayout {
    StripArgs args;
    BorderTables borders;
    std::vector<float> taps;
    int shared_bytes = 0;
    int blocks = 0;
};

// Taps per side of the smallest odd centred square that the problem fits: 9 for 7×8 taps anchored
// at (3, 4). fp32 images need the exact size: a padding zero would turn an infinity into NaN. 0:
// none.
int rolling_size(const ConvProblem& problem);

// The variant for the problem, or null if the next form computes it.
const TileVariant* find_tile(const ConvProblem& problem, std::span<const TileVariant> variants);
const RingVariant* find_ring(const ConvProblem& problem, std::span<const RingVariant> variants);
const RollingVariant* find_rolling(const ConvProblem& problem,
                                   std::span<const RollingVariant> variants);
// The strip variant for the problem that takes least time on `multiprocessors`.
const StripVariant* find_strip(const ConvProblem& problem, std::span<const StripVariant> variants,
                               int multiprocessors);

// Shared memory of the strip form.
int strip_bytes(const ConvProblem& problem);

// Empty if a block of the device has that much; the other forms are for small taps and need less.
// Otherwise the reason.
std::string why_not_reuse(const ConvProblem& problem, const Device& device);

// Output rows per warp: with many, few rows are loaded twice; with few, there are many warps. Picks
// the least estimated time on `multiprocessors`.
int choose_strip(const ConvProblem& problem, const RollingVariant& variant, int multiprocessors);

// The same for the ring form: the number of strips that the height is cut into.
int choose_strips(const ConvProblem& problem, const RingVariant& variant, int multiprocessors);

// Whether the rows of the images start at multiples of the variant's alignment.
template <class Variant, class Layout>
void set_alignment(const Variant&, bool src_aligned, bool dst_aligned, Layout& layout) {
    layout.args.src_aligned = src_aligned;
    layout.args.dst_aligned = dst_aligned;
}
void set_alignment(const RollingVariant& variant, bool src_aligned, bool dst_aligned,
                   RollingLayout& layout);

// `strips` is limited to the rows of the image.
TileLayout lay_out(const ConvProblem& problem, const TileVariant& variant);
RingLayout lay_out(const ConvProblem& problem, const RingVariant& variant, int strips);
RollingLayout lay_out(const ConvProblem& problem, const RollingVariant& variant, int strip);
StripLayout lay_out(const ConvProblem& problem, const StripVariant& variant);

// Defined in column_row_reuse.cu, in builds with CUDA only.
std::unique_ptr<PreparedConv> prepare_column_row_reuse(const ConvProblem& problem,
                                                       const Device& device);

}  // namespace weft
