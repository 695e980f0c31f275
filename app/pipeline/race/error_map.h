// Where the pixels of a kernel differ from those of the reference.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/image_view.h"

namespace weft {

// The errors in one plane of a step, the first plane that the step convolves.
struct ErrorMap {
    // |kernel - reference|, in steps of a sample: 0, up to 1, up to 2, up to 4 and so on.
    static constexpr std::size_t kBins = 10;

    std::string kernel;
    int width = 0;
    int height = 0;
    double largest = 0;  // of any sample; infinite if only one of the two is NaN
    // For each pixel the largest difference of its samples: 0 for none, and 1 to 255 up to the
    // largest. Row by row, from the top.
    std::vector<std::uint8_t> levels;
    std::array<std::int64_t, kBins> pixels{};  // the last bin has all larger differences
};

// Of host images of one shape and type.
ErrorMap map_errors(const std::string& kernel, const ImageView& want, const ImageView& got);

}  // namespace weft
