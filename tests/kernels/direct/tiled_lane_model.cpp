// shared_tile, column_row_reuse_classic and sparse_direct on the CPU: their own .cuh files, thread
// by thread.
#include "tests/kernels/emulated/emulated_gpu.h"
#include "tests/kernels/emulated/emulated_launch.h"

// The emulator must come first.
#include <algorithm>
#include <array>
#include <utility>

#include <gtest/gtest.h>

#include "kernels/common/direct_layout.h"
#include "kernels/conv_kernel.h"
#include "kernels/direct/shared_tile.cuh"
#include "kernels/reuse/column_row_reuse_classic.cuh"
#include "kernels/rounding.h"
#include "kernels/sparse/sparse_direct.cuh"
#include "tests/kernels/cases/conv_tables.h"
#include "tests/kernels/emulated/lane_model.h"

namespace weft {

float shared_tile_samples[(32 + 62 * 4) * (kSharedTileRows + 62)];
float classic_taps[kClassicColumns * 63];
alignas(16) std::uint32_t sparse_samples[99 * 1024 / 4];

}  // namespace weft

namespace weft::test {

namespace {

template <class Args>
class EmulatedTiled : public PreparedConv {
 public:
    EmulatedTiled(TiledLayout<Args> layout, int warps, void (*kernel)(Args))
        : layout_(std::move(layout)), warps_(warps), kernel_(kernel) {}

    void launch(const ImageView& src, const ImageView& dst, StreamView) override {
        DirectArgs& args = layout_.args.direct;
        args.images.x.table = layout_.borders.entries.data();
        args.images.y.table = layout_.borders.entries.data() + layout_.borders.y_table;
        args.taps = layout_.taps.data();
        set_images(src, dst, args.images);
        emulated::run_blocks(layout_.blocks, warps_, [&] { kernel_(layout_.args); });
    }

 private:
    TiledLayout<Args> layout_;
    int warps_;
    void (*kernel_)(Args);
};

class EmulatedSparse : public PreparedConv {
 public:
    explicit EmulatedSparse(const ConvProblem& p)
        : layout_(lay_out_sparse_image(p)),
          kernel_(p.type == PixelType::u8    ? sparse_direct_image<U8>
                  : p.type == PixelType::u16 ? sparse_direct_image<U16>
                                             : sparse_direct_image<F32>) {}

    void launch(const ImageView& src, const ImageView& dst, StreamView) override {
        SparseImageArgs& args = layout_.args;
        args.images.x.table = layout_.borders.entries.data();
        args.images.y.table = layout_.borders.entries.data() + layout_.borders.y_table;
        args.taps = layout_.taps.data();
        set_images(src, dst, args.images);
        args.src_words = rows_aligned(src, 4);
        const auto end = std::begin(sparse_samples) + layout_.shared_bytes / 4;
        std::fill(end, std::end(sparse_samples), kUnused);
        emulated::run_blocks(layout_.blocks, kSparseImageWarps, [&] { kernel_(args); });
        if (std::find_if(end, std::end(sparse_samples), [](std::uint32_t word) {
                return word != kUnused;
            }) != std::end(sparse_samples))
            throw std::logic_error("more shared memory is written than the launch asks for");
    }

 private:
    static constexpr std::uint32_t kUnused = 0x7FC0DEADU;  // a NaN if it is read

    SparseImageLayout layout_;
    void (*kernel_)(SparseImageArgs);
};

std::unique_ptr<PreparedConv> prepare_sparse(const ConvProblem& p, const Device&) {
    return std::make_unique<EmulatedSparse>(p);
}

std::unique_ptr<PreparedConv> prepare_tile(const ConvProblem& p, const Device&) {
    const auto kernel = p.type == PixelType::u8    ? shared_tile<U8>
                        : p.type == PixelType::u16 ? shared_tile<U16>
                                                   : shared_tile<F32>;
    return std::make_unique<EmulatedTiled<SharedTileArgs>>(lay_out_shared_tile(p), kDirectBlockY,
                                                           kernel);
}

template <std::size_t... Width>
auto classic_kernels(std::index_sequence<Width...>) {
    return std::array<void (*)(ClassicArgs), sizeof...(Width)>{reuse_classic<Width + 1>...};
}

std::unique_ptr<PreparedConv> prepare_classic(const ConvProblem& p, const Device&) {
    const auto kernels = classic_kernels(std::make_index_sequence<kClassicColumns>());
    return std::make_unique<EmulatedTiled<ClassicArgs>>(
        lay_out_classic(p), kClassicWarps, kernels[static_cast<std::size_t>(p.taps().width) - 1]);
}

std::string why_not_tile(const ConvProblem& p, const Device&) {
    const bool dense = std::ranges::all_of(
        p.conv, [](const ChannelConv& c) { return std::ranges::all_of(c.taps, &Taps::dense); });
    return dense && p.width < 2000 && p.height < 2000 ? why_not_dense_in_fp32(p)
                                                      : "dense taps only";
}

std::string why_not_classic(const ConvProblem& p, const Device& device) {
    return p.taps().width > kClassicColumns ? "too wide" : why_not_tile(p, device);
}

}  // namespace

TEST(KernelsTiledLaneModel, SharedTileMatchesOracle) {
    check_all_tables(emulated_row("shared_tile on the CPU", why_not_tile, prepare_tile), 13, 20);
}

TEST(KernelsTiledLaneModel, ClassicMatchesOracle) {
    check_all_tables(
        emulated_row("column_row_reuse_classic on the CPU", why_not_classic, prepare_classic), 11,
        20);
}

TEST(KernelsTiledLaneModel, SparseMatchesOracle) {
    check_all_tables(emulated_row("sparse_direct on the CPU", why_not_tile, prepare_sparse), 7, 20);
}

TEST(KernelsTiledLaneModel, SparseTapsMatchOracle) {
    const ConvKernel row = emulated_row("sparse_direct on the CPU", why_not_tile, prepare_sparse);
    const Runner runner(row, cpu_device());
    const auto table =
        std::ranges::find(conv_tables(), std::string_view("SparseTaps"), &ConvTable::name);
    ASSERT_NE(table, conv_tables().end());
    for (const ConvCase& c : table->cases()) ASSERT_EQ(check_against_oracle(runner, c), "");
}

// The exchange for every width: taps that pick one column each.
TEST(KernelsTiledLaneModel, ClassicLanesGetTheirColumns) {
    const ConvKernel row =
        emulated_row("column_row_reuse_classic on the CPU", why_not_classic, prepare_classic);
    for (int width = 1; width <= kClassicColumns; ++width) {
        ConvCase c;
        c.problem.width = 45;
        c.problem.height = 2;
        c.problem.type = PixelType::f32;
        c.problem.border = Border::wrap;
        std::vector<float> weights(static_cast<std::size_t>(width));
        for (int k = 0; k < width; ++k)
            weights[static_cast<std::size_t>(k)] = static_cast<float>(k + 1);
        c.problem.conv = {{.taps = {dense_taps(width, 1, weights)}}};
        c.integer_samples = true;
        EXPECT_EQ(check_against_oracle(Runner(row, cpu_device()), c), "") << width;
    }
}

}  // namespace weft::test
