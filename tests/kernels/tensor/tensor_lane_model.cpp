// The tensor core rows lane by lane on the CPU: the product's own .cuh files with
// matrix instructions written out, against the same tables and oracle as every other row. This is
// what proves bands, fragments, borders and stores on machines without a GPU.
#include "tests/kernels/emulated/emulated_gpu.h"
#include "tests/kernels/emulated/emulated_launch.h"
#include "tests/kernels/emulated/emulated_mma.h"

// The emulator must come first.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/conv_kernel.h"
#include "kernels/tensor/tensor_dense.cuh"
#include "kernels/tensor/tensor_f32.cuh"
#include "kernels/tensor/tensor_int8.h"
#include "kernels/tensor/tensor_int8_variants.cuh"
#include "kernels/tensor/tensor_separable_variants.cuh"
#include "tests/kernels/cases/case_maker.h"
#include "tests/kernels/cases/conv_tables.h"
#include "tests/support/gpu_table.h"

namespace weft {

Words<4> tensor_tile[200 * 120];
alignas(16) ByteColumns strip_ends[kStripWarps * 2048];

}  // namespace weft

namespace weft::test {

namespace {

class EmulatedTensor : public PreparedConv {
 public:
    EmulatedTensor(const TensorLayout& layout, TensorKernel kernel)
        : layout_(layout), kernel_(kernel) {}

    void launch(const ImageView& src, const ImageView& dst, StreamView) override {
        TensorArgs& args = layout_.args;
        args.images.x.table = layout_.borders.entries.data();
        args.images.y.table = layout_.borders.entries.data() + layout_.borders.y_table;
        args.bands = layout_.bands.data();
        set_images(src, dst, args.images);
        args.tile.src_aligned = rows_aligned(src, 16);
        args.dst_aligned = rows_aligned(dst, 16);
        // Few blocks, so that each computes several tiles.
        args.blocks = std::min(args.tiles, 3);
        emulated::run_blocks(args.blocks, args.tile.threads / 32, [&] { kernel_(args); });
    }

 private:
    TensorLayout layout_;
    TensorKernel kernel_;
};

template <Device (*kGpu)()>
std::unique_ptr<PreparedConv> prepare_dense(const ConvProblem& p, const Device&) {
    const TensorLayout layout = lay_out_tensor_dense(p, kGpu());
    return std::make_unique<EmulatedTensor>(layout, dense_kernel(p.type, layout.args));
}

class EmulatedF32 : public PreparedConv {
 public:
    explicit EmulatedF32(TensorF32Layout layout) : layout_(std::move(layout)) {}

    void launch(const ImageView& src, const ImageView& dst, StreamView) override {
        TensorArgs& args = layout_.args.tensor;
        args.images.x.table = layout_.borders.entries.data();
        args.images.y.table = layout_.borders.entries.data() + layout_.borders.y_table;
        args.bands = layout_.bands.data();
        layout_.args.weights = layout_.weights.data();
        set_images(src, dst, args.images);
        args.tile.src_aligned = rows_aligned(src, 16);
        args.dst_aligned = rows_aligned(dst, 8);
        emulated::run_blocks(args.tiles, args.tile.threads / 32, [&] { filter_f32(layout_.args); });
    }

 private:
    TensorF32Layout layout_;
};

std::unique_ptr<PreparedConv> prepare_f32(const ConvProblem& p, const Device&) {
    return std::make_unique<EmulatedF32>(lay_out_tensor_f32(p, h200()));
}

class EmulatedSeparable : public PreparedConv {
 public:
    explicit EmulatedSeparable(TensorSeparableLayout layout) : layout_(std::move(layout)) {
        // Strips of several steps, even in small images.
        cut_strips(1, 1, layout_);
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView) override {
        TensorSeparableArgs& args = layout_.args;
        args.images.x.table = layout_.borders.entries.data();
        args.images.y.table = layout_.borders.entries.data() + layout_.borders.y_table;
        args.rows = layout_.rows.data();
        args.columns = layout_.columns.data();
        set_images(src, dst, args.images);
        args.src_aligned = rows_aligned(src, 16);
        args.dst_aligned = rows_aligned(dst, 16);
        const SeparableKernel kernel = for_form_of(layout_, [&]<StripSums S, int C, int F>() {
            return separable_kernel<S, C, F>(layout_);
        });
        emulated::run_blocks(blocks_of(layout_), kStripWarps, [&] { kernel(args); });
    }

