// The two direct rows on the CPU: their own .cuh files, run thread by thread.
#include "tests/kernels/emulated/emulated_gpu.h"
#include "tests/kernels/emulated/emulated_launch.h"

// The emulator must come first.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/common/conv_layout.h"
#include "kernels/common/direct_layout.h"
#include "kernels/conv_kernel.h"
#include "kernels/direct/direct.cuh"
#include "kernels/rounding.h"
#include "kernels/separable/direct_separable.cuh"
#include "kernels/separable/separable_reuse.cuh"
#include "kernels/separable/separable_reuse.h"
#include "kernels/separable/separable_small.cuh"
#include "tests/kernels/emulated/lane_model.h"
#include "tests/support/gpu_table.h"

namespace weft {

alignas(16) float separable_memory[57 * 1024];

}  // namespace weft

namespace weft::test {

namespace {

template <class Body>
void with_pixel(PixelType type, const Body& body) {
    switch (type) {
        case PixelType::u8:
            return body(U8{});
        case PixelType::u16:
            return body(U16{});
        case PixelType::f32:
            return body(F32{});
    }
}

void point_at_borders(const BorderTables& borders, ConvImages& images) {
    images.x.table = borders.entries.data();
    images.y.table = borders.entries.data() + borders.y_table;
}

class EmulatedDirect : public PreparedConv {
 public:
    explicit EmulatedDirect(const ConvProblem& p) : type_(p.type), layout_(lay_out_direct(p)) {}
    void launch(const ImageView& src, const ImageView& dst, StreamView) override {
        point_at_borders(layout_.borders, layout_.args.images);
        set_images(src, dst, layout_.args.images);
        layout_.args.taps = layout_.taps.data();
        with_pixel(type_, [&](auto pixel) {
            emulated::run_blocks(layout_.blocks, kDirectBlockY, [&] {
                if (layout_.wide)
                    direct<decltype(pixel), Fp64Sums>(layout_.args);
                else
                    direct<decltype(pixel), Fp32Sums>(layout_.args);
            });
        });
    }

 private:
    PixelType type_;
    DirectLayout layout_;
};

class EmulatedSeparable : public PreparedConv {
 public:
    explicit EmulatedSeparable(const ConvProblem& p)
        : type_(p.type),
          layout_(lay_out_separable(p)),
          between_(layout_.workspace_bytes / sizeof(double) + 1) {}
    void launch(const ImageView& src, const ImageView& dst, StreamView) override {
        point_at_borders(layout_.borders, layout_.args.images);
        set_images(src, dst, layout_.args.images);
        layout_.args.taps = layout_.taps.data();
        layout_.args.between = between_.data();
        with_pixel(type_, [&](auto pixel) {
            if (layout_.wide)
                run_passes<decltype(pixel), Fp64Sums>();
            else
                run_passes<decltype(pixel), Fp32Sums>();
        });
    }

 private:
    template <class P, class Sums>
    void run_passes() {
        emulated::run_blocks(layout_.blocks, kDirectBlockY,
                             [&] { row_pass<P, Sums>(layout_.args); });
        emulated::run_blocks(layout_.blocks, kDirectBlockY,
                             [&] { column_pass<P, Sums>(layout_.args); });
    }

    PixelType type_;
    SeparableLayout layout_;
    std::vector<double> between_;
};

template <class P>
void run_separable_reuse(const SeparableReuseLayout& layout, int channels) {
    constexpr std::array<void (*)(SeparableReuseArgs), 4> kKernels = {
        separable_reuse<P, 1>, separable_reuse<P, 2>, separable_reuse<P, 3>, separable_reuse<P, 4>};
    const auto kernel = kKernels[static_cast<std::size_t>(channels) - 1];
    emulated::run_blocks(layout.blocks, kSeparableWarps, [&] { kernel(layout.args); });
}

class EmulatedSeparableReuse : public PreparedConv {
 public:
    EmulatedSeparableReuse(const ConvProblem& p, const Device& gpu)
        : problem_(p), layout_(lay_out_separable_reuse(p, gpu)) {}
    void launch(const ImageView& src, const ImageView& dst, StreamView) override {
        point_at_borders(layout_.borders, layout_.args.images);
        set_images(src, dst, layout_.args.images);
        layout_.args.taps = layout_.taps.data();
        layout_.args.dst_aligned = rows_aligned(dst, 16);
        with_pixel(problem_.type, [&](auto pixel) {
            run_separable_reuse<decltype(pixel)>(layout_, problem_.channels);
        });
    }

