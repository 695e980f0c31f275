// The layer forms of shared_tile and fft on the CPU: their own .cuh files, run lane by lane,
// between transforms by the definition.
#include "tests/kernels/emulated/emulated_elements.h"
#include "tests/kernels/emulated/emulated_gpu.h"

// The emulator must come first.
#include <algorithm>
#include <stdexcept>

#include <gtest/gtest.h>

#include "kernels/layers/layer_fft.cuh"
#include "kernels/layers/layer_shared_tile.cuh"
#include "tests/kernels/emulated/emulated_fft.h"
#include "tests/kernels/emulated/lane_model.h"
#include "tests/kernels/layers/layer_case.h"

namespace weft {

float layer_tile_samples[101376 / sizeof(float)];

}  // namespace weft

namespace weft::test {

namespace {

struct TileLayerKernels {
    template <class E, int Outputs, int Pixels>
    TileLayerKernel form() const {
        return layer_shared_tile<E, Outputs, Pixels>;
    }
};

// With little shared memory, so that tiles are cut down too.
constexpr int kTileShared = 16 * 1024;

class EmulatedTile : public PreparedLayer {
 public:
    explicit EmulatedTile(const LayerProblem& p)
        : type_(p.type), plan_(plan_tile_layer(p, kTileShared)) {
        plan_.args.weights = plan_.weights.data();
    }

    void launch(const void* input, void* output, StreamView) override {
        plan_.args.input = input;
        plan_.args.output = output;
        const TileLayerKernel kernel = pick_tile_layer(plan_.form, type_, TileLayerKernels{});
        const auto end = std::begin(layer_tile_samples) + plan_.shared_bytes / 4;
        std::fill(std::begin(layer_tile_samples), std::end(layer_tile_samples), kUnused);
        emulated::run_blocks(plan_.blocks, plan_.warps(), [&] { kernel(plan_.args); });
        if (std::any_of(end, std::end(layer_tile_samples), [](float v) { return v != kUnused; }))
            throw std::logic_error("more shared memory is written than the launch asks for");
    }

 private:
    static constexpr float kUnused = 1e30F;  // any result that reads it is wrong

    LayerType type_;
    TileLayerPlan plan_;
};

// In rounds of at most five tiles, so that the last one is not full.
class EmulatedFft : public PreparedLayer {
 public:
    explicit EmulatedFft(const LayerProblem& p)
        : type_(p.type),
          plan_(plan_fft_layer(p)),
          spectra_(planes(p.out_channels * p.group_inputs())) {
        tiles_a_round_ = std::min(5, plan_.tiles_a_round);
        inputs_ = planes(tiles_a_round_ * p.in_channels);
        outputs_ = planes(tiles_a_round_ * p.out_channels);
        const int count = p.out_channels * p.group_inputs();
        emulated::run_blocks(count, kFftLayerWarps, [&] {
            fft_layer_place_taps<kFftLayerThreads>(plan_.args, plan_.weights.data(),
                                                   spectra_.data());
        });
        for_each_plane(spectra_, count, [](EmulatedTransform t) { t.forward(); });
        plan_.args.spectra = spectra_.data();
        plan_.args.inputs = inputs_.data();
        plan_.args.outputs = outputs_.data();
    }

    void launch(const void* input, void* output, StreamView) override {
        FftLayerArgs& a = plan_.args;
        a.input = input;
        a.output = output;
        for (a.first_tile = 0; a.first_tile < a.tiles; a.first_tile += tiles_a_round_) {
            a.round_tiles = std::min(tiles_a_round_, a.tiles - a.first_tile);
            run_round();
        }
    }

 private:
    std::vector<float> planes(int count) const {
        return std::vector<float>(static_cast<std::size_t>(count) *
                                  static_cast<std::size_t>(plan_.plane_floats()));
    }

    template <class Body>
    void for_each_plane(std::vector<float>& planes, int count, const Body& body) const {
        for (int k = 0; k < count; ++k)
            body(EmulatedTransform(
                planes.data() + static_cast<std::ptrdiff_t>(k) * plan_.plane_floats(),
                plan_.args.width, plan_.args.height));
    }