 private:
    TensorSeparableLayout layout_;
};

std::unique_ptr<PreparedConv> prepare_separable(const ConvProblem& p, const Device&) {
    return std::make_unique<EmulatedSeparable>(lay_out_tensor_separable(p));
}

class EmulatedInt8 : public PreparedConv {
 public:
    EmulatedInt8(Int8Layout layout, Int8Kernel kernel)
        : layout_(std::move(layout)), kernel_(kernel) {}

    void launch(const ImageView& src, const ImageView& dst, StreamView) override {
        Int8Args& args = layout_.args;
        args.bands = layout_.bands.data();
        // Aligned rows, as the launch creates for other destinations.
        const int width = dst.width * dst.channels;
        const int store = int8_store(layout_.channels);
        const int pitch = (width + store - 1) / store * store;
        std::vector<std::uint8_t> rows(static_cast<std::size_t>(pitch) * dst.height);
        ImageView words = dst;
        if (!rows_aligned(dst, store)) {
            words.data = rows.data();
            words.pitch_bytes = pitch;
        }
        set_images(src, words, args.images);
        args.tile.src_aligned = rows_aligned(src, 16);
        // Few blocks, so that each takes several steps.
        args.steps = std::max(layout_.steps_y / 2, 1);
        const int blocks_y = (layout_.steps_y + args.steps - 1) / args.steps;
        emulated::run_blocks(emulated::Grid{layout_.tiles_x, blocks_y}, kInt8Warps,
                             [&] { kernel_(args); });
        if (words.data != dst.data)
            for (int y = 0; y < dst.height; ++y)
                std::copy_n(rows.data() + static_cast<std::size_t>(y) * pitch, width,
                            static_cast<std::uint8_t*>(dst.data) + y * dst.pitch_bytes);
    }

