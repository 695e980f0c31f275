#include "kernels/cpu/opencv_sum.h"

#include <algorithm>

#include <opencv2/core/utility.hpp>
#include <opencv2/imgproc.hpp>

#include "kernels/conv_problem.h"

namespace weft {

namespace {

// cv::filter2D uses a DFT from this area on: f32 to f32 on processors with SSE3, and otherwise.
int dft_area(int depth) {
    static const int of_floats = cv::checkHardwareSupport(CV_CPU_SSE3) ? 130 : 50;
    return depth == CV_32F ? of_floats : 50;
}

// The smallest rectangle that holds every weight that is not zero; one tap when all are.
cv::Rect used_part(const Taps& taps) {
    int left = taps.width, right = -1, top = taps.height, bottom = -1;
    for (int j = 0; j < taps.height; ++j) {
        for (int i = 0; i < taps.width; ++i) {
            if (taps.weights[static_cast<std::size_t>(j) * taps.width + i] == 0.0F) continue;
            left = std::min(left, i);
            right = std::max(right, i);
            top = std::min(top, j);
            bottom = std::max(bottom, j);
        }
    }
    if (right < 0) return {0, 0, 1, 1};
    return {left, top, right - left + 1, bottom - top + 1};
}

cv::Mat copy_of(const std::vector<float>& values) {
    return cv::Mat(values, /*copyData=*/true);
}

}  // namespace

bool prefers_factors(const Taps& taps) {
    if (!taps.dense()) return true;
    if (!factors_keep_exactness(taps)) return false;
    // Measured at 1280×720 f32 on AVX-512: filter2D 0.032 ms a tap; sepFilter2D 0.05 (symmetric)
    // to 0.08 ms a factor. 5×5 and larger gain, 3×3 loses when it is not symmetric.
    return taps.width * taps.height > 2 * (taps.width + taps.height);
}

OpencvSum::OpencvSum(const Taps& taps, int depth) : depth_(depth) {
    if (prefers_factors(taps)) {
        row_ = copy_of(taps.row);
        column_ = copy_of(taps.column);
    } else {
        cut_into_blocks(taps);
    }
}

void OpencvSum::cut_into_blocks(const Taps& taps) {
    cv::Mat all = copy_of(taps.weights).reshape(1, taps.height);
    const cv::Rect used = used_part(taps);
    const int area = dft_area(depth_);
    const int block_height = std::max(1, (area - 1) / used.width);
    static_assert(Taps::kMaxDense > 49 && Taps::kMaxDense < 2 * 49, "a row needs two blocks");
    const int block_width = used.width < area ? used.width : (used.width + 1) / 2;
    for (int y = 0; y < used.height; y += block_height) {
        for (int x = 0; x < used.width; x += block_width) {
            const cv::Rect part(used.x + x, used.y + y, std::min(block_width, used.width - x),
                                std::min(block_height, used.height - y));
            blocks_.push_back({part.tl(), all(part).clone()});
        }
    }
}

void OpencvSum::apply(const cv::Mat& padded, const cv::Mat& sums, const cv::Mat& scratch) const {
    // A const cv::Mat as output: OpenCV throws where it would otherwise allocate another.
    const cv::Size size = sums.size();
    if (factored()) {
        // sepFilter2D is fastest when it sees that factors are symmetric about their centre.
        const cv::Point centre(row_.rows / 2, column_.rows / 2);
        cv::sepFilter2D(padded(cv::Rect(centre, size)), sums, depth_, row_, column_, centre);
        return;
    }
    for (const Block& block : blocks_) {
        const bool first = &block == blocks_.data();
        const cv::Mat part = padded(cv::Rect(block.offset, size));
        cv::filter2D(part, first ? sums : scratch, depth_, block.weights, cv::Point(0, 0));
        if (!first) cv::add(sums, scratch, sums);
    }
}

}  // namespace weft
