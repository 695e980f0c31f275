// Calls templates on the type of an image's samples.
#pragma once

#include <cstdint>

#include "kernels/image_view.h"

namespace weft {

// Calls f with a sample of the type: f(std::uint8_t{}), f(std::uint16_t{}) or f(float{}).
template <class F>
auto with_sample_type(PixelType type, const F& f) {
    switch (type) {
        case PixelType::u8:
            return f(std::uint8_t{});
        case PixelType::u16:
            return f(std::uint16_t{});
        case PixelType::f32:
            break;
    }
    return f(float{});
}

}  // namespace weft