 private:
    Int8Layout layout_;
    Int8Kernel kernel_;
};

std::unique_ptr<PreparedConv> prepare_int8(const ConvProblem& p, const Device&) {
    Int8Layout layout = lay_out_tensor_int8(p);
    Int8Kernel kernel =
        for_form_of(layout, [&]<Int8Sums S, int C>() { return int8_kernel<S, C>(layout); });
    return std::make_unique<EmulatedInt8>(std::move(layout), kernel);
}

bool too_slow_here(const ConvProblem& p) {
    return p.width > 600 || p.height > 600;
}

const std::array<ConvKernel, 4> kRows = {{
    {.name = "tensor_dense on the CPU",
     .summary = {},
     .source = {},
     .limits = {},
     .space = MemorySpace::host,
     .arithmetic = Arithmetic::half_taps,
     .why_not = [](const ConvProblem& p, const Device&) -> std::string {
         return too_slow_here(p) ? "too slow here" : why_not_tensor_dense(p, h200());
     },
     .prepare = prepare_dense<h200>,
     .cost = nullptr},
    {.name = "tensor_separable on the CPU",
     .summary = {},
     .source = {},
     .limits = {},
     .space = MemorySpace::host,
     .arithmetic = Arithmetic::half_between,
     .why_not = [](const ConvProblem& p, const Device&) -> std::string {
         return too_slow_here(p) ? "too slow here" : why_not_tensor_separable(p);
     },
     .prepare = prepare_separable,
     .cost = nullptr},
    {.name = "tensor_int8 on the CPU",
     .summary = {},
     .source = {},
     .limits = {},
     .space = MemorySpace::host,
     .arithmetic = Arithmetic::half_taps,
     .why_not = [](const ConvProblem& p, const Device&) -> std::string {
         return too_slow_here(p) ? "too slow here" : why_not_tensor_int8(p);
     },
     .prepare = prepare_int8,
     .cost = nullptr},
    {.name = "tensor_f32 on the CPU",
     .summary = {},
     .source = {},
     .limits = {},
     .space = MemorySpace::host,
     .arithmetic = Arithmetic::split_halves,
     .why_not = [](const ConvProblem& p, const Device&) -> std::string {
         return too_slow_here(p) ? "too slow here" : why_not_tensor_f32(p, h200());
     },
     .prepare = prepare_f32,
     .cost = nullptr},
}};

// Every `step`-th of the cases that the row takes.
void check_table(const ConvKernel& row, const ConvTable& table, std::size_t step) {
    const Runner runner(row, cpu_device());
    std::size_t taken = 0;
    for (const ConvCase& c : table.cases()) {
        if (!row_takes(row, cpu_device(), c)) continue;
        if (taken++ % step != 0) continue;
        const std::string failure = check_against_oracle(runner, c);
        ASSERT_EQ(failure, "");
    }
    if (taken == 0) GTEST_SKIP() << row.name << " takes no case of " << table.name;
}

std::string name_of_table(const testing::TestParamInfo<const ConvTable*>& info) {
    return std::string(info.param->name);
}

}  // namespace

class KernelsTensorLaneModel : public testing::TestWithParam<const ConvTable*> {};

// All cases take minutes; this subset takes seconds.
TEST_P(KernelsTensorLaneModel, DenseMatchesOracle) {
    // Includes cases with the largest number of tap sets.
    check_table(kRows[0], *GetParam(), GetParam()->name == "Combined" ? 3 : 17);
}

TEST_P(KernelsTensorLaneModel, SeparableMatchesOracle) {
    check_table(kRows[1], *GetParam(), 9);
}

TEST_P(KernelsTensorLaneModel, Int8MatchesOracle) {
    constexpr std::array kWhole = {"StructuredPictures", "Sobel", "ColourMatrices"};
    const bool all = std::ranges::find(kWhole, GetParam()->name) != kWhole.end();
    check_table(kRows[2], *GetParam(), all ? 1 : 5);
}

TEST_P(KernelsTensorLaneModel, F32MatchesOracle) {
    check_table(kRows[3], *GetParam(), 9);
}

// Every depth, at every place of a tile's first sample in its vector.
TEST(KernelsTensorDenseDepths, MatchOracle) {
    const Runner runner(kRows[0], cpu_device());
    Dice dice(1012);
    for (const float max_value : {255.0F, 1023.0F, 4095.0F})
        for (const int channels : {1, 2, 4})
            for (const Size size : {Size{1, 3}, {3, 3}, {4, 2}, {7, 5}, {9, 9}, {16, 3}, {34, 2}}) {
                const Image image{{150, 40}, channels, PixelType::u16, dice.of(kBorders)};
                ConvCase c =
                    make_case(dice, image, {one_set(random_taps(dice, size, dice.below(2) == 0))});
                c.problem.max_value = max_value;
                c.problem.border_value = std::min(c.problem.border_value, max_value);
                c.problem.conv.front().scale = 1.0F;
                c.problem.conv.front().bias = 0.0F;
                if (!why_not_tensor_dense(c.problem, h200()).empty()) {
                    double sum = 0;
                    for (const float w : c.problem.taps().weights) sum += std::fabs(w);
                    for (float& w : c.problem.conv.front().taps.front().weights)
                        w = static_cast<float>(w / sum);
                }
                ASSERT_EQ(why_not_tensor_dense(c.problem, h200()), "");
                EXPECT_EQ(check_against_oracle(runner, c), "");
            }
}

// Samples that differ by far more than half precision reaches, with a NaN and an infinity that only
// the outputs near them may feel.
TEST(KernelsTensorF32, KeepsShadowsAndLeavesNonFiniteSamplesWhereTheyAre) {
    const Runner runner(kRows[3], cpu_device());
    Dice dice(811);
    ConvCase c = make_case(dice, {{150, 70}, 1, PixelType::f32, Border::replicate},
                           {one_set(random_taps(dice, {7, 7}, false))});
    c.samples = source_samples(c);
    for (std::size_t i = 0; i < c.samples.size(); ++i)
        c.samples[i] = static_cast<float>(std::ldexp(c.samples[i], -static_cast<int>(i % 40)));
    c.samples[20] = 1e30F;
    EXPECT_EQ(check_against_oracle(runner, c), "");

    const std::size_t at = 30 * 150 + 70;
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        c.samples[at] = bad;
        std::string failure;
        const std::vector<double> got = runner.run(c, failure);
        EXPECT_EQ(failure, "");
        const int x = 70 + c.problem.taps().anchor_x;
        const int y = 30 + c.problem.taps().anchor_y;
        for (int row = 0; row < 70; ++row)
            for (int column = 0; column < 150; ++column) {
                const bool felt = column <= x && column > x - 7 && row <= y && row > y - 7;
                EXPECT_EQ(std::isfinite(got[static_cast<std::size_t>(row) * 150 + column]), !felt)
                    << row << ' ' << column;
            }
    }
}

