#include "app/pipeline/track/camera_cut.h"

#include <algorithm>

#include "app/pipeline/track/correlation.h"

namespace weft {
namespace {

// The correlation of two thumbnails where the second is shifted.
double shifted_correlation(const GrayImage& a, const GrayImage& b, int dx, int dy) {
    CorrelationSums sums;
    for (int y = std::max(0, -dy); y < std::min(a.height, a.height - dy); ++y)
        for (int x = std::max(0, -dx); x < std::min(a.width, a.width - dx); ++x)
            sums.add(1, a.row(y)[x], b.row(y + dy)[x + dx]);
    return sums.correlation();
}

}  // namespace

const GrayImage& thumbnail_of(const GrayPyramid& frame) {
    constexpr int kWidth = 48;
    int level = frame.finest();
    while (level < frame.coarsest() && frame.level(level).width > kWidth) ++level;
    return frame.level(level);
}

bool has_contrast(const GrayImage& thumbnail) {
    constexpr int kLevels = 8;
    const auto [least, most] = std::ranges::minmax(thumbnail.samples);
    return most - least >= kLevels;
}

bool is_cut(const GrayImage& before, const GrayImage& now) {
    constexpr double kAlike = 0.5;
    const int reach = now.width / 8;
    double best = -1;
    for (int dy = -reach; dy <= reach; ++dy)
        for (int dx = -reach; dx <= reach; ++dx)
            best = std::max(best, shifted_correlation(before, now, dx, dy));
    return best < kAlike;
}

}  // namespace weft
