// The layer forms of direct, column_row_reuse and sparse_direct on the CPU: their own .cuh files,
// run lane by lane.
#include "tests/kernels/emulated/emulated_elements.h"
#include "tests/kernels/emulated/emulated_gpu.h"
#include "tests/kernels/emulated/emulated_launch.h"
#include "tests/kernels/emulated/emulated_mma.h"

// The emulator must come first.
#include <algorithm>

#include <gtest/gtest.h>

#include "kernels/layers/layer_depthwise_variants.cuh"
#include "kernels/layers/layer_direct.cuh"
#include "kernels/layers/sparse_direct_tiled.cuh"
#include "tests/kernels/emulated/lane_model.h"
#include "tests/kernels/layers/layer_tables.h"

namespace weft {

Words<4> plane_tile[101376 / sizeof(Words<4>)];
Words<4> pixel_rows[101376 / sizeof(Words<4>)];
Words<4> small_planes[101376 / sizeof(Words<4>)];
Words<4> sparse_tile[101376 / sizeof(Words<4>)];

}  // namespace weft

namespace weft::test {

namespace {

class EmulatedDirect : public PreparedLayer {
 public:
    explicit EmulatedDirect(const LayerProblem& p)
        : type_(p.type), weights_(used_weights(p)), outputs_(p.outputs()) {
        args_.shape = layer_shape(p);
        args_.weights = weights_.data();
    }

    void launch(const void* input, void* output, StreamView) override {
        args_.input = input;
        args_.output = output;
        const auto blocks =
            static_cast<int>((outputs_ + kLayerDirectBlock - 1) / kLayerDirectBlock);
        emulated::run_blocks(blocks, kLayerDirectWarps, [&] {
            type_ == LayerType::f32 ? layer_direct<ElementF32>(args_)
                                    : layer_direct<ElementF16>(args_);
        });
    }

 private:
    LayerType type_;
    std::vector<float> weights_;
    std::int64_t outputs_;
    LayerArgs args_;
};

struct DepthwiseKernels {
    template <class F>
    DepthwiseKernel lanes() const {
        return depthwise_lanes<F>;
    }
    template <class F>
    DepthwiseKernel small_planes() const {
        return depthwise_small_planes<F>;
    }
    template <class F>
    DepthwiseKernel planes() const {
        return depthwise_planes<F>;
    }
    template <class F>
    DepthwiseKernel pixels() const {
        return depthwise_pixels<F>;
    }
};

class EmulatedDepthwise : public PreparedLayer {
 public:
    explicit EmulatedDepthwise(const LayerProblem& p)
        : type_(p.type), plan_(plan_depthwise(p, 40)) {
        if (plan_.args.stages == 2) share_images(plan_, 1);  // so that blocks take several images
        plan_.args.weights = plan_.weights.data();
    }

    void launch(const void* input, void* output, StreamView) override {
        plan_.args.input = input;
        plan_.args.output = output;
        const DepthwiseKernel kernel = pick_depthwise(plan_, type_, DepthwiseKernels{});
        emulated::run_blocks(plan_.blocks, plan_.warps, [&] { kernel(plan_.args); });
    }

 private:
    LayerType type_;
    DepthwisePlan plan_;
};

class EmulatedSparse : public PreparedLayer {
 public:
    explicit EmulatedSparse(const LayerProblem& p) : type_(p.type), rows_(sparse_rows(p)) {
        args_.shape = layer_shape(p);
        args_.begin = rows_.begin.data();
        args_.values = rows_.values.data();
        args_.places = rows_.places.data();
        args_.pixels = static_cast<unsigned>(p.outputs() / p.out_channels);
        args_.pixel_blocks = (args_.pixels + kSparseDirectBlock - 1) / kSparseDirectBlock;
    }

    void launch(const void* input, void* output, StreamView) override {
        args_.input = input;
        args_.output = output;
        const auto blocks = static_cast<int>(args_.pixel_blocks) * args_.shape.out_channels;
        emulated::run_blocks(blocks, kSparseDirectWarps, [&] {
            type_ == LayerType::f32 ? sparse_direct<ElementF32>(args_)
                                    : sparse_direct<ElementF16>(args_);
        });
    }