// Tiles of one warp's 16 rows, the most that 99 KiB of shared memory hold with these taps.
TEST(KernelsTensorLaneModelShort, DenseMatchesOracleWithLittleSharedMemory) {
    Dice dice(9990);
    ConvCase c = make_case(dice, {{150, 37}, 4, PixelType::u8, Border::reflect},
                           {one_set(random_taps(dice, {63, 63}, true))});
    const TensorLayout layout = lay_out_tensor_dense(c.problem, rtx_3060());
    EXPECT_EQ(layout.args.block_rows, kTensorRows);
    EXPECT_LE(layout.shared_bytes, most_shared_bytes(rtx_3060()));
    ConvKernel row = kRows[0];
    row.prepare = prepare_dense<rtx_3060>;
    EXPECT_EQ(check_against_oracle(Runner(row, cpu_device()), c), "");
}

// Blocks of several steps, whose rows are not a multiple of the warps: a warp makes the ends of
// rows that it has copied itself, or it reads them before they are there.
TEST(KernelsTensorInt8Ends, AreMadeByTheWarpThatCopiesTheRow) {
    const Runner runner(kRows[2], cpu_device());
    Dice dice(5105);
    for (const int channels : {1, 2, 3, 4})
        for (const Size taps : {Size{3, 3}, {5, 5}, {7, 7}, {15, 15}, {1, 15}}) {
            const Image image{{80, 100}, channels, PixelType::u8, dice.of(kBorders)};
            const ConvCase c = make_case(dice, image, {one_set(random_taps(dice, taps, true))});
            ASSERT_EQ(why_not_tensor_int8(c.problem), "");
            ASSERT_GE(lay_out_tensor_int8(c.problem).steps_y, 4) << "two steps and more";
            EXPECT_EQ(check_against_oracle(runner, c), "") << taps.width << "×" << taps.height;
        }
}

// One entry per channel, of which the last copies its samples.
void keep_last_channel(ConvProblem& p) {
    const Taps& t = p.taps();
    const Taps kept = padded_taps(identity_taps(), t.width, t.height, t.anchor_x, t.anchor_y);
    p.conv.assign(static_cast<std::size_t>(p.channels), p.conv.front());
    p.conv.back() = {.taps = {kept}};
}

// Every variant at its widest and highest factors: channels, and the place of its shape.
class KernelsTensorSeparableShapes : public testing::TestWithParam<std::pair<int, std::size_t>> {
 protected:
    static constexpr int kSlack = 8;  // windows begin this many pixels early at most
    int channels_ = GetParam().first;
    StripShape shape_ = strip_shape(channels_, GetParam().second);
    Size size_{32 * shape_.halves - 15 - kSlack, kStripRows*(shape_.chunks - 1) + 1};
    Image image(Borders border) const {
        return {{16 * shape_.tiles + 45, 75}, channels_, PixelType::u8, border};
    }
};

std::vector<std::pair<int, std::size_t>> all_strip_shapes() {
    std::vector<std::pair<int, std::size_t>> out;
    for (const int channels : {1, 2, 3, 4})
        for (std::size_t k = 0; k < strip_shapes(channels); ++k) out.emplace_back(channels, k);
    return out;
}

