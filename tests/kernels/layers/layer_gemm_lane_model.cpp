// implicit_gemm on the CPU, with its form for few channels: their own .cuh files, run lane by lane.
#include "tests/kernels/emulated/emulated_elements.h"
#include "tests/kernels/emulated/emulated_gpu.h"
#include "tests/kernels/emulated/emulated_launch.h"
#include "tests/kernels/emulated/emulated_mma.h"

// The emulator must come first.
#include <gtest/gtest.h>

#include "kernels/layers/implicit_gemm_bank_f16.cuh"
#include "kernels/layers/implicit_gemm_bank_f32.cuh"
#include "kernels/layers/implicit_gemm_f16.cuh"
#include "kernels/layers/implicit_gemm_f32.cuh"
#include "tests/kernels/emulated/lane_model.h"

namespace weft {

Floats<4> bank_tile[101376 / sizeof(Floats<4>)];
Words<4> bank_fragments[101376 / sizeof(Words<4>)];
Floats<4> gemm_slices[sizeof(GemmSlices<GemmWide>) / sizeof(Floats<4>)];
Words<4> half_slices[sizeof(HalfSlices<HalfForm<HighTile, true>>) / sizeof(Words<4>)];

}  // namespace weft

namespace weft::test {

namespace {

class EmulatedGemm : public PreparedLayer {
 public:
    explicit EmulatedGemm(const LayerProblem& p)
        : type_(p.type), plan_(plan_gemm(p, 4)), partial_(plan_.partial_sums()) {
        plan_.args.places = plan_.places.data();
        plan_.args.weights = plan_.halves.data();
        if (type_ == LayerType::f32) plan_.args.weights = plan_.weights.data();
        if (!partial_.empty()) plan_.args.partial = partial_.data();
    }

    void launch(const void* input, void* output, StreamView) override {
        plan_.args.input = input;
        plan_.args.output = output;
        const bool large = plan_.tile.rows >= kGemmWide.rows;
        if (type_ == LayerType::f32)
            emulated::run_blocks(grid(), kGemmThreads / 32, [&] {
                large ? implicit_gemm_f32<GemmWide>(plan_.args)
                      : implicit_gemm_f32<GemmNarrow>(plan_.args);
            });
        else if (plan_.tile.rows == kGemmHigh.rows)
            run_f16<HighTile>();
        else
            run_f16<FlatTile>();
        if (!partial_.empty()) add_up();
    }

 private:
    emulated::Grid grid() const { return {plan_.blocks, plan_.args.splits}; }

    template <class Tile>
    void run_f16() {
        emulated::run_blocks(grid(), kHalfThreads / 32, [&] {
            plan_.vectors ? implicit_gemm_f16<HalfForm<Tile, true>>(plan_.args)
                          : implicit_gemm_f16<HalfForm<Tile, false>>(plan_.args);
        });
    }

    void add_up() {
        const auto outputs = static_cast<int>(partial_.size()) / plan_.args.splits;
        emulated::run_blocks((outputs + 255) / 256, kAddWarps, [&] {
            type_ == LayerType::f32 ? add_splits<ElementF32>(plan_.args)
                                    : add_splits<ElementF16>(plan_.args);
        });
    }

    LayerType type_;
    GemmPlan plan_;
    std::vector<float> partial_;
};

class EmulatedBank : public PreparedLayer {
 public:
    explicit EmulatedBank(const LayerProblem& p)
        : type_(p.type), taps_(p.taps.x), plan_(plan_bank(p)) {
        plan_.args.weights = plan_.halves.data();
        if (type_ == LayerType::f32) plan_.args.weights = plan_.weights.data();
    }

    void launch(const void* input, void* output, StreamView) override {
        plan_.args.input = input;
        plan_.args.output = output;
        const int warps = type_ == LayerType::f32 ? kBankWarps : kHalfBankWarps;
        emulated::run_blocks(plan_.blocks, warps,
                             [&] { type_ == LayerType::f32 ? run_f32() : run_f16(); });
    }

 private:
    void run_f32() const {
        switch (taps_) {
            case 3:
                return layer_bank_f32<3>(plan_.args);
            case 5:
                return layer_bank_f32<5>(plan_.args);
            case 7:
                return layer_bank_f32<7>(plan_.args);
            case 9:
                return layer_bank_f32<9>(plan_.args);
            default:
                return layer_bank_f32<11>(plan_.args);
        }
    }

    void run_f16() const {
        switch (plan_.chunks) {
            case 1:
                return layer_bank_f16<1>(plan_.args);
            case 2:
                return layer_bank_f16<2>(plan_.args);
            default:
                return layer_bank_f16<3>(plan_.args);
        }
    }

    LayerType type_;
    int taps_;
    BankPlan plan_;
};

// Emulated tensor cores take a millisecond per multiplication.
std::string takes_small_gemm(const LayerProblem& p, const Device&) {
    const GemmPlan plan = plan_gemm(p, 4);
    const int multiplications = plan.blocks * plan.args.depth / 16 * plan.tile.rows / 16;
    return p.type == LayerType::f32 || multiplications < 60 ? "" : "it takes too long";
}

std::string takes_small_bank(const LayerProblem& p, const Device&) {
    if (!takes_bank(p)) return "it is not for few channels";
    const int rows = p.batch * p.out_height() * ((p.out_channels + 15) / 16);
    return p.type == LayerType::f32 || rows * p.taps.y < 60 ? "" : "it takes too long";
}

}  // namespace

TEST(KernelsGemmLaneModel, BankMatchesOracle) {
    check_all_layer_tables({.name = "implicit_gemm for few channels on the CPU",
                            .space = MemorySpace::host,
                            .why_not = takes_small_bank,
                            .prepare = prepare_emulated<EmulatedBank>},
                           1);
}

TEST(KernelsGemmLaneModel, GemmMatchesOracle) {
    check_all_layer_tables({.name = "implicit_gemm on the CPU",
                            .space = MemorySpace::host,
                            .why_not = takes_small_gemm,
                            .prepare = prepare_emulated<EmulatedGemm>},
                           13);
}

}  // namespace weft::test
