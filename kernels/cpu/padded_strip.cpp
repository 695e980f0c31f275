#include "kernels/cpu/padded_strip.h"

#include <algorithm>

#include "kernels/common/conv_layout.h"

namespace weft {

namespace {

int opencv_depth(PixelType type) {
    switch (type) {
        case PixelType::u8:
            return CV_8U;
        case PixelType::u16:
            return CV_16U;
        case PixelType::f32:
            return CV_32F;
    }
    return CV_8U;
}

// Converts image rows first… to f32. OpenCV knows no negative pitch: such rows go one by one.
void convert_block(const ImageView& image, int first, int count, const cv::Mat& out) {
    const int type = CV_MAKETYPE(opencv_depth(image.type), image.channels);
    const bool as_block = image.pitch_bytes >= static_cast<std::ptrdiff_t>(image.row_bytes());
    if (as_block) {
        const cv::Mat in(count, image.width, type, image.row(first),
                         static_cast<std::size_t>(image.pitch_bytes));
        in.convertTo(out, CV_32F);
        return;
    }
    for (int r = 0; r < count; ++r) {
        cv::Mat row = out.row(r);
        cv::Mat(1, image.width, type, image.row(first + r)).convertTo(row, CV_32F);
    }
}

}  // namespace

StripPadder::StripPadder(const ConvProblem& problem)
    : width_(problem.width),
      height_(problem.height),
      channels_(problem.channels),
      taps_height_(problem.taps().height),
      left_(problem.taps().anchor_x),
      top_(problem.taps().anchor_y),
      border_y_(problem.border.y),
      border_value_(problem.border_value) {
    const int right = problem.taps().width - 1 - left_;
    for (int i = 0; i < left_; ++i)
        left_source_.push_back(border_source(i - left_, width_, problem.border.x));
    for (int i = 0; i < right; ++i)
        right_source_.push_back(border_source(width_ + i, width_, problem.border.x));
}

void StripPadder::fill(const ImageView& image, int first_row, const cv::Mat& strip) const {
    const int begin = first_row - top_;  // image row of the strip's first, may be negative
    const int inside_begin = std::clamp(begin, 0, height_);
    const int inside_end = std::clamp(begin + strip.rows, inside_begin, height_);
    if (inside_end > inside_begin)
        convert_rows(image, inside_begin, strip.rowRange(inside_begin - begin, inside_end - begin));
    for (int r = 0; r < strip.rows; ++r) {
        const int y = begin + r;
        if (y >= inside_begin && y < inside_end) continue;
        const int source = border_source(y, height_, border_y_);
        if (source < 0)
            strip.row(r).setTo(cv::Scalar::all(border_value_));
        else
            convert_rows(image, source, strip.row(r));
    }
}

void StripPadder::convert_rows(const ImageView& image, int image_row, const cv::Mat& rows) const {
    convert_block(image, image_row, rows.rows, rows.colRange(left_, left_ + width_));
    cv::Mat writable = rows;  // the same pixels
    for (int r = 0; r < rows.rows; ++r) pad_sides(writable.ptr<float>(r));
}

void StripPadder::pad_sides(float* row) const {
    const float* inside = row + static_cast<std::ptrdiff_t>(left_) * channels_;
    const auto put = [&](float* out, int source) {
        for (int c = 0; c < channels_; ++c)
            out[c] = source < 0 ? border_value_ : inside[source * channels_ + c];
    };
    for (std::size_t i = 0; i < left_source_.size(); ++i) put(row + i * channels_, left_source_[i]);
    float* right = row + static_cast<std::ptrdiff_t>(left_ + width_) * channels_;
    for (std::size_t i = 0; i < right_source_.size(); ++i)
        put(right + i * channels_, right_source_[i]);
}

}  // namespace weft
