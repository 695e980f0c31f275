// Host-side preparation for separable_reuse. No CUDA; internal to kernels/.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/common/conv_layout.h"
#include "kernels/conv_kernel.h"

namespace weft {

constexpr int kSeparableWarps = 8;  // per block

// A thread computes this many rows of a column, then this many pixels of a row.
constexpr int kSeparableRows = 16;
template <int Channels>
constexpr int kSeparablePixels = Channels == 1 ? 16 : 8;

// A block computes `rows` rows of `outputs` samples.
struct SeparableReuseArgs {
    ConvImages images;
    const float* taps = nullptr;  // device: [plane][row factors, column factors], padded
    int planes = 1;               // tap planes: 1 for all channels, or one per channel
    int width = 1;                // taps per row
    int height = 1;
    int row_stride = 0;  // floats from the row factors to the column factors
    int tap_stride = 0;  // from plane to plane
    int rows = 0;        // a multiple of kSeparableRows
    int columns = 0;     // samples of a row between the passes
    int outputs = 0;     // outputs per row; a multiple of kSeparablePixels pixels
    int pitch = 0;       // floats of shared memory from row to row; an odd number of 16 bytes, so
                         // that lanes in eight rows meet no bank twice
    int tiles_x = 1;
    bool dst_aligned = false;  // every row starts at a multiple of the vector store's size
};

// ---- the small form: separable_small.cuh ----

constexpr int kMostSmallFactors = 65;  // per side

struct SeparableSmallArgs {
    ConvImages images;
    int columns = 0;  // samples of a row between the passes
    int pitch = 0;    // floats of shared memory from row to row: see SeparableReuseArgs
    int tiles_x = 1;
    bool dst_aligned = false;  // every row starts at a multiple of the vector store's size
    bool constant_border = false;
    // Boxes have their value in the scale, other 16-bit samples 2^149 in the factors.
    float row[kMostSmallFactors]{};
    float column[kMostSmallFactors]{};
};

// A block of one compiled kernel.
struct SeparableSmallShape {
    int rows = 0;     // outputs, down
    int samples = 0;  // of a row per thread, whole pixels and vectors
    int warps = 0;
    int resident = 0;         // blocks per multiprocessor that the registers are cut for
    bool along_rows = false;  // neighbouring lanes store neighbouring samples
};

// Outputs of a row, in samples: as many as leave each thread one column. `halo`: samples that they
// need beyond their own.
constexpr int small_outputs(const SeparableSmallShape& shape, int halo) {
    const int step = shape.along_rows ? shape.samples : 4 * shape.samples;
    return (32 * shape.warps - halo) / step * step;
}

// On an H100, f32 gray at 3840×2160, where a copy takes 24.1 µs: 12, 16 and 24 rows take 24.7, 24.9
// and 25.4 at 5×5; 25.4, 25.6 and 25.3 at 9×9; 28.2, 27.7 and 27.3 at 15×15, where 32 rows of
// kTallShape take 31. At 31×31 those take 35.5, and 24 rows along rows 37.
constexpr SeparableSmallShape kFlatShape = {
    .rows = 12, .samples = 4, .warps = 8, .resident = 4, .along_rows = true};
constexpr SeparableSmallShape kMiddleShape = {
    .rows = 24, .samples = 4, .warps = 8, .resident = 3, .along_rows = true};
constexpr SeparableSmallShape kTallShape = {.rows = 32, .samples = 8, .warps = 5, .resident = 5};
constexpr SeparableSmallShape kRgbaShape = {
    .rows = 16, .samples = 4, .warps = 9, .resident = 4, .along_rows = true};

// 16-bit Gaussians on an H100, where a copy takes 13.3 µs: 16, 24 and 32 rows take 17.2, 17.6 and
// 17.1 at 9×9, 20.3, 20.3 and 20.5 at 15×15, 24.9, 23.6 and 23.6 at 21×21; at 720p 4.6, 4.3 and 5.6
// at 9×9. Four warps have 120 outputs at 9×9, which divide 3840.
constexpr SeparableSmallShape kNarrowShape = {
    .rows = 16, .samples = 8, .warps = 4, .resident = 10, .along_rows = true};
constexpr SeparableSmallShape kTallNarrowShape = {
    .rows = 24, .samples = 8, .warps = 4, .resident = 8, .along_rows = true};

// 16-bit Gaussians of two, three and four channels on an H100, where copies take 24.4, 35.2 and
// 46.5 µs: 28.2, 41.4 and 57.2 at 5×5, 40.3, 60.2 and 83.6 at 17×17, 65.5, 105 and 136 at 33×33.
// In 16 rows 28.3, 43.3 and 65.5; 42.5, 64.5 and 88.2; 67.8, 112 and 141. RGBA in eight warps takes
// 81.8 at 17×17 and 160 at 33×33. Gray takes 44.0 at 49×49 and 60.6 at 65×65, in six warps 45.5 and
// 66.9, and in 32 rows, where the code outgrows the instruction cache, 48.0 and 95.3.
constexpr SeparableSmallShape kWideShape = {
    .rows = 24, .samples = 8, .warps = 8, .resident = 4, .along_rows = true};
constexpr SeparableSmallShape kRgbShape = {
    .rows = 24, .samples = 12, .warps = 8, .resident = 4, .along_rows = true};
constexpr SeparableSmallShape kWideRgbaShape = {
    .rows = 24, .samples = 16, .warps = 12, .resident = 3};

// Compiled for least_size, least_size + size_step and so on up to most_size factors per side, all
// odd.
struct SeparableSmallVariant {
    PixelType type = PixelType::f32;
    int channels = 1;
    int least_size = 1;
    int most_size = 1;
    SeparableSmallShape shape;
    bool box = false;  // factors that are all one value, and integer samples
    int size_step = 2;

