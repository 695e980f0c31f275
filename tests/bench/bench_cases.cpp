#include "tests/bench/bench_cases.h"

#include <cmath>
#include <random>

#include <fmt/format.h>

namespace weft::bench {

namespace {

ConvProblem problem_4k(PixelType type, int channels, std::vector<Taps> taps) {
    ConvProblem p;
    p.width = 3840;
    p.height = 2160;
    p.channels = channels;
    p.type = type;
    p.max_value = type == PixelType::u16 ? 65535.0F : 255.0F;
    p.conv = {{.taps = std::move(taps), .scale = 1.0F, .bias = 0.0F}};
    return p;
}

// Both signs, sum near one: results use the range and do not saturate everywhere.
Taps random_taps(int size) {
    std::mt19937 random(static_cast<std::uint32_t>(size));
    std::uniform_real_distribution<float> weight(-0.5F, 1.5F);
    std::vector<float> w(static_cast<std::size_t>(size) * size);
    for (float& v : w) v = weight(random) * 2.0F / static_cast<float>(w.size());
    return dense_taps(size, size, w);
}

Taps gaussian_taps(int size) {
    std::vector<float> f(static_cast<std::size_t>(size));
    double sum = 0;
    for (int i = 0; i < size; ++i) {
        const double x = (i - size / 2) / (size / 6.0);
        sum += std::exp(-0.5 * x * x);
    }
    for (int i = 0; i < size; ++i) {
        const double x = (i - size / 2) / (size / 6.0);
        f[static_cast<std::size_t>(i)] = static_cast<float>(std::exp(-0.5 * x * x) / sum);
    }
    return separable_taps(f, f);
}

// Ones and a scale, as the filter gives it: exact sums.
ConvProblem box(int size) {
    const std::vector<float> ones(static_cast<std::size_t>(size), 1.0F);
    ConvProblem p = problem_4k(PixelType::u8, 1, {separable_taps(ones, ones)});
    p.conv.front().scale = 1.0F / static_cast<float>(size * size);
    return p;
}

ConvProblem sobel(PixelType type) {
    ConvProblem p = problem_4k(type, 1,
                               {dense_taps(3, 3, {-1, 0, 1, -2, 0, 2, -1, 0, 1}),
                                dense_taps(3, 3, {-1, -2, -1, 0, 0, 0, 1, 2, 1})});
    p.combine = Combine::magnitude;
    return p;
}

}  // namespace

std::vector<BenchCase> bench_cases() {
    std::vector<BenchCase> out;
    for (const int k : {3, 5, 7, 9, 11, 15, 31})
        out.push_back(
            {fmt::format("u8 gray {0}×{0}", k), problem_4k(PixelType::u8, 1, {random_taps(k)})});
    for (const int k : {3, 5, 7, 15})
        out.push_back(
            {fmt::format("f32 gray {0}×{0}", k), problem_4k(PixelType::f32, 1, {random_taps(k)})});
    out.push_back({"u16 gray 5×5", problem_4k(PixelType::u16, 1, {random_taps(5)})});
    out.push_back({"u8 RGBA 9×9", problem_4k(PixelType::u8, 4, {random_taps(9)})});
    out.push_back({"u8 Sobel magnitude", sobel(PixelType::u8)});
    for (const int k : {5, 15, 31, 101})
        out.push_back({fmt::format("u8 Gaussian {0}×{0}", k),
                       problem_4k(PixelType::u8, 1, {gaussian_taps(k)})});
    out.push_back({"RGBA Gaussian 9×9", problem_4k(PixelType::u8, 4, {gaussian_taps(9)})});
    for (const int k : {5, 15, 31}) out.push_back({fmt::format("u8 box {0}×{0}", k), box(k)});
    return out;
}

}  // namespace weft::bench