 private:
    ConvProblem problem_;
    SeparableReuseLayout layout_;
};

// The variant of kSmallVariants that separable_reuse chooses for the problem.
class EmulatedSeparableSmall : public PreparedConv {
 public:
    EmulatedSeparableSmall(const ConvProblem& p, const Device&)
        : variant_(find_small_variant(p).value()),
          layout_(lay_out_separable_small(p, kSmallVariants[variant_])) {}
    void launch(const ImageView& src, const ImageView& dst, StreamView) override {
        static constexpr auto kKernels =
            small_kernels(std::make_index_sequence<kSmallVariants.size()>());
        SeparableSmallArgs& args = layout_.args;
        point_at_borders(layout_.borders, args.images);
        set_images(src, dst, args.images);
        args.dst_aligned = rows_aligned(dst, 16);
        // A NaN where the kernel reads a sum that no thread has written.
        std::ranges::fill(separable_memory, std::numeric_limits<float>::quiet_NaN());
        emulated::run_blocks(layout_.blocks, kSmallVariants[variant_].shape.warps, [&] {
            kKernels[variant_][static_cast<std::size_t>(layout_.size) / 2](args);
        });
    }

 private:
    std::size_t variant_;
    SeparableSmallLayout layout_;
};

bool small(const ConvProblem& p) {
    return p.width < 2000 && p.height < 2000;
}

std::string why_not_direct(const ConvProblem& p, const Device&) {
    const bool dense = std::ranges::all_of(
        p.conv, [](const ChannelConv& c) { return std::ranges::all_of(c.taps, &Taps::dense); });
    return dense && small(p) ? "" : "dense taps only";
}

std::string why_not_separable(const ConvProblem& p, const Device&) {
    const bool factored = std::ranges::all_of(
        p.conv, [](const ChannelConv& c) { return c.taps.front().separable(); });
    return factored && p.combine == Combine::single && small(p) ? "" : "factored taps only";
}

std::string why_not_small(const ConvProblem& p, const Device& cpu) {
    if (std::string reason = why_not_separable(p, cpu); !reason.empty()) return reason;
    return find_small_variant(p) ? why_not_factors_in_fp32(p) : "no compiled kernel";
}

std::unique_ptr<PreparedConv> prepare_direct(const ConvProblem& p, const Device&) {
    return std::make_unique<EmulatedDirect>(p);
}

std::unique_ptr<PreparedConv> prepare_separable(const ConvProblem& p, const Device&) {
    return std::make_unique<EmulatedSeparable>(p);
}

template <Device (*kGpu)()>
std::string why_not_separable_reuse_on(const ConvProblem& p, const Device& cpu) {
    if (std::string reason = why_not_separable(p, cpu); !reason.empty()) return reason;
    std::string reason = why_not_factors_in_fp32(p);
    return reason.empty() ? why_not_between(p, kGpu()) : reason;
}

template <Device (*kGpu)()>
std::unique_ptr<PreparedConv> emulate_separable_reuse(const ConvProblem& p, const Device&) {
    return std::make_unique<EmulatedSeparableReuse>(p, kGpu());
}

std::unique_ptr<PreparedConv> emulate_separable_small(const ConvProblem& p, const Device& gpu) {
    return std::make_unique<EmulatedSeparableSmall>(p, gpu);
}

}  // namespace

TEST(KernelsDirectLaneModel, DirectMatchesOracle) {
    check_all_tables(emulated_row("direct on the CPU", why_not_direct, prepare_direct), 7, 20);
}

TEST(KernelsDirectLaneModel, SeparableMatchesOracle) {
    check_all_tables(
        emulated_row("direct_separable on the CPU", why_not_separable, prepare_separable), 5, 20);
}

TEST(KernelsDirectLaneModel, SeparableReuseMatchesOracle) {
    check_all_tables(emulated_row("separable_reuse on the CPU", why_not_separable_reuse_on<h200>,
                                  emulate_separable_reuse<h200>),
                     3, 20);
}

// 64 KiB of shared memory: 16 rows, and blocks no wider than fits.
TEST(KernelsDirectLaneModel, SeparableReuseMatchesOracleWithLittleSharedMemory) {
    check_all_tables(emulated_row("separable_reuse on the CPU", why_not_separable_reuse_on<t4>,
                                  emulate_separable_reuse<t4>),
                     4, 20);
}

TEST(KernelsDirectLaneModel, SeparableSmallMatchesOracle) {
    check_all_tables(emulated_row("separable_reuse, small form, on the CPU", why_not_small,
                                  emulate_separable_small),
                     1, 30);
}

}  // namespace weft::test
