#include "app/viewer/view/false_colour.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <vector>

#include "app/media/picture/frame.h"
#include "app/media/picture/pixel_traits.h"
#include "app/viewer/view/colour_matrix.h"
#include "filters/planes.h"
#include "kernels/with_sample_type.h"

namespace weft {
namespace {

using Rgb = std::array<double, 3>;

// y, u, v or r, g, b as samples, and alpha.
using Pixel = std::array<double, 4>;
using Row = std::vector<Pixel>;

// One component of a frame.
struct Channel {
    ImageView plane;
    std::size_t index = 0;                // among the plane's channels
    std::size_t coordinate = 0;           // in a Pixel
    int log2_width = 0, log2_height = 0;  // pixels for each sample
};

std::vector<Channel> channels_of(const AVFrame& frame, const FrameInfo& info) {
    const PixelTraits pixel = pixel_traits(static_cast<AVPixelFormat>(frame.format));
    const PlaneViews planes = plane_views(frame);
    std::vector<Channel> all;
    for (std::size_t p = 0; p < planes.size(); ++p)
        for (std::size_t c = 0; c < info.planes[p].components.size(); ++c) {
            const Component component = info.planes[p].components[c];
            const bool chroma = is_chroma(component);
            all.push_back({planes[p], c, component_number(component),
                           chroma ? pixel.log2_chroma_w : 0, chroma ? pixel.log2_chroma_h : 0});
        }
    return all;
}

template <class Sample>
Sample& sample_at(const Channel& channel, int x, int y) {
    const auto channels = static_cast<std::size_t>(channel.plane.channels);
    return reinterpret_cast<Sample*>(
        channel.plane.row(y))[static_cast<std::size_t>(x) * channels + channel.index];
}

Rgb mixed(const Rgb& from, const Rgb& to, double part) {
    const double at = std::clamp(part, 0.0, 1.0);
    Rgb result;
    for (std::size_t k = 0; k < 3; ++k) result[k] = from[k] + (to[k] - from[k]) * at;
    return result;
}

// Black, violet, orange, pale yellow.
Rgb heat(double value) {
    const Rgb low = mixed({0, 0, 0.02}, {0.45, 0.11, 0.43}, value * 3);
    const Rgb middle = mixed(low, {0.93, 0.41, 0.15}, value * 3 - 1);
    return mixed(middle, {0.99, 1, 0.64}, value * 3 - 2);
}

using Matrix = std::array<double, 9>;  // row-major

Matrix inverse(const Matrix& m) {
    const auto minor = [&](std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
        return m[a] * m[d] - m[b] * m[c];
    };
    const Matrix adjoint{minor(4, 5, 7, 8), minor(2, 1, 8, 7), minor(1, 2, 4, 5),
                         minor(5, 3, 8, 6), minor(0, 2, 6, 8), minor(2, 0, 5, 3),
                         minor(3, 4, 6, 7), minor(1, 0, 7, 6), minor(0, 1, 3, 4)};
    const double determinant = m[0] * adjoint[0] + m[1] * adjoint[3] + m[2] * adjoint[6];
    Matrix result;
    for (std::size_t k = 0; k < 9; ++k) result[k] = adjoint[k] / determinant;
    return result;
}

double product(const Matrix& m, std::size_t row, const double* column) {
    return m[3 * row] * column[0] + m[3 * row + 1] * column[1] + m[3 * row + 2] * column[2];
}

// Differences of samples to the colours that show them.
class Colours {
 public:
    Colours(const FrameInfo& info, double gain)
        : to_rgb_(to_rgb(info)),
          back_(inverse(to_rgb_.matrix)),
          max_(info.max_value()),
          gain_(gain) {}

    Pixel of(const Pixel& difference) const {
        double most = 0;
        for (std::size_t k = 0; k < 3; ++k)
            most = std::max(most, std::abs(product(to_rgb_.matrix, k, difference.data())));
        const Rgb colour = heat(gain_ * most / max_);
        Pixel result{};
        for (std::size_t k = 0; k < 3; ++k)
            result[k] = (product(back_, k, colour.data()) + to_rgb_.offset[k]) * max_;
        result[3] = max_;
        return result;
    }
    double max() const { return max_; }

 private:
    ColourTransform to_rgb_;
    Matrix back_;
    double max_;
    double gain_;
};

template <class Sample>
void subtract(const Channel& left, const Channel& right, int y, Row& row) {
    for (std::size_t x = 0; x < row.size(); ++x) {
        const int at = static_cast<int>(x) >> left.log2_width;
        row[x][left.coordinate] = static_cast<double>(sample_at<Sample>(right, at, y)) -
                                  static_cast<double>(sample_at<Sample>(left, at, y));
    }
}

template <class Sample>
Sample rounded(double value, double max) {
    if constexpr (std::is_floating_point_v<Sample>) return static_cast<Sample>(value);
    const double half_more = std::clamp(value, 0.0, max) + 0.5;  // not negative: truncating rounds
    return static_cast<Sample>(half_more);
}

// The mean of the pixels of the sample at column `x` and, in the block, line `top`.
double mean_of(const std::vector<Row>& block, const Channel& channel, int x, std::size_t top) {
    const std::size_t left = static_cast<std::size_t>(x) << channel.log2_width;
    const std::size_t right =
        std::min(left + (std::size_t{1} << channel.log2_width), block[0].size());
    const std::size_t bottom =
        std::min(top + (std::size_t{1} << channel.log2_height), block.size());
    double sum = 0;
    for (std::size_t y = top; y < bottom; ++y)
        for (std::size_t k = left; k < right; ++k) sum += block[y][k][channel.coordinate];
    return sum / static_cast<double>((bottom - top) * (right - left));
}

// The samples of the rows from `top` on that `block` covers.
template <class Sample>
void write(const Channel& channel, int top, const std::vector<Row>& block, double max) {
    for (std::size_t y = 0; y < block.size(); y += std::size_t{1} << channel.log2_height) {
        const int row = (top + static_cast<int>(y)) >> channel.log2_height;
        for (int x = 0; x < channel.plane.width; ++x)
            sample_at<Sample>(channel, x, row) =
                rounded<Sample>(mean_of(block, channel, x, y), max);
    }
}

}  // namespace

void paint_false_colours(double gain, const AVFrame& left, const AVFrame& right, AVFrame& out) {
    const FrameInfo info = frame_info(right, 0);
    const Colours colours(info, gain);
    const std::vector<Channel> from = channels_of(left, info);
    const std::vector<Channel> to = channels_of(right, info);
    const std::vector<Channel> made = channels_of(out, info);
    const int step = 1 << pixel_traits(static_cast<AVPixelFormat>(out.format)).log2_chroma_h;
    with_sample_type(from[0].plane.type, [&](auto sample) {
        using Sample = decltype(sample);
        for (int top = 0; top < out.height; top += step) {
            std::vector<Row> block(static_cast<std::size_t>(std::min(step, out.height - top)),
                                   Row(static_cast<std::size_t>(out.width)));
            for (std::size_t y = 0; y < block.size(); ++y) {
                for (std::size_t k = 0; k < from.size(); ++k)
                    subtract<Sample>(from[k], to[k],
                                     (top + static_cast<int>(y)) >> from[k].log2_height, block[y]);
                for (Pixel& pixel : block[y]) pixel = colours.of(pixel);
            }
            for (const Channel& channel : made) write<Sample>(channel, top, block, colours.max());
        }
    });
}

}  // namespace weft
