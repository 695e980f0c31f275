// box_sum thread by thread on the CPU: the product's own .cuh file, against the same tables and
// oracle as every other row; and the decisions of its host side.
#include "tests/kernels/emulated/emulated_gpu.h"

// The emulator must come first.
#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/box/box_sum.cuh"
#include "kernels/box/box_sum.h"
#include "kernels/conv_kernel.h"
#include "tests/kernels/emulated/lane_model.h"
#include "tests/support/gpu_table.h"

namespace weft {

std::uint32_t box_sums[227 * 256];

}  // namespace weft

namespace weft::test {

namespace {

using BoxKernel = void (*)(BoxArgs);

template <class P, bool Halves>
BoxKernel kernel_of(int channels) {
    constexpr std::array<BoxKernel, 4> kKernels = {
        box_sum<Box<P, 1, Halves>>, box_sum<Box<P, 2, Halves>>, box_sum<Box<P, 3, Halves>>,
        box_sum<Box<P, 4, Halves>>};
    return kKernels[static_cast<std::size_t>(channels) - 1];
}

BoxKernel kernel_of(const ConvProblem& p, bool halves) {
    if (p.type == PixelType::u16) return kernel_of<U16, false>(p.channels);
    return halves ? kernel_of<U8, true>(p.channels) : kernel_of<U8, false>(p.channels);
}

class EmulatedBox : public PreparedConv {
 public:
    EmulatedBox(const ConvProblem& p, const Device& gpu)
        : problem_(p), layout_(lay_out_box(p, choose_box_shape(p, gpu))) {}

    void launch(const ImageView& src, const ImageView& dst, StreamView) override {
        BoxArgs& args = layout_.args;
        args.images.x.table = layout_.borders.entries.data();
        args.images.y.table = layout_.borders.entries.data() + layout_.borders.y_table;
        set_images(src, dst, args.images);
        args.src_aligned = rows_aligned(src, 4);
        args.dst_aligned = rows_aligned(dst, 16);
        const BoxKernel kernel = kernel_of(problem_, layout_.halves);
        emulated::run_blocks(layout_.blocks, args.threads / 32, [&] { kernel(args); });
    }

 private:
    ConvProblem problem_;
    BoxLayout layout_;
};

// A single multiprocessor: few blocks, as large as their memory allows.
template <Device (*kGpu)()>
ConvKernel row_on() {
    return emulated_row(
        "box_sum on the CPU",
        [](const ConvProblem& p, const Device&) -> std::string {
            return p.width > 2000 || p.height > 2000 ? "too slow here" : why_not_box(p, kGpu());
        },
        [](const ConvProblem& p, const Device&) -> std::unique_ptr<PreparedConv> {
            Device gpu = kGpu();
            gpu.multiprocessors = 1;
            return std::make_unique<EmulatedBox>(p, gpu);
        });
}

ConvProblem box(int width, int height, PixelType type) {
    ConvProblem p;
    p.width = 3840;
    p.height = 2160;
    p.type = type;
    p.max_value = type == PixelType::u16 ? 65535.0F : 255.0F;
    p.conv = {{.taps = {separable_taps(std::vector<float>(width, 1.0F),
                                       std::vector<float>(height, 1.0F))},
               .scale = 1.0F / static_cast<float>(width * height)}};
    return p;
}

}  // namespace

TEST(KernelsBoxLaneModel, MatchesOracle) {
    check_all_tables(row_on<h200>(), 1, 100);
}

// 64 KiB of shared memory: groups of 16 rows, and blocks no wider than fits.
TEST(KernelsBoxLaneModel, MatchesOracleWithLittleSharedMemory) {
    check_all_tables(row_on<t4>(), 1, 100);
}

TEST(KernelsBoxLayout, TakesEveryBoxOfBytes) {
    for (int channels = 1; channels <= 4; ++channels) {
        for (const int side : {1, 2, 31, 129, 300, 511}) {
            ConvProblem p = box(side, side, PixelType::u8);
            p.channels = channels;
            EXPECT_EQ(why_not_box(p, h200()), "");
            const BoxShape shape = choose_box_shape(p, h200());
            ASSERT_GT(shape.threads, 0) << side << " " << channels;
            const BoxLayout layout = lay_out_box(p, shape);
            EXPECT_GT(layout.args.outputs, 0) << side << " " << channels;
            EXPECT_LE(layout.shared_bytes, 227 * 1024) << side << " " << channels;
        }
    }
}

TEST(KernelsBoxLayout, SaysWhatItDoesNotTake) {
    EXPECT_EQ(why_not_box(box(5, 5, PixelType::f32), h200()),
              "it takes 8-bit and 16-bit pixels: running sums of fractions would drift");
    EXPECT_EQ(why_not_box(box(257, 256, PixelType::u16), h200()),
              "sums of more than 65,537 samples of 16 bits do not fit its 32 bits");
    ConvProblem p = box(5, 5, PixelType::u8);
    p.conv.front().taps.front() = dense_taps(2, 1, {1.0F, 2.0F});
    EXPECT_EQ(why_not_box(p, h200()), "it takes taps that are all one value, and these are not");
    p = box(5, 5, PixelType::u8);
    p.conv.front().taps.front() = dense_taps(1, 2, {3.0F, 3.0F});
    p.conv.front().scale = 0.1F;
    EXPECT_EQ(why_not_box(p, h200()),
              "the taps' value times the scale is no number in fp32, and exact sums would be "
              "rounded twice");
}

}  // namespace weft::test
