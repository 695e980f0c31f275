// Rows of an image in f32 with their border filled in, for CPU kernels that cannot do it
// themselves.
#pragma once

#include <vector>

#include <opencv2/core.hpp>

#include "kernels/conv_problem.h"

namespace weft {

// Makes strips for one problem. Thread-safe: the strip's memory is the caller's.
class StripPadder {
 public:
    explicit StripPadder(const ConvProblem& problem);

    // Fills `strip` (rows + taps height - 1 by width + taps width - 1, f32, the image's channels)
    // so that the taps of output pixel (x, first_row + r) cover strip rows r… and columns x… .
    void fill(const ImageView& image, int first_row, const cv::Mat& strip) const;

 private:
    void convert_rows(const ImageView& image, int image_row, const cv::Mat& rows) const;
    void pad_sides(float* row) const;

    int width_, height_, channels_;
    int taps_height_, left_, top_;
    Border border_y_;
    float border_value_;
    std::vector<int> left_source_, right_source_;  // image columns that fill the padding
};

}  // namespace weft
