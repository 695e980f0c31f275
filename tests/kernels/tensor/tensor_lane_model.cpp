// The tensor core rows lane by lane on the CPU: the product's own .cuh files with
// matrix instructions written out, against the same tables and oracle as every other row. This is
// what proves bands, fragments, borders and stores on machines without a GPU.
#include "tests/kernels/emulated/emulated_gpu.h"
#include "tests/kernels/emulated/emulated_mma.h"

// The emulator must come first.
#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/conv_kernel.h"
#include "kernels/tensor/tensor_dense.cuh"
#include "kernels/tensor/tensor_int8.h"
#include "kernels/tensor/tensor_int8_narrow.cuh"
#include "kernels/tensor/tensor_int8_wide.cuh"
#include "kernels/tensor/tensor_layout.h"
#include "kernels/tensor/tensor_separable.cuh"
#include "tests/kernels/cases/case_maker.h"
#include "tests/kernels/cases/conv_tables.h"
#include "tests/support/gpu_table.h"

namespace weft {

SegmentWords tensor_tile[200 * 120];

}  // namespace weft

namespace weft::test {

namespace {

using Kernel = void (*)(TensorArgs);

class EmulatedTensor : public PreparedConv {
 public:
    EmulatedTensor(const TensorLayout& layout, Kernel kernel) : layout_(layout), kernel_(kernel) {}

    void launch(const ImageView& src, const ImageView& dst, StreamView) override {
        TensorArgs& args = layout_.args;
        args.images.x.table = layout_.borders.entries.data();
        args.images.y.table = layout_.borders.entries.data() + layout_.borders.y_table;
        args.bands = layout_.bands.data();
        args.columns = layout_.columns.data();
        set_images(src, dst, args.images);
        args.tile.src_aligned = rows_aligned(src, 16);
        args.dst_aligned = rows_aligned(dst, 16);
        // Few blocks, so that each computes several tiles.
        args.blocks = std::min(args.tiles, 3);
        emulated::run_blocks(args.blocks, args.tile.threads / 32, [&] { kernel_(args); });
    }

 private:
    TensorLayout layout_;
    Kernel kernel_;
};

template <bool SeveralSets>
Kernel dense_kernel(int chunks) {
    constexpr std::array<Kernel, kMaxUnrolledChunks + 1> kKernels = {
        tensor_dense<0, SeveralSets>, nullptr,
        tensor_dense<2, SeveralSets>, tensor_dense<3, SeveralSets>,
        tensor_dense<4, SeveralSets>, tensor_dense<5, SeveralSets>};
    return kKernels[static_cast<std::size_t>(unrolled_chunks(chunks))];
}

template <Device (*kGpu)()>
std::unique_ptr<PreparedConv> prepare_dense(const ConvProblem& p, const Device&) {
    const TensorLayout layout = lay_out_tensor_dense(p, kGpu());
    return std::make_unique<EmulatedTensor>(layout, layout.args.sets > 1
                                                        ? dense_kernel<true>(layout.args.chunks)
                                                        : dense_kernel<false>(layout.args.chunks));
}

template <Device (*kGpu)()>
std::unique_ptr<PreparedConv> prepare_separable(const ConvProblem& p, const Device&) {
    constexpr std::array<Kernel, kMaxUnrolledChunks + 1> kKernels = {nullptr,
                                                                     nullptr,
                                                                     tensor_separable<2>,
                                                                     tensor_separable<3>,
                                                                     tensor_separable<4>,
                                                                     tensor_separable<5>};
    const TensorLayout layout = lay_out_tensor_separable(p, kGpu());
    return std::make_unique<EmulatedTensor>(layout,
                                            kKernels[static_cast<std::size_t>(layout.args.chunks)]);
}

using Int8Kernel = void (*)(Int8Args);

class EmulatedInt8 : public PreparedConv {
 public:
    EmulatedInt8(Int8Layout layout, Int8Kernel kernel)
        : layout_(std::move(layout)), kernel_(kernel) {}

    void launch(const ImageView& src, const ImageView& dst, StreamView) override {
        Int8Args& args = layout_.args;
        args.bands = layout_.bands.data();
        // Word-aligned rows, as the launch creates for other destinations.
        const int pitch = (dst.width + 3) & ~3;
        std::vector<std::uint8_t> rows(static_cast<std::size_t>(pitch) * dst.height);
        ImageView words = dst;
        if (!rows_aligned(dst, 4)) {
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
                std::copy_n(rows.data() + static_cast<std::size_t>(y) * pitch, dst.width,
                            static_cast<std::uint8_t*>(dst.data) + y * dst.pitch_bytes);
    }

 private:
    Int8Layout layout_;
    Int8Kernel kernel_;
};

template <Int8Sums kSums>
Int8Kernel narrow_kernel(int tap_rows) {
    constexpr std::array<Int8Kernel, 4> kKernels = {
        tensor_int8_narrow<3, kSums>, tensor_int8_narrow<5, kSums>, tensor_int8_narrow<7, kSums>,
        tensor_int8_narrow<9, kSums>};
    return kKernels[static_cast<std::size_t>(tap_rows / 2 - 1)];
}

template <Int8Sums kSums>
Int8Kernel wide_kernel(int halves) {
    constexpr std::array<Int8Kernel, kMaxInt8Halves + 1> kKernels = {nullptr,
                                                                     nullptr,
                                                                     nullptr,
                                                                     tensor_int8_wide<3, kSums>,
                                                                     tensor_int8_wide<4, kSums>,
                                                                     tensor_int8_wide<5, kSums>,
                                                                     tensor_int8_wide<6, kSums>,
                                                                     nullptr,
                                                                     tensor_int8_wide<8, kSums>,
                                                                     nullptr,
                                                                     tensor_int8_wide<10, kSums>};
    return kKernels[static_cast<std::size_t>(halves)];
}

std::unique_ptr<PreparedConv> prepare_int8(const ConvProblem& p, const Device&) {
    Int8Layout layout = lay_out_tensor_int8(p);
    const int rows = layout.narrow_rows;
    const int halves = layout.halves;
    Int8Kernel kernel = nullptr;
    switch (layout.sums) {
        case Int8Sums::whole:
            kernel = rows > 0 ? narrow_kernel<Int8Sums::whole>(rows)
                              : wide_kernel<Int8Sums::whole>(halves);
            break;
        case Int8Sums::fraction:
            kernel = rows > 0 ? narrow_kernel<Int8Sums::fraction>(rows)
                              : wide_kernel<Int8Sums::fraction>(halves);
            break;
        case Int8Sums::magnitude:
            kernel = narrow_kernel<Int8Sums::magnitude>(rows);
            break;
    }
    return std::make_unique<EmulatedInt8>(std::move(layout), kernel);
}

bool too_slow_here(const ConvProblem& p) {
    return p.width > 600 || p.height > 600;
}

const std::array<ConvKernel, 3> kRows = {{
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
         return too_slow_here(p) ? "too slow here" : why_not_tensor_separable(p, h200());
     },
     .prepare = prepare_separable<h200>,
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
    check_table(kRows[2], *GetParam(), GetParam()->name == "StructuredPictures" ? 1 : 5);
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

INSTANTIATE_TEST_SUITE_P(, KernelsTensorLaneModel, testing::ValuesIn(all_tables()), name_of_table);

}  // namespace weft::test
