#include "kernels/planner.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/device/gpu_rates.h"
#include "tests/support/gpu_table.h"

namespace weft {

namespace {

// Planning uses only these numbers and does not query the driver.
Device some_gpu() {
    Device gpu;
    gpu.ordinal = 0;
    gpu.name = "NVIDIA H200";
    gpu.multiprocessors = 132;
    gpu.compute_major = 9;
    return gpu;
}

ConvProblem problem_with(Taps taps) {
    ConvProblem p;
    p.width = 1920;
    p.height = 1080;
    p.conv = {{.taps = {std::move(taps)}}};
    return p;
}

// Not a box: the first weight is twice the others.
Taps taps_of(int side, float weight) {
    std::vector<float> weights(static_cast<std::size_t>(side) * side, weight);
    weights.front() *= 2;
    return dense_taps(side, side, weights);
}

// Fractions in the first and the last row, zeros elsewhere.
Taps two_rows(int side) {
    std::vector<float> weights(static_cast<std::size_t>(side) * side, 0.0F);
    for (int k = 0; k < side; ++k) {
        weights[static_cast<std::size_t>(k)] = 0.001F * static_cast<float>(k + 1);
        weights[weights.size() - 1 - static_cast<std::size_t>(k)] = 0.001F;
    }
    return dense_taps(side, side, weights);
}

// Every 20th tap is a fraction, the others are zero.
Taps every_20th(int side) {
    std::vector<float> weights(static_cast<std::size_t>(side) * side, 0.0F);
    for (std::size_t k = 0; k < weights.size(); k += 20)
        weights[k] = 0.001F * static_cast<float>(k % 7 + 1);
    return dense_taps(side, side, weights);
}

Taps ones(int side) {
    return taps_of(side, 1.0F);
}

std::vector<float> factors(int count) {
    std::vector<float> values(static_cast<std::size_t>(count), 0.1F);
    values.front() = 0.2F;
    return values;
}

Taps factored(int width, int height) {
    return separable_taps(factors(width), factors(height));
}

// Weights that sum to one, as a blur's do.
Taps blur(int side) {
    std::vector<float> values(static_cast<std::size_t>(side), 1.0F / static_cast<float>(side + 1));
    values.front() *= 2;
    return separable_taps(values, values);
}

Taps box(int side) {
    const std::vector<float> ones(static_cast<std::size_t>(side), 1.0F);
    return separable_taps(ones, ones);
}

std::string error_of(const ConvProblem& p, const Device& device, std::string_view forced) {
    try {
        plan(p, device, forced);
    } catch (const std::exception& e) {
        return e.what();
    }
    return "planned";
}

}  // namespace

TEST(KernelsPlanner, PicksOpencvOnTheCpu) {
    const Plan dense = plan(problem_with(ones(5)), cpu_device());
    EXPECT_EQ(dense.kernel->name, "opencv_cpu");
    EXPECT_EQ(dense.reason, "5×5 dense u8 on the CPU");
    const Plan wide = plan(problem_with(factored(101, 7)), cpu_device());
    EXPECT_EQ(wide.kernel->name, "opencv_cpu");
    EXPECT_EQ(wide.reason, "101×7 factored u8 on the CPU");
}

// The reason names OpenCV's method, not the storage of the taps.
TEST(KernelsPlanner, SaysHowTheCpuSums) {
    EXPECT_EQ(plan(problem_with(factored(13, 13)), cpu_device()).reason,
              "13×13 factored u8 on the CPU");
    EXPECT_EQ(plan(problem_with(factored(3, 3)), cpu_device()).reason, "3×3 dense u8 on the CPU");
    Taps fractional_factors = factored(13, 13);
    fractional_factors.weights = ones(13).weights;
    EXPECT_EQ(plan(problem_with(fractional_factors), cpu_device()).reason,
              "13×13 dense u8 on the CPU");
    ConvProblem both = problem_with(factored(13, 13));
    both.channels = 2;
    both.conv.push_back({.taps = {ones(13)}});
    EXPECT_EQ(plan(both, cpu_device()).reason, "13×13 partly factored u8 on the CPU");
}

TEST(KernelsPlanner, PicksByRuleOnAGpu) {
    const std::string reason =
        why_cannot(*find_kernel("direct"), problem_with(ones(3)), some_gpu());
    if (!reason.empty()) GTEST_SKIP() << reason;
    struct Row {
        Taps taps;
        std::string_view kernel, reason;
    };
    // Integer weights whose factors are fractions must not be computed by the factors.
    Taps fractional_factors = factored(21, 21);
    fractional_factors.weights = ones(21).weights;
    const Row rows[] = {
        {ones(5), "tensor_int8", "5×5 dense u8: bands of bytes on integer tensor cores"},
        {ones(15), "tensor_int8", "15×15 dense u8: bands of bytes on integer tensor cores"},
        {ones(63), "tensor_int8", "63×63 dense u8: bands of bytes on integer tensor cores"},
        {blur(5), "tensor_separable", "5×5 factored u8: two banded products on tensor cores"},
        {factored(15, 15), "tensor_separable",
         "15×15 factored u8: two banded products on tensor cores"},
        {box(5), "tensor_int8", "5×5 dense u8: bands of bytes on integer tensor cores"},
        {box(3), "tensor_int8", "3×3 dense u8: bands of bytes on integer tensor cores"},
        {box(103), "box_sum", "103×103 box u8: running sums"},
        {box(101), "tensor_separable", "101×101 factored u8: two banded products on tensor cores"},
        {box(15), "tensor_separable", "15×15 factored u8: two banded products on tensor cores"},
        {factored(101, 1), "tensor_separable",
         "101×1 factored u8: two banded products on tensor cores"},
        {fractional_factors, "tensor_int8",
         "21×21 dense u8: bands of bytes on integer tensor cores"},
        {two_rows(63), "sparse_direct", "63×63 u8: only the taps that are not zero"},
        {two_rows(31), "tensor_int8", "31×31 dense u8: bands of bytes on integer tensor cores"},
        {taps_of(4, 2049.0F), "column_row_reuse", "4×4 dense u8: columns and rows reused"},
    };
    for (const Row& row : rows) {
        const Plan chosen = plan(problem_with(row.taps), some_gpu());
        EXPECT_EQ(chosen.kernel->name, row.kernel);
        EXPECT_EQ(chosen.reason, row.reason);
    }
}

// Also by name: exactness is promised for whole numbers, whichever kernel computes them.
TEST(KernelsPlanner, RefusesFactorsThatLoseExactness) {
    Taps taps = factored(21, 21);
    taps.weights = ones(21).weights;
    const std::string built = why_cannot(*find_kernel("direct"), problem_with(ones(3)), some_gpu());
    EXPECT_THAT(
        error_of(problem_with(taps), some_gpu(), "direct_separable"),
        testing::EndsWith(built.empty() ? "would round what dense taps compute exactly" : built));
}

TEST(KernelsPlanner, KeepsWidePixelsInFp32) {
    const std::string reason =
        why_cannot(*find_kernel("direct"), problem_with(ones(3)), some_gpu());
    if (!reason.empty()) GTEST_SKIP() << reason;
    struct Row {
        int side;
        std::string_view kernel, reason;
    };
    for (const Row& row :
         {Row{5, "separable_reuse", "5×5 factored u16: 5 + 5 factors in two passes, unrolled"},
          Row{21, "separable_reuse", "21×21 factored u16: 21 + 21 factors in two passes, unrolled"},
          Row{4, "separable_reuse", "4×4 factored u16: 4 + 4 factors in two passes, unrolled"},
          Row{62, "separable_reuse", "62×62 factored u16: 62 + 62 factors in two passes, unrolled"},
          Row{66, "separable_reuse",
              "66×66 factored u16: 66 + 66 factors in two passes instead of 4356 taps"}}) {
        ConvProblem p = problem_with(blur(row.side));
        p.type = PixelType::u16;
        p.max_value = 65535.0F;
        const Plan chosen = plan(p, some_gpu());
        EXPECT_EQ(chosen.kernel->name, row.kernel);
        EXPECT_EQ(chosen.reason, row.reason);
    }
}

// Transforms spread a NaN over a tile, so fp32 images get them only on request.
TEST(KernelsPlanner, KeepsFp32ImagesOutOfTransforms) {
    ConvProblem p = problem_with(two_rows(31));
    p.type = PixelType::f32;
    const std::string built = why_cannot(*find_kernel("direct"), p, some_gpu());
    if (!built.empty()) GTEST_SKIP() << built;
    EXPECT_EQ(plan(p, some_gpu()).kernel->name, "sparse_direct");
    for (const int side : {31, 63}) {
        p.conv = {{.taps = {taps_of(side, 0.001F)}}};
        EXPECT_EQ(plan(p, some_gpu()).kernel->name, "tensor_f32");
    }
}

// Half precision holds samples of up to 12 bits, and two halves an fp32 number.
TEST(KernelsPlanner, TakesTensorCoresForMoreThan8Bits) {
    const std::string built = why_cannot(*find_kernel("direct"), problem_with(ones(3)), some_gpu());
    if (!built.empty()) GTEST_SKIP() << built;
    struct Row {
        PixelType type;
        float max_value;
        Taps taps;
        std::string_view kernel;
    };
    for (const Row& row : {Row{PixelType::u16, 1023, taps_of(5, 0.04F), "column_row_reuse"},
                           Row{PixelType::u16, 1023, taps_of(7, 0.02F), "tensor_dense"},
                           Row{PixelType::u16, 4095, ones(7), "tensor_dense"},
                           Row{PixelType::u16, 65535, taps_of(5, 0.04F), "column_row_reuse"},
                           Row{PixelType::u16, 1023, factored(15, 15), "separable_reuse"},
                           Row{PixelType::u16, 1023, factored(40, 40), "separable_reuse"},
                           Row{PixelType::u16, 1023, two_rows(31), "tensor_dense"},
                           Row{PixelType::f32, 1, taps_of(13, 0.01F), "column_row_reuse"},
                           Row{PixelType::f32, 1, taps_of(15, 0.01F), "tensor_f32"},
                           Row{PixelType::f32, 1, factored(15, 15), "separable_reuse"},
                           Row{PixelType::f32, 1, ones(15), "column_row_reuse"}}) {
        ConvProblem p = problem_with(row.taps);
        p.type = row.type;
        p.max_value = row.max_value;
        EXPECT_EQ(plan(p, some_gpu()).kernel->name, row.kernel)
            << name_of(row.type) << ' ' << row.max_value << ", " << row.taps.width;
    }
}

// Without cuFFT, the next row of the table that takes them is used.
TEST(KernelsPlanner, TransformsTheLargest8BitTaps) {
    ConvProblem p = problem_with(taps_of(63, 0.001F));
    const std::string built = why_cannot(*find_kernel("direct"), p, some_gpu());
    if (!built.empty()) GTEST_SKIP() << built;
    const bool found = why_cannot(*find_kernel("fft"), p, some_gpu()).empty();
    EXPECT_THAT(plan(p, some_gpu()).kernel->name, testing::StartsWith(found ? "fft" : "tensor_"));
    p.conv = {{.taps = {taps_of(55, 0.001F)}}};
    EXPECT_THAT(plan(p, some_gpu()).kernel->name, testing::StartsWith("tensor_"));
}

// The bands of two channels, filtered as one, have zeros between the taps; a list has none.
TEST(KernelsPlanner, WeighsZerosByTheChannels) {
    const std::string built = why_cannot(*find_kernel("direct"), problem_with(ones(3)), some_gpu());
    if (!built.empty()) GTEST_SKIP() << built;
    struct Row {
        int side, channels;
        std::string_view kernel;
    };
    for (const Row& row :
         {Row{15, 1, "tensor_int8"}, Row{21, 2, "tensor_int8"}, Row{29, 2, "sparse_direct"},
          Row{15, 3, "tensor_int8"}, Row{37, 3, "tensor_int8"}, Row{45, 3, "sparse_direct"},
          Row{9, 4, "tensor_int8"}, Row{37, 4, "tensor_int8"}, Row{45, 4, "sparse_direct"}}) {
        ConvProblem p = problem_with(two_rows(row.side));
        p.channels = row.channels;
        EXPECT_EQ(plan(p, some_gpu()).kernel->name, row.kernel)
            << row.side << "×" << row.side << ", " << row.channels << " channels";
    }
}

// Factors go through the banded products; those that they refuse through two passes, from the size
// where they are quicker.
TEST(KernelsPlanner, TakesFactorsWhereBandsAreSlower) {
    const std::string built = why_cannot(*find_kernel("direct"), problem_with(ones(3)), some_gpu());
    if (!built.empty()) GTEST_SKIP() << built;
    enum class Alpha : std::uint8_t { filtered, kept, scaled };
    struct Row {
        int side, channels;
        Alpha alpha;
        std::string_view kernel;
    };
    for (const Row& row :
         {Row{3, 1, Alpha::filtered, "column_row_reuse"},
          Row{5, 1, Alpha::filtered, "tensor_separable"},
          Row{113, 1, Alpha::filtered, "tensor_separable"},
          Row{115, 1, Alpha::filtered, "separable_reuse"},
          Row{49, 2, Alpha::filtered, "tensor_separable"},
          Row{15, 3, Alpha::filtered, "tensor_separable"},
          Row{3, 4, Alpha::filtered, "column_row_reuse"},
          Row{5, 4, Alpha::filtered, "tensor_separable"},
          Row{49, 4, Alpha::filtered, "tensor_separable"},
          Row{113, 4, Alpha::filtered, "tensor_separable"},
          Row{115, 4, Alpha::filtered, "separable_reuse"},
          Row{49, 4, Alpha::kept, "tensor_separable"}, Row{9, 4, Alpha::scaled, "tensor_dense"},
          Row{15, 4, Alpha::scaled, "separable_reuse"}}) {
        ConvProblem p = problem_with(blur(row.side));
        p.channels = row.channels;
        if (row.alpha != Alpha::filtered) {
            std::vector<float> one(static_cast<std::size_t>(row.side), 0.0F);
            one[one.size() / 2] = 1.0F;
            p.conv.assign(4, p.conv.front());
            p.conv.back().taps = {separable_taps(one, one)};
            if (row.alpha == Alpha::scaled) p.conv.back().scale = 0.5F;
        }
        EXPECT_EQ(plan(p, some_gpu()).kernel->name, row.kernel)
            << row.side << "×" << row.side << ", " << row.channels << " channels";
    }
}

TEST(KernelsPlanner, WeighsFloatingPointRgba) {
    const std::string built = why_cannot(*find_kernel("direct"), problem_with(ones(3)), some_gpu());
    if (!built.empty()) GTEST_SKIP() << built;
    struct Row {
        Taps taps;
        std::string_view kernel;
    };
    for (const Row& row : {Row{ones(3), "column_row_reuse"}, Row{ones(5), "column_row_reuse"},
                           Row{ones(7), "column_row_reuse"}, Row{ones(9), "column_row_reuse"},
                           Row{ones(8), "sparse_direct"}, Row{two_rows(9), "sparse_direct"},
                           Row{ones(11), "sparse_direct"}, Row{factored(3, 3), "separable_reuse"},
                           Row{factored(5, 5), "separable_reuse"}}) {
        ConvProblem p = problem_with(row.taps);
        p.channels = 4;
        p.type = PixelType::f32;
        EXPECT_EQ(plan(p, some_gpu()).kernel->name, row.kernel) << row.taps.width;
    }
}

// Only odd squares of fp32 stay in registers or in the ring; other taps have bands or lists.
TEST(KernelsPlanner, WeighsFp32ByTheShapeOfTheTaps) {
    const std::string built = why_cannot(*find_kernel("direct"), problem_with(ones(3)), some_gpu());
    if (!built.empty()) GTEST_SKIP() << built;
    struct Row {
        int width, height;
        std::string_view kernel;
    };
    for (const Row& row :
         {Row{5, 5, "column_row_reuse"}, Row{9, 9, "column_row_reuse"},
          Row{13, 13, "column_row_reuse"}, Row{15, 15, "tensor_f32"}, Row{4, 4, "sparse_direct"},
          Row{6, 6, "tensor_f32"}, Row{12, 12, "tensor_f32"}, Row{9, 5, "tensor_f32"},
          Row{3, 21, "sparse_direct"}}) {
        std::vector<float> weights(static_cast<std::size_t>(row.width) * row.height);
        for (std::size_t k = 0; k < weights.size(); ++k)
            weights[k] = 0.01F + 0.001F * static_cast<float>(k * k % 7);
        ConvProblem p = problem_with(dense_taps(row.width, row.height, weights));
        p.type = PixelType::f32;
        p.max_value = 1;
        EXPECT_EQ(plan(p, some_gpu()).kernel->name, row.kernel) << row.width << "×" << row.height;
    }
}

// Where random problems found that another kernel was 1.2 to 3 times as fast, on an H100.
TEST(KernelsPlanner, PlansWhatRandomProblemsFound) {
    const std::string built = why_cannot(*find_kernel("direct"), problem_with(ones(3)), some_gpu());
    if (!built.empty()) GTEST_SKIP() << built;
    const auto dense = [](int width, int height) {
        std::vector<float> weights(static_cast<std::size_t>(width) * height);
        for (std::size_t k = 0; k < weights.size(); ++k)
            weights[k] = 0.001F + 0.0001F * static_cast<float>(k * k % 7);
        return dense_taps(width, height, weights);
    };
    const auto box_of = [](int width, int height) {
        return separable_taps(std::vector<float>(static_cast<std::size_t>(width), 1.0F),
                              std::vector<float>(static_cast<std::size_t>(height), 1.0F));
    };
    struct Row {
        int width, height, channels;
        PixelType type;
        float max_value;
        Taps taps;
        std::string_view kernel;
    };
    constexpr PixelType kU8 = PixelType::u8, kU16 = PixelType::u16, kF32 = PixelType::f32;
    for (const Row& row : {
             Row{1920, 1080, 1, kU8, 255, dense(3, 3), "column_row_reuse"},
             Row{1920, 1080, 1, kU8, 255, box_of(3, 3), "tensor_int8"},
             Row{1280, 720, 4, kU8, 255, dense(3, 3), "tensor_int8"},
             Row{3840, 2160, 1, kU8, 255, dense(3, 3), "column_row_reuse"},
             Row{1280, 720, 1, kU8, 255, factored(7, 5), "tensor_separable"},
             Row{3840, 2160, 2, kU8, 255, factored(5, 5), "tensor_int8"},
             Row{2560, 1440, 1, kU8, 255, box_of(1, 13), "tensor_separable"},
             Row{640, 360, 1, kU16, 1023, dense(3, 7), "tensor_dense"},
             Row{640, 360, 1, kU16, 65535, box_of(4, 4), "separable_reuse"},
             Row{3840, 2160, 1, kU16, 1023, factored(1, 11), "separable_reuse"},
             Row{3840, 2160, 1, kU16, 1023, factored(31, 2), "tensor_dense"},
             Row{3840, 2160, 1, kU16, 1023, factored(50, 12), "tensor_dense"},
             Row{3840, 2160, 1, kU16, 1023, factored(49, 49), "separable_reuse"},
             Row{1920, 1080, 2, kU16, 65535, every_20th(11), "sparse_direct"},
             Row{3840, 2160, 2, kU16, 1023, box_of(5, 5), "separable_reuse"},
             Row{4000, 3000, 3, kU16, 1023, dense(3, 3), "column_row_reuse"},
             Row{1920, 1080, 3, kU16, 65535, dense(11, 11), "sparse_direct"},
             Row{1280, 720, 4, kU16, 1023, box_of(3, 3), "column_row_reuse"},
             Row{5184, 3456, 4, kU16, 65535, box_of(18, 18), "box_sum"},
             Row{1280, 720, 2, kF32, 1, factored(1, 24), "separable_reuse"},
             Row{1920, 1080, 2, kF32, 1, factored(7, 7), "column_row_reuse"},
             Row{4000, 3000, 2, kF32, 1, dense(11, 15), "tensor_f32"},
             Row{2560, 1440, 3, kF32, 1, every_20th(13), "sparse_direct"},
             Row{1280, 720, 4, kF32, 1, dense(7, 17), "sparse_direct"},
         }) {
        ConvProblem p = problem_with(row.taps);
        p.width = row.width;
        p.height = row.height;
        p.channels = row.channels;
        p.type = row.type;
        p.max_value = row.max_value;
        EXPECT_EQ(plan(p, some_gpu()).kernel->name, row.kernel) << describe(p);
    }
}

// A frame's tensor core products against the measured time of the kernel that needs none, or none
// of halves. A band of eight outputs has 8 · (⌈(width - 1) / 8⌉ + 1) products per tap row and
// sample; split halves have three of them, fractions as bytes two.
TEST(KernelsPlanner, WeighsTensorCoresByTheirRate) {
    const std::string built = why_cannot(*find_kernel("direct"), problem_with(ones(3)), some_gpu());
    if (!built.empty()) GTEST_SKIP() << built;
    struct Row {
        PixelType type;
        float max_value;
        Taps taps;
        double products;
        double GpuRates::*rate;
        double other_time;  // µs at 3840×2160 on an H100, of one channel
        std::string_view bands, other;
    };
    constexpr auto kHalves = &GpuRates::half_products;
    const Row rows[] = {
        {PixelType::f32, 1, taps_of(15, 0.01F), 15 * 3 * 24, kHalves, 77, "tensor_f32",
         "column_row_reuse"},
        {PixelType::f32, 1, taps_of(31, 0.01F), 31 * 3 * 40, kHalves, 564, "tensor_f32",
         "column_row_reuse"},
        {PixelType::u8, 255, every_20th(31), 31 * 2 * 40, &GpuRates::byte_products, 72,
         "tensor_int8", "sparse_direct"},
        {PixelType::u16, 1023, factored(35, 8), 8 * 48, kHalves, 35, "tensor_dense",
         "separable_reuse"},
    };
    std::set<std::string_view> others;
    for (const test::KnownGpu& gpu : test::kKnownGpus) {
        if (gpu.compute_major < 8) continue;
        const Device device = test::device_of(gpu);
        for (const Row& row : rows) {
            ConvProblem p = problem_with(row.taps);
            p.type = row.type;
            p.max_value = row.max_value;
            const double busy =
                3840 * 2160 * row.products / (gpu_rates(device).*row.rate * 132 * 1980);
            const std::string_view expected = busy > row.other_time ? row.other : row.bands;
            EXPECT_EQ(plan(p, device).kernel->name, expected)
                << gpu.name << ", " << row.taps.width << " wide: " << busy << " µs";
            if (expected == row.other) others.insert(gpu.name);
        }
    }
    EXPECT_THAT(others, testing::UnorderedElementsAre("GeForce RTX 3060", "GeForce RTX 4070",
                                                      "GeForce RTX 4090", "GeForce RTX 5090"));
}

// The A100 and the T4 do half as many fp32 products per clock; the T4's tensor cores are not used.
TEST(KernelsPlanner, WeighsFp32ByItsRate) {
    const std::string built = why_cannot(*find_kernel("direct"), problem_with(ones(3)), some_gpu());
    if (!built.empty()) GTEST_SKIP() << built;
    ConvProblem p = problem_with(taps_of(13, 0.01F));
    p.type = PixelType::f32;
    p.max_value = 1;
    const Device a100 = test::device_of(test::kKnownGpus[1]);
    EXPECT_EQ(plan(p, test::h200()).kernel->name, "column_row_reuse");
    EXPECT_EQ(plan(p, a100).kernel->name, "tensor_f32");
    EXPECT_EQ(plan(p, test::t4()).kernel->name, "column_row_reuse");
    const ConvProblem few = problem_with(every_20th(15));
    EXPECT_EQ(plan(few, test::h200()).kernel->name, "tensor_int8");
    EXPECT_EQ(plan(few, test::t4()).kernel->name, "sparse_direct");
}

// 64 bytes per sample take 281 µs of an H100's clocks on an RTX 3060 and 649 on an RTX 4090, bands
// of 58×58 and 63×63 taps in half precision 518 and 562.
TEST(KernelsPlanner, WeighsTransformsByTheBandwidth) {
    if (const std::string reason =
            why_cannot(*find_kernel("fft"), problem_with(taps_of(63, 0.001F)), some_gpu());
        !reason.empty())
        GTEST_SKIP() << reason;
    const Device rtx_4090 = test::device_of(test::kKnownGpus[4]);
    const ConvProblem smaller = problem_with(taps_of(58, 0.001F));
    EXPECT_EQ(plan(smaller, test::h200()).kernel->name, "tensor_dense");
    EXPECT_EQ(plan(smaller, test::rtx_3060()).kernel->name, "fft");
    EXPECT_EQ(plan(smaller, rtx_4090).kernel->name, "tensor_dense");
    const ConvProblem larger = problem_with(taps_of(63, 0.001F));
    EXPECT_EQ(plan(larger, test::h200()).kernel->name, "fft");
    EXPECT_EQ(plan(larger, test::rtx_3060()).kernel->name, "fft");
    EXPECT_EQ(plan(larger, rtx_4090).kernel->name, "tensor_dense");
}

// Each kernel above the chosen one, once, with its own reason or the policy's.
TEST(KernelsPlanner, SaysWhatItPassedOver) {
    const std::string built = why_cannot(*find_kernel("direct"), problem_with(ones(3)), some_gpu());
    if (!built.empty()) GTEST_SKIP() << built;
    const ConvProblem p = problem_with(taps_of(4, 2049.0F));
    const Plan chosen = plan(p, some_gpu());
    std::set<std::string_view> expected;
    for (const PolicyRow& row : planner_policy()) {
        if (row.kernel == chosen.kernel->name) {
            if (row.holds(p, some_gpu())) break;
            continue;
        }
        if (find_kernel(row.kernel)->space == MemorySpace::device) expected.insert(row.kernel);
    }
    EXPECT_FALSE(expected.empty());
    EXPECT_EQ(chosen.passed_over.size(), expected.size());
    for (const PassedOver& over : chosen.passed_over) {
        EXPECT_TRUE(expected.contains(over.kernel)) << over.kernel;
        const std::string reason = why_cannot(*find_kernel(over.kernel), p, some_gpu());
        EXPECT_THAT(over.reason, testing::StartsWith(reason.empty() ? "it is chosen for " : reason))
            << over.kernel;
    }
    EXPECT_TRUE(plan(p, some_gpu(), "direct").passed_over.empty());
}

TEST(KernelsPlanner, PolicyRowsAreComplete) {
    for (const PolicyRow& row : planner_policy()) {
        EXPECT_NE(find_kernel(row.kernel), nullptr) << row.kernel;
        EXPECT_FALSE(row.words.empty()) << row.kernel;
        ASSERT_NE(row.holds, nullptr) << row.kernel;
        const std::string reason = reason_for(row, problem_with(factored(5, 3)));
        EXPECT_THAT(reason, testing::StartsWith("5×3 ")) << row.kernel;
        EXPECT_THAT(reason, testing::HasSubstr("u8")) << row.kernel;
    }
}

TEST(KernelsPlanner, TakesAKernelByName) {
    const Plan forced = plan(problem_with(ones(5)), cpu_device(), "opencv_cpu");
    EXPECT_EQ(forced.kernel->name, "opencv_cpu");
    EXPECT_EQ(forced.reason, "1920×1080 u8, 5×5 taps, reflect101: asked for by name");
}

TEST(KernelsPlanner, RefusesAForcedKernelWithItsOwnReason) {
    const ConvProblem p = problem_with(ones(5));
    EXPECT_EQ(error_of(p, some_gpu(), "opencv_cpu"),
              "kernel opencv_cpu cannot filter 1920×1080 u8, 5×5 taps, reflect101: it runs on the "
              "CPU, and the device is NVIDIA H200: use --gpu off");
    for (const ConvKernel& row : conv_kernels()) {
        if (row.space == MemorySpace::host) continue;
        const std::string reason = why_cannot(row, p, cpu_device());
        EXPECT_FALSE(reason.empty()) << row.name;
        EXPECT_THAT(error_of(p, cpu_device(), row.name), testing::EndsWith(": " + reason));
    }
}

TEST(KernelsPlanner, SumsOverChannelsGoToRowsThatTakeThem) {
    ConvProblem p = problem_with(ones(5));
    p.channels = 3;
    p.sums_channels = true;
    EXPECT_EQ(plan(p, cpu_device()).kernel->name, "opencv_cpu");
    if (why_cannot(*find_kernel("direct"), p, some_gpu()).empty()) {
        EXPECT_EQ(plan(p, some_gpu()).kernel->name, "direct");
        ConvProblem bank = p;
        bank.conv.front().taps.resize(16, ones(5));
        bank.combine = Combine::maximum;
        EXPECT_EQ(plan(bank, some_gpu()).kernel->name, "implicit_gemm");
    }
    for (const ConvKernel& row : conv_kernels()) {
        const std::string reason = why_cannot(row, p, some_gpu());
        if (!row.sums_channels) {
            EXPECT_EQ(reason, "it filters each channel by itself, and these sums run over all")
                << row.name;
        } else {
            EXPECT_THAT(reason, testing::Not(testing::HasSubstr("by itself"))) << row.name;
        }
    }
}

TEST(KernelsPlanner, ListsTheNamesWhenThereIsNoSuchKernel) {
    const std::string error = error_of(problem_with(ones(3)), cpu_device(), "opencv");
    EXPECT_THAT(error, testing::StartsWith("there is no kernel \"opencv\"; the kernels are "));
    for (const ConvKernel& row : conv_kernels())
        EXPECT_THAT(error, testing::HasSubstr(std::string(row.name)));
}

TEST(KernelsPlanner, SaysWhyNothingCanRun) {
    ConvProblem p = problem_with(factored(101, 101));
    p.combine = Combine::magnitude;
    p.conv.front().taps.push_back(p.taps());
    const std::string error = error_of(p, some_gpu(), "");
    EXPECT_THAT(error, testing::StartsWith("no kernel can filter 1920×1080 u8, 101×101 taps "
                                           "(magnitude of 2), reflect101 on NVIDIA H200; "));
    EXPECT_THAT(error, testing::HasSubstr("; tensor_separable: "));
    EXPECT_THAT(error, testing::HasSubstr("; separable_reuse: "));
}

TEST(KernelsPlanner, ValidatesFirst) {
    ConvProblem p = problem_with(ones(3));
    p.width = 0;
    EXPECT_THROW(plan(p, cpu_device()), std::invalid_argument);
}

TEST(KernelsList, RowsAreComplete) {
    for (const ConvKernel& row : conv_kernels()) {
        EXPECT_FALSE(row.name.empty());
        EXPECT_FALSE(row.summary.empty()) << row.name;
        EXPECT_FALSE(row.source.empty()) << row.name;
        EXPECT_FALSE(row.limits.empty()) << row.name;
        ASSERT_NE(row.why_not, nullptr) << row.name;
        ASSERT_NE(row.cost, nullptr) << row.name;
        EXPECT_EQ(find_kernel(row.name), &row);
        const Cost cost = row.cost(problem_with(factored(5, 5)));
        EXPECT_EQ(cost.bytes, 2.0 * 1920 * 1080) << row.name;
        EXPECT_GE(cost.flops, 2.0 * 1920 * 1080 * 10) << row.name;
        EXPECT_FALSE(cost.bytes_formula.empty()) << row.name;
        EXPECT_FALSE(cost.flops_formula.empty()) << row.name;
    }
    EXPECT_EQ(find_kernel(""), nullptr);
}

TEST(KernelsDevice, CpuHasANameAndMemory) {
    const Device cpu = cpu_device();
    EXPECT_FALSE(cpu.is_gpu());
    EXPECT_FALSE(cpu.name.empty());
    EXPECT_GE(cpu.multiprocessors, 1);
    EXPECT_GT(cpu.memory_bytes, 0U);
}

}  // namespace weft
