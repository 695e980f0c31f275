// The kernels' pixel type for the samples of a frame.
#pragma once

#include "filters/frame_info.h"
#include "kernels/image_view.h"

namespace weft {

constexpr PixelType pixel_type(SampleType sample) {
    switch (sample) {
        case SampleType::u8:
            return PixelType::u8;
        case SampleType::u16:
            return PixelType::u16;
        case SampleType::f32:
            return PixelType::f32;
    }
    return PixelType::u8;
}

}  // namespace weft
