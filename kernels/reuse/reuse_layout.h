// All decisions of column_row_reuse on the host: the compiled variant, the layout of taps and
// borders in memory, and how the image is cut into strips. No CUDA; internal to kernels/.
#pragma once

#include <string>
#include <vector>

#include "kernels/common/conv_layout.h"
#include "kernels/reuse/reuse_args.h"
#include "kernels/reuse/ring_args.h"

namespace weft {

// Arguments without their pointers, and the data for them.
struct RollingLayout {
    RollingArgs args;
    BorderTables borders;
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

// The variant for the problem, or null if the next form computes it; the strip form computes any.
const RingVariant* find_ring(const ConvProblem& problem, std::span<const RingVariant> variants);
const RollingVariant* find_rolling(const ConvProblem& problem,
                                   std::span<const RollingVariant> variants);
const StripVariant* find_strip(const ConvProblem& problem, std::span<const StripVariant> variants);

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

// `strips` is limited to the rows of the image.
RingLayout lay_out(const ConvProblem& problem, const RingVariant& variant, int strips);
RollingLayout lay_out(const ConvProblem& problem, const RollingVariant& variant, int strip);
StripLayout lay_out(const ConvProblem& problem, const StripVariant& variant);

}  // namespace weft