    constexpr bool compiled_for(int size) const {
        return size >= least_size && size <= most_size && (size - least_size) % size_step == 0;
    }
};

// 16-bit boxes on an H100, where a copy takes 13.2 µs: 16.7 in 16 rows and 16.8 in 24 at
// 15×15, 21.1 and 20.0 at 31×31.
constexpr SeparableSmallShape kSumsShape = {
    .rows = 16, .samples = 8, .warps = 4, .resident = 8, .along_rows = true};
constexpr SeparableSmallShape kTallSumsShape = {
    .rows = 24, .samples = 8, .warps = 4, .resident = 7, .along_rows = true};

// The compiled kernels. The first that fits is taken. Eleven sizes fewer made a package, which has
// code for seven GPUs, 0.6 MB smaller. On an H100, 11×11 of RGBA64 takes 73 padded to 13 and 84 to
// 17; u16 gray 31.7 at 33×33 and 37.2 at 41×41, 44.0 at 49×49 and 60.6 at 65×65.
inline constexpr std::array kSmallVariants = {
    SeparableSmallVariant{PixelType::u16, 1, 7, 15, kSumsShape, true},
    SeparableSmallVariant{PixelType::u16, 1, 17, 33, kTallSumsShape, true},
    SeparableSmallVariant{PixelType::f32, 1, 1, 5, kFlatShape},
    SeparableSmallVariant{PixelType::f32, 1, 7, 15, kMiddleShape},
    SeparableSmallVariant{PixelType::f32, 1, 17, 33, kTallShape},
    SeparableSmallVariant{PixelType::f32, 4, 1, 9, kRgbaShape},
    SeparableSmallVariant{PixelType::u16, 1, 3, 15, kNarrowShape},
    SeparableSmallVariant{PixelType::u16, 1, 17, 25, kTallNarrowShape, false, 4},
    SeparableSmallVariant{PixelType::u16, 1, 31, 33, kTallNarrowShape},
    SeparableSmallVariant{PixelType::u16, 1, 41, 49, kWideShape, false, 8},
    SeparableSmallVariant{PixelType::u16, 1, 65, kMostSmallFactors, kWideShape},
    SeparableSmallVariant{PixelType::u16, 2, 5, 9, kWideShape, false, 4},
    SeparableSmallVariant{PixelType::u16, 2, 17, 33, kWideShape, false, 8},
    SeparableSmallVariant{PixelType::u16, 3, 5, 9, kRgbShape, false, 4},
    SeparableSmallVariant{PixelType::u16, 3, 17, 33, kRgbShape, false, 8},
    SeparableSmallVariant{PixelType::u16, 4, 5, 9, kWideRgbaShape, false, 4},
    SeparableSmallVariant{PixelType::u16, 4, 17, 33, kWideRgbaShape, false, 8},
};

static_assert(std::ranges::all_of(kSmallVariants, [](const SeparableSmallVariant& v) {
    return v.compiled_for(v.most_size) && v.most_size <= kMostSmallFactors;
}));

// Its place in kSmallVariants, or nothing: the other form takes the problem.
std::optional<std::size_t> find_small_variant(const ConvProblem& problem);

// Factors per side of the variant's kernel that takes the problem's; 0: none does. Integer samples
// take zeros next to fewer factors. In f32 an infinity times zero would spread.
int small_size(const ConvProblem& problem, const SeparableSmallVariant& variant);

struct SeparableSmallLayout {
    SeparableSmallArgs args;
    BorderTables borders;
    int size = 1;  // factors per side of the compiled kernel
    int blocks = 0;
    int shared_bytes = 0;  // at most 48 KiB
};

SeparableSmallLayout lay_out_separable_small(const ConvProblem& problem,
                                             const SeparableSmallVariant& variant);

// ---- the form for any factors: separable_reuse.cuh ----

// Arguments without their pointers, and the data for them.
struct SeparableReuseLayout {
    SeparableReuseArgs args;
    BorderTables borders;
    std::vector<float> taps;
    int blocks = 0;
    int shared_bytes = 0;
};

// For one tap set whose factors are known. Empty if a block of the device has the shared memory for
// the sums of a row. Otherwise the reason.
std::string why_not_between(const ConvProblem& problem, const Device& device);

SeparableReuseLayout lay_out_separable_reuse(const ConvProblem& problem, const Device& device);

// Defined in separable_reuse.cu, in builds with CUDA only.
std::unique_ptr<PreparedConv> prepare_separable_reuse(const ConvProblem& problem,
                                                      const Device& device);
// Defined in separable_small.cu, for a variant that find_small_variant() returned.
std::unique_ptr<PreparedConv> prepare_separable_small(const ConvProblem& problem,
                                                      const Device& device, std::size_t variant);

}  // namespace weft
