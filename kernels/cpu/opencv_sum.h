// One tap set's sums by OpenCV, without the traps of its entry points.
#pragma once

#include <vector>

#include <opencv2/core.hpp>

#include "filters/taps.h"

namespace weft {

// Correlates padded images of floats or, where those are too coarse (rounding.h), doubles with one
// tap set.
//
// Factored taps go through cv::sepFilter2D when that is exact or within the same bound (see
// prefers_factors) and cheaper; all others through cv::filter2D in blocks below the area from
// which it would switch to a DFT, whose rounding makes integer sums inexact. Both read all they
// need from inside the padded image, so OpenCV's own border code never runs.
//
// Floats are exact for integer taps while Σ|w| · max < 2^24; otherwise within γ_n · Σ|w x|, n =
// taps, or row + column factors.
class OpencvSum {
 public:
    // `depth`: CV_32F or CV_64F, for all images.
    OpencvSum(const Taps& taps, int depth);

    // sums(y, x) = Σ w(j, i) · padded(y + j, x + i). `padded` is at least rows + height - 1 by
    // width + taps width - 1; `sums` is rows × width of its type, and so is `scratch`, which may be
    // empty unless needs_scratch(). Thread-safe.
    void apply(const cv::Mat& padded, const cv::Mat& sums, const cv::Mat& scratch) const;

    bool factored() const { return !row_.empty(); }
    bool needs_scratch() const { return blocks_.size() > 1; }

 private:
    struct Block {
        cv::Point offset;  // its first tap among the taps
        cv::Mat weights;
    };

    void cut_into_blocks(const Taps& taps);

    int depth_;
    cv::Mat row_, column_;
    std::vector<Block> blocks_;
};

// True when two passes cost less than one and keep the contract: factors of integer taps must be
// integers themselves.
bool prefers_factors(const Taps& taps);

}  // namespace weft
