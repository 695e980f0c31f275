// Guarantees of launches beyond right pixels: the same bits again, with any number of threads.
#include <gtest/gtest.h>

#include "kernels/conv_kernel.h"
#include "tests/kernels/cases/conv_case.h"
#include "tests/kernels/cpu/opencv_threads.h"

namespace weft::test {

namespace {

ConvCase blur_case() {
    ConvCase c;
    c.problem.width = 317;
    c.problem.height = 203;
    c.problem.channels = 3;
    c.problem.type = PixelType::f32;
    c.problem.conv = {
        {.taps = {separable_taps({0.1F, 0.2F, 0.3F, 0.2F, 0.2F}, {0.3F, 0.3F, 0.2F, 0.1F, 0.1F})}}};
    return c;
}

// Launches one prepared kernel twice on the same pixels, with other pixels in between.
void expect_same_bytes_again(const ConvKernel& row) {
    const ConvCase c = blur_case();
    const Shape shape{c.problem.width, c.problem.height, 3, PixelType::f32};
    TestPlane source(shape, Layout::tight, std::byte{0xFF});
    TestPlane other(shape, Layout::padded, std::byte{0xFF});
    source.set(source_samples(c));
    other.set(std::vector<double>(source_samples(c).size(), 1e30));
    TestPlane first(shape, Layout::tight, std::byte{0});
    TestPlane second(shape, Layout::tight, std::byte{1});
    const std::unique_ptr<PreparedConv> conv = row.prepare(c.problem, cpu_device());
    conv->launch(source.view(), first.view(), nullptr);
    conv->launch(other.view(), second.view(), nullptr);
    conv->launch(source.view(), second.view(), nullptr);
    EXPECT_EQ(first.samples(), second.samples());
}

}  // namespace

TEST(KernelsLaunch, GivesTheSameBytesAgain) {
    for (const ConvKernel& row : conv_kernels())
        if (row.space == MemorySpace::host) expect_same_bytes_again(row);
}

TEST(KernelsLaunch, DoesNotDependOnTheNumberOfThreads) {
    const Runner runner(*find_kernel("opencv_cpu"), cpu_device());
    std::string failure;
    std::vector<double> want;
    // The number of threads also sets the height of the strips: 29 and 26 rows here.
    for (const int threads : {1, 2}) {
        const OpencvThreads scope(threads);
        const std::vector<double> got = runner.run(blur_case(), failure);
        if (want.empty()) want = got;
        EXPECT_EQ(got, want) << threads << " threads";
    }
    EXPECT_EQ(failure, "");
}

TEST(KernelsLaunch, RefusesImagesThatDoNotMatch) {
    const ConvCase c = blur_case();
    const std::unique_ptr<PreparedConv> conv =
        find_kernel("opencv_cpu")->prepare(c.problem, cpu_device());
    TestPlane right({317, 203, 3, PixelType::f32}, Layout::tight, std::byte{0});
    TestPlane narrow({316, 203, 3, PixelType::f32}, Layout::tight, std::byte{0});
    ImageView on_device = right.view();
    on_device.space = MemorySpace::device;
    const auto message = [&](const ImageView& src, const ImageView& dst) -> std::string {
        try {
            conv->launch(src, dst, nullptr);
        } catch (const std::invalid_argument& e) {
            return e.what();
        }
        return "no error";
    };
    EXPECT_EQ(message(narrow.view(), right.view()),
              "the source image is 316×203 f32×3, the problem 317×203 f32×3");
    EXPECT_EQ(message(right.view(), narrow.view()),
              "the destination image is 316×203 f32×3, the problem 317×203 f32×3");
    EXPECT_EQ(message(on_device, right.view()),
              "the source image is in device memory, the kernel needs host memory");
}

}  // namespace weft::test
