#include "kernels/planner.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "filters/made_taps.h"
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

std::string opencv_reason(const ConvProblem& p) {
    return reason_for(*find_kernel("opencv_cpu"), p);
}

}  // namespace

TEST(KernelsPlanner, PicksByTheTapsOnTheCpu) {
    EXPECT_EQ(plan(problem_with(ones(5)), cpu_device()).kernel->name, "cpu_reuse");
    EXPECT_EQ(plan(problem_with(factored(101, 7)), cpu_device()).kernel->name, "cpu_separable");
    EXPECT_EQ(plan(problem_with(box(15)), cpu_device()).kernel->name, "cpu_box");
    Taps few = ones(31);
    for (std::size_t k = 0; k < few.weights.size(); ++k)
        if (k % 31 != 0) few.weights[k] = 0;
    EXPECT_EQ(plan(problem_with(few), cpu_device()).kernel->name, "cpu_sparse");
}

// The reason names OpenCV's method, not the storage of the taps.
TEST(KernelsPlanner, SaysHowTheCpuSums) {
    EXPECT_EQ(opencv_reason(problem_with(factored(13, 13))), "13×13 factored u8 on the CPU");
    EXPECT_EQ(opencv_reason(problem_with(factored(3, 3))), "3×3 dense u8 on the CPU");
    Taps fractional_factors = factored(13, 13);
    fractional_factors.weights = ones(13).weights;
    EXPECT_EQ(opencv_reason(problem_with(fractional_factors)), "13×13 dense u8 on the CPU");
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
        {box(115), "box_sum", "115×115 box u8: running sums"},
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
         {Row{5, "separable_reuse", "5×5 factored u16: 5 + 5 factors in two passes"},
          Row{21, "separable_reuse", "21×21 factored u16: 21 + 21 factors in two passes"},
          Row{4, "separable_reuse", "4×4 factored u16: 4 + 4 factors in two passes"},
          Row{62, "separable_reuse", "62×62 factored u16: 62 + 62 factors in two passes"},
          Row{66, "separable_reuse", "66×66 factored u16: 66 + 66 factors in two passes"}}) {
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
                           Row{PixelType::f32, 1, taps_of(11, 0.01F), "column_row_reuse"},
                           Row{PixelType::f32, 1, taps_of(15, 0.01F), "tensor_f32"},
                           Row{PixelType::f32, 1, factored(15, 15), "separable_reuse"},
                           Row{PixelType::f32, 1, ones(15), "column_row_reuse"}}) {
        ConvProblem p = problem_with(row.taps);
        p.width = 3840;
        p.height = 2160;
        p.type = row.type;
        p.max_value = row.max_value;
        EXPECT_EQ(plan(p, some_gpu()).kernel->name, row.kernel)
            << name_of(row.type) << ' ' << row.max_value << ", " << row.taps.width;
    }
}