    void run_round() {
        const FftLayerArgs& a = plan_.args;
        const int inputs = a.round_tiles * a.shape.in_channels;
        const int outputs = a.round_tiles * a.shape.out_channels;
        emulated::run_blocks(inputs, kFftLayerWarps, [&] {
            type_ == LayerType::f32 ? fft_layer_fetch<ElementF32>(a)
                                    : fft_layer_fetch<ElementF16>(a);
        });
        for_each_plane(inputs_, inputs, [](EmulatedTransform t) { t.forward(); });
        const FftProducts grid = fft_products(a);
        emulated::run_blocks(grid.blocks, kFftRowWarps, [&] {
            plan_.outputs == 1 ? fft_layer_multiply<1>(a, grid)
                               : fft_layer_multiply<kFftLayerOutputs>(a, grid);
        });
        for_each_plane(outputs_, outputs, [](EmulatedTransform t) { t.inverse(); });
        emulated::run_blocks(outputs, kFftLayerWarps, [&] {
            type_ == LayerType::f32 ? fft_layer_finish<ElementF32>(a)
                                    : fft_layer_finish<ElementF16>(a);
        });
    }

    LayerType type_;
    FftLayerPlan plan_;
    int tiles_a_round_ = 1;
    std::vector<float> spectra_, inputs_, outputs_;
};

std::string takes_tile(const LayerProblem& p, const Device&) {
    return why_no_tile_layer(p, kTileShared);
}

// Transforms by the definition.
std::string takes_small_fft(const LayerProblem& p, const Device&) {
    if (std::string reason = why_not_fft_layer(p); !reason.empty()) return reason;
    const FftLayerPlan plan = plan_fft_layer(p);
    const double planes = static_cast<double>(plan.args.tiles) * (p.in_channels + p.out_channels) +
                          p.out_channels * p.group_inputs();
    const double sides = plan.args.width + plan.args.height;
    return planes * plan.plane_floats() * sides < 4e6 ? "" : "it takes too long";
}

}  // namespace

TEST(KernelsLayerTilesLaneModel, SharedTileMatchesOracle) {
    check_all_layer_tables({.name = "shared_tile on the CPU",
                            .space = MemorySpace::host,
                            .why_not = takes_tile,
                            .prepare = prepare_emulated<EmulatedTile>},
                           5);
}

TEST(KernelsLayerTilesLaneModel, FftMatchesOracle) {
    check_all_layer_tables({.name = "fft on the CPU",
                            .space = MemorySpace::host,
                            .arithmetic = Arithmetic::fourier,
                            .why_not = takes_small_fft,
                            .prepare = prepare_emulated<EmulatedFft>},
                           3);
}

// Planes of several tiles, and outputs at a stride that does not divide them.
TEST(KernelsLayerTilesLaneModel, FftTilesMeetWithoutASeam) {
    const LayerKernel row = {.name = "fft on the CPU",
                             .space = MemorySpace::host,
                             .arithmetic = Arithmetic::fourier,
                             .why_not = takes_small_fft,
                             .prepare = prepare_emulated<EmulatedFft>};
    for (const int stride : {1, 3}) {
        LayerCase c;
        LayerProblem& p = c.problem;
        p.in_channels = p.out_channels = 2;
        p.height = 45;
        p.width = 131;
        p.taps = {.y = 2, .x = 9};
        p.stride = {.y = 1, .x = stride};
        p.padding = {.y = 1, .x = 3};
        p.dilation = {.y = 3, .x = 1};
        for (int k = 0; k < 4 * 18; ++k)
            p.weights.push_back(0.01F * static_cast<float>(k % 11) - 0.03F);
        ASSERT_GT(plan_fft_layer(p).args.tiles_x, 1);
        ASSERT_GT(plan_fft_layer(p).args.tiles_y, 1);
        EXPECT_EQ(check_layer(LayerRunner(row, cpu_device()), c), "");
    }
}

TEST(KernelsLayerTilesLaneModel, FftRefusesWhatOutgrowsItsTiles) {
    LayerProblem p;
    p.height = p.width = 200;
    p.taps = {.y = 3, .x = 3};
    p.dilation = {.y = 1, .x = 64};
    p.weights.assign(9, 1.0F);
    EXPECT_EQ(why_not_fft_layer(p),
              "it transforms tiles of up to 256×256, of which taps may take 128 a side with their "
              "dilation: direct takes wider ones");
    p.dilation.x = 63;
    EXPECT_EQ(why_not_fft_layer(p), "");
    p.in_channels = p.out_channels = 4096;
    p.weights.assign(std::size_t{4096} * 4096 * 9, 1.0F);
    EXPECT_EQ(why_not_fft_layer(p), "the spectra of so many planes take more than 1 GiB");
}

}  // namespace weft::test
