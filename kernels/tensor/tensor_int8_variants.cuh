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

// The kernel for a layout of these sums in so many separated channels, or one.
template <Int8Sums kSums, int kChannels>
static Int8Kernel int8_kernel(const Int8Layout& layout) {
    if constexpr (kSums == Int8Sums::whole || kSums == Int8Sums::fraction)
        if (layout.narrow_rows == 0) return wide_kernel<kSums, kChannels>(layout.halves);
    return narrow_kernel<kSums, kChannels>(layout.narrow_rows);
}

// int8_kernel() in a file of its own, as compiled_separable_kernel().
template <Int8Sums kSums, int kChannels>
Int8Kernel compiled_int8_kernel(const Int8Layout& layout);

template <Int8Sums kSums, class Get>
static Int8Kernel for_channels_of(const Int8Layout& layout, const Get& get) {
    switch (layout.channels) {
        case 3:
            return get.template operator()<kSums, 3>();
        case 4:
            return get.template operator()<kSums, 4>();
        default:
            return get.template operator()<kSums, 1>();
    }
}

// get.template operator()<sums, channels>() for the layout's.
template <class Get>
static Int8Kernel for_form_of(const Int8Layout& layout, const Get& get) {
    switch (layout.sums) {
        case Int8Sums::magnitude:
            return get.template operator()<Int8Sums::magnitude, 1>();
        case Int8Sums::plain_magnitude:
            return get.template operator()<Int8Sums::plain_magnitude, 1>();
        case Int8Sums::whole:
            return for_channels_of<Int8Sums::whole>(layout, get);
        case Int8Sums::fraction:
            break;
    }
    return for_channels_of<Int8Sums::fraction>(layout, get);
}

}  // namespace weft
