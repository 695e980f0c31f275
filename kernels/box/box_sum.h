// Everything that box_sum decides on the host: which taps are boxes, and how an image is cut into
// strips. No CUDA; internal to kernels/.
#pragma once

#include <memory>
#include <string>

#include "kernels/common/conv_layout.h"
#include "kernels/conv_kernel.h"

namespace weft {

constexpr int kMaxBoxThreads = 768;

// Rows of a thread's columns that are in flight from memory at a time.
constexpr int kBoxBatch = 16;

// A block computes `strip` rows of `outputs` samples, `group_rows` of them at a time.
struct BoxArgs {
    ConvImages images;
    int threads = 0;      // per block; each keeps the sums of a word's columns: 4 of u8, 2 of u16
    int group_rows = 0;   // 32 or 16: one per lane
    int group_shift = 0;  // log2 of it
    int units = 0;        // per row, each of 16 or 12 results
    int run_units = 0;    // units that a lane computes
    int store_shift = 0;  // log2 of the threads that store a row
    int strip = 0;        // a multiple of group_rows
    int outputs = 0;      // samples, a multiple of 16 and of the channels
    int reach = 1;        // samples of a row from a window's first to the one after its last
    int height = 1;       // box height
    int pitch = 0;        // words from a row of column sums to the next; odd, so that the lanes of
                          // a warp, each in a row of its own, meet no bank twice
    int out_first = 0;    // word of shared memory where finished rows start
    int out_pitch = 0;    // words from one to the next; an odd number of 16 bytes
    int tiles_x = 1;
    bool src_aligned = false;      // every row starts at a multiple of 4 bytes
    bool dst_aligned = false;      // of 16 bytes
    float gain[4] = {1, 1, 1, 1};  // value of the taps times scale, per channel
};

// Arguments without their pointers, and the data for them.
struct BoxLayout {
    BoxArgs args;
    BorderTables borders;
    bool halves = false;  // column sums as pairs of 16 bits
    int blocks = 0;
    int shared_bytes = 0;
};

// Empty if the kernel can compute the problem's taps on its type of pixels, with the shared memory
// of the device. Otherwise the reason.
std::string why_not_box(const ConvProblem& problem, const Device& device);

// How the image is cut. Wide blocks compute few columns twice, high ones few rows.
struct BoxShape {
    int threads = 0;
    int strip = 0;
    int group_rows = 0;  // 32 or 16, the most that shared memory holds
};

// Picks the least estimated time among the shapes that the device can launch.
BoxShape choose_box_shape(const ConvProblem& problem, const Device& device);

BoxLayout lay_out_box(const ConvProblem& problem, const BoxShape& shape);

// Defined in box_sum.cu, in builds with CUDA only.
std::unique_ptr<PreparedConv> prepare_box_sum(const ConvProblem& problem, const Device& device);

}  // namespace weft
