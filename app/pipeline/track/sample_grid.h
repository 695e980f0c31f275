// Samples of a gray picture on a grid that may be turned and scaled.
#pragma once

#include "app/pipeline/track/gray_pyramid.h"

namespace weft {

// The value at (x, y), which must be at least one pixel away from the right and the lower edge.
inline float bilinear(const GrayImage& image, float x, float y) {
    const int left = static_cast<int>(x);
    const int top = static_cast<int>(y);
    const float fx = x - static_cast<float>(left);
    const float fy = y - static_cast<float>(top);
    const std::uint8_t* above = image.row(top) + left;
    const std::uint8_t* below = above + image.width;
    const float a = static_cast<float>(above[0]) +
                    fx * static_cast<float>(static_cast<int>(above[1]) - above[0]);
    const float b = static_cast<float>(below[0]) +
                    fx * static_cast<float>(static_cast<int>(below[1]) - below[0]);
    return a + fy * (b - a);
}

// The places of a template's samples on a level of the pyramid.
struct SampleGrid {
    const GrayImage* image;
    float left, top;           // the place where the samples begin
    float across_x, across_y;  // from one column to the next
    float down_x, down_y;      // from one row to the next
    float limit_x, limit_y;

    // Calls take(column, sample) for the samples of a row that are in the picture.
    template <class Take>
    void each(int row, int columns, const Take& take) const {
        const float row_x = left + static_cast<float>(row) * down_x;
        const float row_y = top + static_cast<float>(row) * down_y;
        for (int column = 0; column < columns; ++column) {
            const float x = row_x + static_cast<float>(column) * across_x;
            const float y = row_y + static_cast<float>(column) * across_y;
            if (x >= 0 && y >= 0 && x < limit_x && y < limit_y)
                take(column, bilinear(*image, x, y));
        }
    }
};

struct GridShape {
    double across = 1;  // the distance from one column to the next, in pixels of the picture
    double down = 1;    // and from one row to the next
    double angle = 0;   // in radians, clockwise
    int columns = 1;
    int rows = 1;
};

// A grid around the point (x, y), on the level of the pyramid whose pixels fit its distances best.
SampleGrid grid_around(const GrayPyramid& frame, double x, double y, const GridShape& shape);

}  // namespace weft