 private:
    LayerType type_;
    SparseRows rows_;
    SparseArgs args_;
};

struct SparseKernels {
    template <class F>
    SparseKernel tiled() const {
        return sparse_direct_tiled<F>;
    }
};

class EmulatedSparseTiled : public PreparedLayer {
 public:
    explicit EmulatedSparseTiled(const LayerProblem& p)
        : type_(p.type), plan_(plan_sparse_tiled(p, sparse_form(p))) {
        plan_.args.lists = plan_.lists.data();
        plan_.args.rows = plan_.rows.data();
    }

    void launch(const void* input, void* output, StreamView) override {
        plan_.args.input = input;
        plan_.args.output = output;
        const SparseKernel kernel = pick_sparse(plan_.form, type_, SparseKernels{});
        emulated::run_blocks(plan_.blocks, plan_.form.warps, [&] { kernel(plan_.args); });
    }

 private:
    LayerType type_;
    SparseTiledPlan plan_;
};

std::string takes_depthwise(const LayerProblem& p, const Device&) {
    return why_not_depthwise(p);
}

std::string takes_sparse_tiled(const LayerProblem& p, const Device&) {
    return why_not_sparse_tiled(p);
}

std::string takes_all(const LayerProblem&, const Device&) {
    return "";
}

// Errors that the tables must catch: taps mirrored, transposed, or of the next output channel.
enum class Fault { mirrored, transposed, rotated };

LayerProblem broken(LayerProblem p, Fault fault) {
    const int taps = p.taps.y * p.taps.x;
    std::vector<float>& w = p.weights;
    const std::vector<float> before = w;
    switch (fault) {
        case Fault::mirrored:
            for (auto at = w.begin(); at != w.end(); at += taps) std::reverse(at, at + taps);
            break;
        case Fault::transposed:
            for (std::size_t k = 0; k < w.size(); ++k) {
                const int at = static_cast<int>(k) % taps;
                w[k] = before[k - at + at % p.taps.y * p.taps.x + at / p.taps.y];
            }
            break;
        case Fault::rotated:
            std::rotate(w.begin(), w.begin() + p.sum_length(), w.end());
            break;
    }
    return p;
}

template <Fault fault>
std::unique_ptr<PreparedLayer> prepare_broken(const LayerProblem& p, const Device&) {
    return std::make_unique<EmulatedDirect>(broken(p, fault));
}

template <Fault fault>
void expect_caught() {
    const LayerKernel row = {.name = "broken",
                             .space = MemorySpace::host,
                             .why_not = takes_all,
                             .prepare = prepare_broken<fault>};
    const LayerRunner runner(row, cpu_device());
    int taken = 0;
    const std::vector<LayerCase> cases = layer_sanitizer_cases();
    for (std::size_t k = 0; k < cases.size(); k += 4) {
        const LayerCase& c = cases[k];
        const LayerProblem& p = c.problem;
        if (broken(p, fault).weights == p.weights || p.height * p.width < 4) continue;
        if (p.padding.y >= p.height || p.padding.x >= p.width) continue;
        ++taken;
        EXPECT_NE(check_layer(runner, c), "") << describe(p);
    }
    EXPECT_GT(taken, 20);
}

}  // namespace

TEST(KernelsLayerLaneModel, FaultsAreCaught) {
    expect_caught<Fault::mirrored>();
    expect_caught<Fault::transposed>();
    expect_caught<Fault::rotated>();
}

TEST(KernelsLayerLaneModel, DirectMatchesOracle) {
    check_all_layer_tables({.name = "direct on the CPU",
                            .space = MemorySpace::host,
                            .why_not = takes_all,
                            .prepare = prepare_emulated<EmulatedDirect>},
                           5);
}

TEST(KernelsLayerLaneModel, DepthwiseMatchesOracle) {
    check_all_layer_tables({.name = "column_row_reuse on the CPU",
                            .space = MemorySpace::host,
                            .why_not = takes_depthwise,
                            .prepare = prepare_emulated<EmulatedDepthwise>},
                           1);
}

TEST(KernelsLayerLaneModel, SparseMatchesOracle) {
    check_all_layer_tables({.name = "sparse_direct on the CPU",
                            .space = MemorySpace::host,
                            .why_not = takes_all,
                            .prepare = prepare_emulated<EmulatedSparse>},
                           19);
}

TEST(KernelsLayerLaneModel, SparseTiledMatchesOracle) {
    check_all_layer_tables({.name = "sparse_direct_tiled on the CPU",
                            .space = MemorySpace::host,
                            .why_not = takes_sparse_tiled,
                            .prepare = prepare_emulated<EmulatedSparseTiled>},
                           5);
}

}  // namespace weft::test
