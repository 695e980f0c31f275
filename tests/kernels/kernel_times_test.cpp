// The times that kernels estimate against those that weft bench measured on an H100.
#include <array>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/planner.h"
#include "tests/support/gpu_table.h"

namespace weft::test {

namespace {

// A series of the results and its taps, one case for each size.
struct Series {
    std::string_view name;
    PixelType type;
    int channels;
    float max_value;
    enum { dense, gaussian, box } taps;
};

constexpr std::array kSeries = {
    Series{"u8 gray", PixelType::u8, 1, 255, Series::dense},
    Series{"f32 gray", PixelType::f32, 1, 255, Series::dense},
    Series{"u16 gray", PixelType::u16, 1, 65535, Series::dense},
    Series{"10-bit gray", PixelType::u16, 1, 1023, Series::dense},
    Series{"RGB24", PixelType::u8, 3, 255, Series::dense},
    Series{"u8 RGBA", PixelType::u8, 4, 255, Series::dense},
    Series{"f32 RGBA", PixelType::f32, 4, 255, Series::dense},
    Series{"u8 Gaussian", PixelType::u8, 1, 255, Series::gaussian},
    Series{"f32 Gaussian", PixelType::f32, 1, 255, Series::gaussian},
    Series{"u16 Gaussian", PixelType::u16, 1, 65535, Series::gaussian},
    Series{"10-bit Gaussian", PixelType::u16, 1, 1023, Series::gaussian},
    Series{"RGB48 Gaussian", PixelType::u16, 3, 65535, Series::gaussian},
    Series{"RGBA64 Gaussian", PixelType::u16, 4, 65535, Series::gaussian},
    Series{"RGB24 Gaussian", PixelType::u8, 3, 255, Series::gaussian},
    Series{"RGBA Gaussian", PixelType::u8, 4, 255, Series::gaussian},
    Series{"f32 RGBA Gaussian", PixelType::f32, 4, 255, Series::gaussian},
    Series{"u8 box", PixelType::u8, 1, 255, Series::box},
    Series{"RGBA box", PixelType::u8, 4, 255, Series::box},
    Series{"u16 box", PixelType::u16, 1, 65535, Series::box},
    Series{"f32 box", PixelType::f32, 1, 255, Series::box},
};

// Any fractions will do: the values of the taps do not change a time.
Taps taps_of(const Series& series, int size) {
    if (series.taps == Series::box) {
        const std::vector<float> ones(static_cast<std::size_t>(size), 1.0F);
        return separable_taps(ones, ones);
    }
    std::vector<float> bell;
    for (int k = 0; k < size; ++k)
        bell.push_back((1.1F + std::sin(static_cast<float>(k))) / static_cast<float>(2 * size));
    if (series.taps == Series::gaussian) return separable_taps(bell, bell);
    std::vector<float> weights;
    for (int y = 0; y < size; ++y)
        for (int x = 0; x < size; ++x)
            weights.push_back((1.1F + std::sin(static_cast<float>(x * x + 3 * y))) /
                              static_cast<float>(2 * size * size));
    return dense_taps(size, size, weights);
}

ConvProblem problem_of(const Series& series, int size) {
    ConvProblem p;
    p.width = 3840;
    p.height = 2160;
    p.type = series.type;
    p.channels = series.channels;
    p.max_value = series.max_value;
    p.conv = {{.taps = {taps_of(series, size)}, .scale = 1.0F, .bias = 0.0F}};
    if (series.taps == Series::box) p.conv.front().scale = 1.0F / static_cast<float>(size * size);
    return p;
}

std::vector<std::string> fields_of(const std::string& line) {
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
    return fields;
}

const Series* find_series(std::string_view name) {
    for (const Series& series : kSeries)
        if (series.name == name) return &series;
    return nullptr;
}

}  // namespace

// The planner compares estimates, so an error that all kernels of a problem share would not matter.
TEST(KernelsTimes, AreCloseToTheMeasuredOnes) {
    if (const std::string reason =
            why_cannot(*find_kernel("direct"), problem_of(kSeries[0], 3), h100());
        !reason.empty())
        GTEST_SKIP() << reason;
    std::ifstream file(WEFT_BENCH_RESULTS "/h100-image.csv");
    std::vector<std::string> names;
    int compared = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with('#')) continue;
        const std::vector<std::string> fields = fields_of(line);
        if (names.empty()) {
            names = fields;
            continue;
        }
        const Series* const series = find_series(fields[1]);
        if (series == nullptr) continue;
        const ConvProblem p = problem_of(*series, std::stoi(fields[2]));
        for (std::size_t k = 6; k < fields.size(); ++k) {
            const ConvKernel* const kernel = find_kernel(names[k]);
            if (fields[k].empty() || kernel == nullptr || kernel->time == nullptr ||
                !why_cannot(*kernel, p, h100()).empty())
                continue;
            ++compared;
            EXPECT_THAT(kernel->time(p, h100()) * p.channels / std::stod(fields[k]),
                        testing::AllOf(testing::Ge(0.7), testing::Le(1.35)))
                << fields[0] << ", " << kernel->name << ": measured " << fields[k] << " µs";
        }
    }
    EXPECT_GT(compared, 200);
}

}  // namespace weft::test
