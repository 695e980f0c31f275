#include "app/viewer/view/ssim.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/with_sample_type.h"

namespace weft {
namespace {

constexpr int kBlock = 4;  // a window is two by two blocks
constexpr double kSamples = 4.0 * kBlock * kBlock;

// Over the samples of both pictures. Doubles hold the sums of integers exactly.
struct Sums {
    double want = 0;
    double got = 0;
    double squares = 0;  // of both
    double products = 0;

    Sums& operator+=(const Sums& other) {
        want += other.want;
        got += other.got;
        squares += other.squares;
        products += other.products;
        return *this;
    }
};

template <class Sample>
void add_row(const Sample* want, const Sample* got, std::size_t channels,
             std::vector<Sums>& blocks) {
    for (Sums& block : blocks)
        for (int x = 0; x < kBlock; ++x, want += channels, got += channels) {
            const auto a = static_cast<double>(*want);
            const auto b = static_cast<double>(*got);
            block += {a, b, a * a + b * b, a * b};
        }
}

// The sums of a row of blocks.
template <class Sample>
std::vector<Sums> block_row(const ImageView& want, const ImageView& got, std::size_t channel,
                            int row) {
    std::vector<Sums> blocks(static_cast<std::size_t>(want.width / kBlock));
    for (int y = row * kBlock; y < (row + 1) * kBlock; ++y)
        add_row(reinterpret_cast<const Sample*>(want.row(y)) + channel,
                reinterpret_cast<const Sample*>(got.row(y)) + channel,
                static_cast<std::size_t>(want.channels), blocks);
    return blocks;
}

double ssim_of(const Sums& window, double max_value) {
    const double c1 = std::pow(0.01 * max_value, 2) * kSamples;
    const double c2 = std::pow(0.03 * max_value, 2) * kSamples * (kSamples - 1);
    const double means = window.want * window.got;
    const double squared_means = window.want * window.want + window.got * window.got;
    const double variances = window.squares * kSamples - squared_means;
    const double covariance = window.products * kSamples - means;
    return (2 * means + c1) * (2 * covariance + c2) / ((squared_means + c1) * (variances + c2));
}

template <class Sample>
double mean_of(const ImageView& want, const ImageView& got, std::size_t channel, double max_value) {
    double sum = 0;
    double count = 0;
    for (int row = 0; row + 1 < want.height / kBlock; ++row) {
        const std::vector<Sums> upper = block_row<Sample>(want, got, channel, row);
        const std::vector<Sums> lower = block_row<Sample>(want, got, channel, row + 1);
        for (std::size_t k = 0; k + 1 < upper.size(); ++k, ++count) {
            Sums window = upper[k];
            window += upper[k + 1];
            window += lower[k];
            window += lower[k + 1];
            sum += ssim_of(window, max_value);
        }
    }
    return sum / count;
}

}  // namespace

std::optional<double> mean_ssim(const ImageView& want, const ImageView& got, std::size_t channel,
                                double max_value) {
    const double mean = with_sample_type(want.type, [&](auto sample) {
        return mean_of<decltype(sample)>(want, got, channel, max_value);
    });
    return std::isnan(mean) ? std::nullopt : std::optional(mean);  // no window: 0 / 0
}

}  // namespace weft