// Without cuFFT, another kernel is used.
TEST(KernelsPlanner, TransformsTheLargest8BitTaps) {
    ConvProblem p = problem_with(taps_of(63, 0.001F));
    const std::string built = why_cannot(*find_kernel("direct"), p, some_gpu());
    if (!built.empty()) GTEST_SKIP() << built;
    const bool found = why_cannot(*find_kernel("fft"), p, some_gpu()).empty();
    EXPECT_THAT(plan(p, some_gpu()).kernel->name, testing::StartsWith(found ? "fft" : "tensor_"));
    p.conv = {{.taps = {taps_of(45, 0.001F)}}};
    EXPECT_THAT(plan(p, some_gpu()).kernel->name, testing::StartsWith("tensor_"));
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
            p.width = 3840;
            p.height = 2160;
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

// The gradients of two sets, which random problems do not have: on an H100 at 4K (h100-image.csv),
// tensor_int8 takes 10.3 µs of 8 bits and columns and rows reused 17.6; of 10 bits, they take 19.3
// and bands in half precision 30.3.
TEST(KernelsPlanner, ChoosesTheFastestForSobel) {
    const std::string built = why_cannot(*find_kernel("direct"), problem_with(ones(3)), some_gpu());
    if (!built.empty()) GTEST_SKIP() << built;
    ConvProblem p = problem_with(dense_taps(3, 3, {-1, 0, 1, -2, 0, 2, -1, 0, 1}));
    p.width = 3840;
    p.height = 2160;
    p.conv.front().taps.push_back(dense_taps(3, 3, {-1, -2, -1, 0, 0, 0, 1, 2, 1}));
    p.combine = Combine::magnitude;
    EXPECT_EQ(plan(p, test::h100()).kernel->name, "tensor_int8");
    p.type = PixelType::u16;
    p.max_value = 1023;
    EXPECT_EQ(plan(p, test::h100()).kernel->name, "column_row_reuse");
}

// A launch starts as fast on a small GPU, but the samples take longer.
TEST(KernelsPlanner, ScalesSamplesByTheSizeOfTheGpu) {
    const ConvProblem p = problem_with(factored(15, 15));
    const ConvKernel& kernel = *find_kernel("tensor_separable");
    if (const std::string reason = why_cannot(kernel, p, some_gpu()); !reason.empty())
        GTEST_SKIP() << reason;
    Device half = test::h200();
    half.multiprocessors /= 2;
    half.memory_bytes_per_second /= 2;
    ConvProblem twice = p;
    twice.height *= 2;
    EXPECT_DOUBLE_EQ(kernel.time(p, half), kernel.time(twice, test::h200()));
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

// 64 bytes of each 4K sample take 281 µs of an H100's clocks on an RTX 3060 and 649 on an RTX 4090,
// bands of 63×63 taps in half precision 562.
TEST(KernelsPlanner, WeighsTransformsByTheBandwidth) {
    ConvProblem p = problem_with(taps_of(63, 0.001F));
    p.width = 3840;
    p.height = 2160;
    if (const std::string reason = why_cannot(*find_kernel("fft"), p, some_gpu()); !reason.empty())
        GTEST_SKIP() << reason;
    EXPECT_EQ(plan(p, test::h200()).kernel->name, "fft");
    EXPECT_EQ(plan(p, test::rtx_3060()).kernel->name, "fft");
    EXPECT_EQ(plan(p, test::device_of(test::kKnownGpus[4])).kernel->name, "tensor_dense");
}

// Every other kernel of the device, once, with its own reason or the time that it would take.
TEST(KernelsPlanner, SaysWhatItPassedOver) {
    const std::string built = why_cannot(*find_kernel("direct"), problem_with(ones(3)), some_gpu());
    if (!built.empty()) GTEST_SKIP() << built;
    const ConvProblem p = problem_with(taps_of(4, 2049.0F));
    const Plan chosen = plan(p, some_gpu());
    std::set<std::string_view> expected;
    for (const ConvKernel& kernel : conv_kernels())
        if (kernel.space == MemorySpace::device && kernel.time != nullptr &&
            &kernel != chosen.kernel)
            expected.insert(kernel.name);
    EXPECT_EQ(chosen.passed_over.size(), expected.size());
    for (const PassedOver& over : chosen.passed_over) {
        EXPECT_EQ(expected.erase(over.kernel), 1U) << over.kernel;
        const std::string reason = why_cannot(*find_kernel(over.kernel), p, some_gpu());
        if (reason.empty())
            EXPECT_THAT(over.reason,
                        testing::MatchesRegex("it would take about .+ times as long|"
                                              "it is used for such problems by name only"));
        else
            EXPECT_EQ(over.reason, reason);
    }
    EXPECT_TRUE(plan(p, some_gpu(), "direct").passed_over.empty());
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
    EXPECT_THAT(error, testing::ContainsRegex("[;,] tensor_separable[:,] "));
    EXPECT_THAT(error, testing::ContainsRegex("[;,] separable_reuse[:,] "));
}

TEST(KernelsPlanner, TakesLargeGaussiansBySigmaOnTheCpu) {
    const auto kernel_for = [](double sigma, int radius, float promised) {
        Taps taps = gaussian_taps(sigma, sigma, radius, radius);
        taps.gaussian_x = taps.gaussian_y = promised;
        return plan(problem_with(std::move(taps)), cpu_device()).kernel->name;
    };
    EXPECT_EQ(kernel_for(3, 11, 3), "cpu_separable");
    EXPECT_EQ(kernel_for(12, 42, 12), "cpu_two_rate");
    EXPECT_EQ(kernel_for(250, 875, 250), "cpu_two_rate");
    EXPECT_EQ(kernel_for(12, 36, 0), "cpu_separable");
}

// Kernels with one reason share it.
TEST(KernelsPlanner, LeavesMoreFactorsToGaussiansBySigma) {
    const ConvProblem widest = problem_with(factored(511, 1));
    EXPECT_EQ(plan(widest, cpu_device()).kernel->name, "cpu_separable");
    for (const auto& [width, height] : {std::pair{512, 1}, std::pair{1, 513}}) {
        const ConvProblem p = problem_with(factored(width, height));
        const std::string reason =
            "it adds up at most 511 factors a side; give a smaller sigma, or radius=255 to cut the "
            "Gaussian off there";
        for (ConvKernel row : conv_kernels()) {
            row.gaussians_by_sigma = false;
            EXPECT_EQ(why_cannot(row, p, cpu_device()), reason) << row.name;
            row.gaussians_by_sigma = true;
            EXPECT_NE(why_cannot(row, p, cpu_device()), reason) << row.name;
        }
        const std::string error = error_of(p, some_gpu(), "");
        EXPECT_THAT(error, testing::HasSubstr("; box_sum, tensor_separable, "));
        EXPECT_THAT(error, testing::EndsWith(": " + reason));
        EXPECT_EQ(error.find(reason), error.rfind(reason)) << error;
    }
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
        EXPECT_EQ(row.time == nullptr, row.reason.empty()) << row.name;
        if (row.time == nullptr) continue;
        EXPECT_THAT(reason_for(row, problem_with(factored(5, 3))),
                    testing::AllOf(testing::StartsWith("5×3 "), testing::HasSubstr("u8")))
            << row.name;
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