TEST_P(KernelsTensorSeparableShapes, MatchOracleAtTheirLimits) {
    Dice dice(4711 + 16 * static_cast<std::uint32_t>(channels_) +
              static_cast<std::uint32_t>(GetParam().second));
    const Runner runner(kRows[1], cpu_device());
    for (const bool kept : {false, true}) {
        if (kept && channels_ % 2 != 0) continue;
        for (const Borders border : kBorders) {
            ConvCase c = make_case(dice, image(border), {one_set(random_factored(dice, size_))});
            if (kept) keep_last_channel(c.problem);
            ASSERT_EQ(why_not_tensor_separable(c.problem), "");
            EXPECT_EQ(lay_out_tensor_separable(c.problem).shape, GetParam().second);
            EXPECT_EQ(check_against_oracle(runner, c), "");
        }
    }
}

// Whole numbers, negative ones too: on noise and on pictures whose sums of a row are the largest
// and the smallest that there can be.
TEST_P(KernelsTensorSeparableShapes, AreExactAtTheirLimitsWithWholeNumbers) {
    Dice dice(5822 + 16 * static_cast<std::uint32_t>(channels_) +
              static_cast<std::uint32_t>(GetParam().second));
    const Runner runner(kRows[1], cpu_device());
    for (const bool negative : {false, true}) {
        const auto factors = [&](int count) {
            std::vector<float> out(static_cast<std::size_t>(count));
            for (float& w : out)
                w = static_cast<float>(dice.below(negative ? 4 : 3) - (negative ? 2 : 0));
            out.front() = 1.0F;
            return out;
        };
        const Taps taps = separable_taps(factors(size_.width), factors(size_.height));
        ConvCase c = make_case(dice, image(dice.of(kBorders)), {one_set(taps)});
        if (channels_ == 4 && negative) keep_last_channel(c.problem);
        ASSERT_EQ(lay_out_tensor_separable(c.problem).sums, StripSums::whole);
        EXPECT_EQ(lay_out_tensor_separable(c.problem).shape, GetParam().second);
        EXPECT_EQ(check_against_oracle(runner, c), "");
        for (const double level : {0.0, 255.0}) {
            c.samples.assign(c.samples.size(), level);
            EXPECT_EQ(check_against_oracle(runner, c), "");
        }
    }
}

// Whole numbers in one direction, fractions in the other: the step between two sums is a level
// then, and no rounding may hide in it.
TEST(KernelsTensorSeparableMixed, MatchesOracleOnFlatPictures) {
    const std::vector<std::vector<float>> rows = {{1}, {0, 1, 0}, {1, 2, 1}, {1, 0, -1}};
    // The others are lines of 7.95 and 14.8652 pixels.
    std::vector<std::vector<float>> columns = {{0.1F, 0.8F, 0.1F}, {0.9F}};
    for (const float length : {7.95F, 14.8652F}) {
        const auto whole = static_cast<int>((length - 1.0F) / 2.0F) * 2 + 1;
        const float end = (length - static_cast<float>(whole)) / 2.0F / length;
        columns.push_back({end});
        columns.back().insert(columns.back().end(), static_cast<std::size_t>(whole), 1.0F / length);
        columns.back().push_back(end);
    }
    const Runner runner(kRows[1], cpu_device());
    Dice dice(1477);
    for (const std::vector<float>& row : rows)
        for (const std::vector<float>& column : columns)
            for (const bool turned : {false, true})
                for (const double level : {0.0, 77.0, 185.0, 255.0}) {
                    const Taps taps =
                        turned ? separable_taps(column, row) : separable_taps(row, column);
                    ConvCase c = make_case(dice, {{35, 5}}, {one_set(taps)});
                    c.problem.conv.front().scale = 1.0F;
                    c.problem.conv.front().bias = 0.0F;
                    c.samples.assign(std::size_t{35} * 5, level);
                    EXPECT_EQ(check_against_oracle(runner, c), "");
                }
}

std::string name_of_shape(const testing::TestParamInfo<std::pair<int, std::size_t>>& shape) {
    return fmt::format("Channels{}Shape{}", shape.param.first, shape.param.second);
}

INSTANTIATE_TEST_SUITE_P(, KernelsTensorSeparableShapes, testing::ValuesIn(all_strip_shapes()),
                         name_of_shape);

INSTANTIATE_TEST_SUITE_P(, KernelsTensorLaneModel, testing::ValuesIn(all_tables()), name_of_table);

}  // namespace weft::test
