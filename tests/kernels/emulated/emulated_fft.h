// The transforms of kernels/device/cufft.h on the CPU, by the definition.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <vector>

namespace weft::test {

// One tile in the layout of TileTransform, transformed in place.
class EmulatedTransform {
 public:
    EmulatedTransform(float* samples, int width, int height)
        : samples_(samples),
          width_(static_cast<std::size_t>(width)),
          height_(static_cast<std::size_t>(height)),
          numbers_(width_ * height_) {}

    void forward() {
        for (std::size_t y = 0; y < height_; ++y)
            for (std::size_t x = 0; x < width_; ++x)
                numbers_[y * width_ + x] = samples_[y * (width_ + 2) + x];
        transform(-1.0);
        for (std::size_t y = 0; y < height_; ++y) {
            for (std::size_t x = 0; x <= width_ / 2; ++x) {
                samples_[y * (width_ + 2) + 2 * x] =
                    static_cast<float>(numbers_[y * width_ + x].real());
                samples_[y * (width_ + 2) + 2 * x + 1] =
                    static_cast<float>(numbers_[y * width_ + x].imag());
            }
        }
    }

    void inverse() {
        for (std::size_t y = 0; y < height_; ++y) {
            for (std::size_t x = 0; x < width_; ++x) {
                const bool stored = x <= width_ / 2;
                const std::size_t row = stored ? y : (height_ - y) % height_;
                const float* const at =
                    samples_ + row * (width_ + 2) + 2 * (stored ? x : width_ - x);
                numbers_[y * width_ + x] = Complex(at[0], stored ? at[1] : -at[1]);
            }
        }
        transform(1.0);
        for (std::size_t y = 0; y < height_; ++y)
            for (std::size_t x = 0; x < width_; ++x)
                samples_[y * (width_ + 2) + x] =
                    static_cast<float>(numbers_[y * width_ + x].real());
    }

 private:
    using Complex = std::complex<double>;

    // Sums of `count` numbers that are `stride` apart, times e^(sign 2πi j k / count).
    static void transform_line(Complex* line, std::size_t count, std::size_t stride, double sign) {
        std::vector<Complex> turns(count);
        for (std::size_t k = 0; k < count; ++k)
            turns[k] = std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(k) /
                                           static_cast<double>(count));
        std::vector<Complex> out(count);
        for (std::size_t k = 0; k < count; ++k)
            for (std::size_t j = 0; j < count; ++j)
                if (line[j * stride] != Complex{})
                    out[k] += line[j * stride] * turns[j * k % count];
        for (std::size_t k = 0; k < count; ++k) line[k * stride] = out[k];
    }

    void transform(double sign) {
        for (std::size_t y = 0; y < height_; ++y)
            transform_line(numbers_.data() + y * width_, width_, 1, sign);
        for (std::size_t x = 0; x < width_; ++x)
            transform_line(numbers_.data() + x, height_, width_, sign);
    }

    float* samples_;
    std::size_t width_, height_;
    std::vector<Complex> numbers_;
};

}  // namespace weft::test
