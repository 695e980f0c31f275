// All decisions of tensor_int8 on the host: taps as signed bytes, and their layout in bands. No
// CUDA; internal to kernels/.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/common/conv_layout.h"
#include "kernels/tensor/tensor_int8_args.h"

namespace weft {

// Taps as whole numbers: 128 · upper + lower, times unit / 128, is the tap; lower is in -64..63.
// Whole numbers up to ±127 have a unit of 1 and no lower part.
struct ByteTaps {
    std::vector<std::int8_t> upper;  // row-major, as the taps
    std::vector<std::int8_t> lower;  // empty for whole numbers
    double unit = 1.0;               // step of a sum of `upper`
    double error = 0.0;  // largest error of a sum over bytes, the rounding of lower sums included
};

// `scale` multiplies sums at the end: units are chosen so that unit · scale has eleven significant
// bits, and its product with kInt8Magic is exact. The sum of |upper| never exceeds 16448, so that
// sums stay below 2^22.
ByteTaps byte_taps(const std::vector<float>& weights, float scale);

// Empty if the row can keep the contract: whole numbers stay exact, others are within the bound of
// Arithmetic::half_taps and less than half a step of the output off. Otherwise the reason.
std::string why_not_tensor_int8(const ConvProblem& problem);

// Arguments without their pointers, and the data for them.
struct Int8Layout {
    Int8Args args;
    std::vector<std::uint32_t> bands;  // wide taps
    Int8Sums sums = Int8Sums::whole;
    int narrow_rows = 0;  // 3, 5, 7 or 9: the variant's tap rows; 0: wide
    int halves = 0;       // wide taps: 3, 4, 5, 6, 8 or 10
    int tiles_x = 1;
    int steps_y = 1;  // in the image
};

Int8Layout lay_out_tensor_int8(const ConvProblem& problem);

// Dynamic shared memory of blocks that compute so many steps.
int shared_bytes(const Int8Layout& layout, int steps);

struct Int8Room {
    int multiprocessors = 1;
    std::function<int(int)> resident_blocks;  // per multiprocessor, of so many bytes each; or 0
};

// Steps per block with which the image takes least time: that of the fullest multiprocessor. As
// many blocks stay resident as with the fewest steps.
int best_steps(const Int8Layout& layout, const Int8Room& room);

}  // namespace weft
