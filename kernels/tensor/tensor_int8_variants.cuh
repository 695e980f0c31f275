// The compiled kernels of tensor_int8, and which of them a layout means.
#pragma once

#include "kernels/tensor/tensor_int8.h"
#include "kernels/tensor/tensor_int8_narrow.cuh"
#include "kernels/tensor/tensor_int8_wide.cuh"

namespace weft {

using Int8Kernel = void (*)(Int8Args);

template <Int8Sums kSums>
Int8Kernel narrow_kernel(int tap_rows) {
    switch (tap_rows) {
        case 3:
            return tensor_int8_narrow<3, kSums>;
        case 5:
            return tensor_int8_narrow<5, kSums>;
        case 7:
            return tensor_int8_narrow<7, kSums>;
        default:
            return tensor_int8_narrow<9, kSums>;
    }
}

template <Int8Sums kSums>
Int8Kernel wide_kernel(int halves) {
    switch (halves) {
        case 3:
            return tensor_int8_wide<3, kSums>;
        case 4:
            return tensor_int8_wide<4, kSums>;
        case 5:
            return tensor_int8_wide<5, kSums>;
        case 6:
            return tensor_int8_wide<6, kSums>;
        case 8:
            return tensor_int8_wide<8, kSums>;
        default:
            return tensor_int8_wide<kMaxInt8Halves, kSums>;
    }
}

// The compiled kernel for a layout.
inline Int8Kernel int8_kernel(const Int8Layout& layout) {
    const bool narrow = layout.narrow_rows > 0;
    switch (layout.sums) {
        case Int8Sums::whole:
            return narrow ? narrow_kernel<Int8Sums::whole>(layout.narrow_rows)
                          : wide_kernel<Int8Sums::whole>(layout.halves);
        case Int8Sums::fraction:
            return narrow ? narrow_kernel<Int8Sums::fraction>(layout.narrow_rows)
                          : wide_kernel<Int8Sums::fraction>(layout.halves);
        case Int8Sums::magnitude:
            return narrow_kernel<Int8Sums::magnitude>(layout.narrow_rows);
        case Int8Sums::plain_magnitude:
            return narrow_kernel<Int8Sums::plain_magnitude>(layout.narrow_rows);
    }
    return nullptr;
}

}  // namespace weft
