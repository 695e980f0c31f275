// Arguments of the CUDA kernels, passed by value. Plain data; internal to kernels/.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft {

// One axis of the image and the border_table for the samples beyond its ends.
struct AxisMap {
    const int* table = nullptr;  // device memory; see border_table()
    int length = 0;              // pixels
    int before = 0;              // coordinates -before .. length + after - 1 are defined
    int after = 0;
};

struct ConvImages {
    const std::byte* src = nullptr;
    std::byte* dst = nullptr;
    int src_pitch = 0;  // bytes, may be negative; 32 bits make a row address one instruction
    int dst_pitch = 0;
    AxisMap x;
    AxisMap y;
    std::uint32_t border_word = 0;  // the constant border's sample, repeated to fill 32 bits
    float max_value = 255.0F;
    float scale[4] = {1, 1, 1, 1};  // per channel
    float bias[4] = {0, 0, 0, 0};
};

}  // namespace weft
