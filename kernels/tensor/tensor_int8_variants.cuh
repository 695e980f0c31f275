// The compiled kernels of tensor_int8, and which of them a layout means. Static: the tests compile
// this file for the CPU, and one program has both.
#pragma once

#include "kernels/tensor/tensor_int8.h"
#include "kernels/tensor/tensor_int8_narrow.cuh"
#include "kernels/tensor/tensor_int8_wide.cuh"

namespace weft {

using Int8Kernel = void (*)(Int8Args);

template <Int8Sums kSums, int kChannels>
static Int8Kernel narrow_kernel(int tap_rows) {
    if constexpr (kChannels == 1)
        if (tap_rows == 3) return tensor_int8_narrow<3, kSums, kChannels>;
    switch (tap_rows) {
        case 5:
            return tensor_int8_narrow<5, kSums, kChannels>;
        case 7:
            return tensor_int8_narrow<7, kSums, kChannels>;
        default:
            return tensor_int8_narrow<9, kSums, kChannels>;
    }
}

template <Int8Sums kSums, int kChannels>
static Int8Kernel wide_kernel(int halves) {
    if constexpr (kChannels == 1)
        if (halves == kMaxInt8Halves) return tensor_int8_wide<kMaxInt8Halves, kSums, kChannels>;
    switch (halves) {
        case 3:
            return tensor_int8_wide<3, kSums, kChannels>;
        case 4:
            return tensor_int8_wide<4, kSums, kChannels>;
        case 5:
            return tensor_int8_wide<5, kSums, kChannels>;
        case 6:
            return tensor_int8_wide<6, kSums, kChannels>;
        default:
            return tensor_int8_wide<8, kSums, kChannels>;
    }
}

template <Int8Sums kSums, int kChannels>
static Int8Kernel kernel_of_sums(const Int8Layout& layout) {
    return layout.narrow_rows > 0 ? narrow_kernel<kSums, kChannels>(layout.narrow_rows)
                                  : wide_kernel<kSums, kChannels>(layout.halves);
}

// The kernel for a layout of so many separated channels, or one.
template <int kChannels>
static Int8Kernel int8_kernel(const Int8Layout& layout) {
    if constexpr (kChannels == 1) {
        if (layout.sums == Int8Sums::magnitude)
            return narrow_kernel<Int8Sums::magnitude, 1>(layout.narrow_rows);
        if (layout.sums == Int8Sums::plain_magnitude)
            return narrow_kernel<Int8Sums::plain_magnitude, 1>(layout.narrow_rows);
    }
    return layout.sums == Int8Sums::whole ? kernel_of_sums<Int8Sums::whole, kChannels>(layout)
                                          : kernel_of_sums<Int8Sums::fraction, kChannels>(layout);
}

// int8_kernel() in a file of its own, as compiled_separable_kernel().
template <int kChannels>
Int8Kernel compiled_int8_kernel(const Int8Layout& layout);
template <>
Int8Kernel compiled_int8_kernel<1>(const Int8Layout& layout);
template <>
Int8Kernel compiled_int8_kernel<3>(const Int8Layout& layout);
template <>
Int8Kernel compiled_int8_kernel<4>(const Int8Layout& layout);

// get.template operator()<C>() for the layout's channels.
template <class Get>
static Int8Kernel for_channels_of(const Int8Layout& layout, const Get& get) {
    switch (layout.channels) {
        case 3:
            return get.template operator()<3>();
        case 4:
            return get.template operator()<4>();
        default:
            return get.template operator()<1>();
    }
}

}  // namespace weft
