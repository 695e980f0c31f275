#include "kernels/pixels/image_difference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/with_sample_type.h"

namespace weft {
namespace {

double distance(float want, float got) {
    if (want == got || (std::isnan(want) && std::isnan(got))) return 0;
    const double apart = std::fabs(static_cast<double>(want) - static_cast<double>(got));
    return std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart;
}

double distance(int want, int got) {
    return std::abs(want - got);
}

template <class Sample>
void add_row(const Sample* want, const Sample* got, const ImageView& shape, ImageDifference& sum) {
    for (int x = 0; x < shape.width; ++x) {
        double largest = 0;
        for (int c = 0; c < shape.channels; ++c)
            largest = std::max(largest, distance(*want++, *got++));
        sum.largest = std::max(sum.largest, largest);
        sum.differing += largest > 0 ? 1 : 0;
    }
}

template <class Sample>
void add_image(const ImageView& want, const ImageView& got, ImageDifference& sum) {
    for (int y = 0; y < want.height; ++y) {
        if (std::memcmp(want.row(y), got.row(y), want.row_bytes()) == 0) continue;
        add_row(reinterpret_cast<const Sample*>(want.row(y)),
                reinterpret_cast<const Sample*>(got.row(y)), want, sum);
    }
}

}  // namespace

void ImageDifference::add(const ImageView& want, const ImageView& got) {
    pixels += static_cast<std::int64_t>(want.width) * want.height;
    with_sample_type(want.type,
                     [&](auto sample) { add_image<decltype(sample)>(want, got, *this); });
}

void ImageDifference::add(const ImageDifference& other) {
    largest = std::max(largest, other.largest);
    pixels += other.pixels;
    differing += other.differing;
}

}  // namespace weft
