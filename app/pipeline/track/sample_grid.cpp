#include "app/pipeline/track/sample_grid.h"

#include <cmath>

namespace weft {

SampleGrid grid_around(const GrayPyramid& frame, double x, double y, const GridShape& shape) {
    const double spacing = std::sqrt(shape.across * shape.down);
    const int level = frame.nearest_level(static_cast<int>(std::lround(std::log2(spacing))));
    const double unit = std::exp2(-level);
    const double across_x = std::cos(shape.angle) * shape.across * unit;
    const double across_y = std::sin(shape.angle) * shape.across * unit;
    const double down_x = -std::sin(shape.angle) * shape.down * unit;
    const double down_y = std::cos(shape.angle) * shape.down * unit;
    const double right = (shape.columns - 1) / 2.0;
    const double below = (shape.rows - 1) / 2.0;
    const GrayImage& image = frame.level(level);
    return {&image,
            static_cast<float>(x * unit - 0.5 - right * across_x - below * down_x),
            static_cast<float>(y * unit - 0.5 - right * across_y - below * down_y),
            static_cast<float>(across_x),
            static_cast<float>(across_y),
            static_cast<float>(down_x),
            static_cast<float>(down_y),
            static_cast<float>(image.width - 1),
            static_cast<float>(image.height - 1)};
}

}  // namespace weft
