// The layer forms on the CPU: their own .cuh files, run lane by lane.
#include "tests/kernels/emulated_elements.h"
#include "tests/kernels/emulated_gpu.h"
#include "tests/kernels/emulated_launch.h"
#include "tests/kernels/emulated_mma.h"

// The emulator must come first.
#include <algorithm>

#include <gtest/gtest.h>

#include "kernels/layer_bank_f16.cuh"
#include "kernels/layer_bank_f32.cuh"
#include "kernels/layer_depthwise_variants.cuh"
#include "kernels/layer_direct.cuh"
#include "kernels/layer_fft.cuh"
#include "kernels/layer_gemm_f16.cuh"
#include "kernels/layer_gemm_f32.cuh"
#include "kernels/layer_shared_tile.cuh"
#include "kernels/layer_sparse.cuh"
#include "tests/kernels/emulated_fft.h"
#include "tests/kernels/layer_tables.h"

namespace weft {

TileVector plane_tile[101376 / sizeof(TileVector)];
RingVector pixel_rows[101376 / sizeof(RingVector)];
SmallVector small_planes[101376 / sizeof(SmallVector)];
SparseVector sparse_tile[101376 / sizeof(SparseVector)];
float layer_tile_samples[101376 / sizeof(float)];
BankVector bank_tile[101376 / sizeof(BankVector)];
BankFragment bank_fragments[101376 / sizeof(BankFragment)];
GemmVector gemm_slices[sizeof(GemmSlices<GemmWide>) / sizeof(GemmVector)];
HalfVector half_slices[sizeof(HalfSlices<HalfForm<HighTile, true>>) / sizeof(HalfVector)];

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
    static constexpr float kUnused = 1e30F;  // where it is read, no result is right

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

template <class Emulated>
std::unique_ptr<PreparedLayer> prepare(const LayerProblem& p, const Device&) {
    return std::make_unique<Emulated>(p);
}

std::string takes_depthwise(const LayerProblem& p, const Device&) {
    return why_not_depthwise(p);
}

std::string takes_sparse_tiled(const LayerProblem& p, const Device&) {
    return why_not_sparse_tiled(p);
}

// Emulated tensor cores take a millisecond for a multiplication.
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

std::string takes_all(const LayerProblem&, const Device&) {
    return "";
}

ConvKernel emulated_row(std::string_view name, LayerForm form,
                        Arithmetic arithmetic = Arithmetic::fp32) {
    return {.name = name,
            .summary = {},
            .source = {},
            .limits = {},
            .space = MemorySpace::host,
            .arithmetic = arithmetic,
            .layer = form};
}

// Every `step`-th case of all tables.
void check_all(const ConvKernel& row, std::size_t step) {
    const LayerRunner runner(row, cpu_device());
    int taken = 0;
    for (const LayerTable& table : layer_tables()) {
        const std::vector<LayerCase> cases = table.cases();
        for (std::size_t k = 0; k < cases.size(); k += step) {
            if (!runner.takes(cases[k])) continue;
            ++taken;
            ASSERT_EQ(check_layer(runner, cases[k]), "");
        }
    }
    EXPECT_GT(taken, 20);
}

// What the tables have to catch: taps mirrored, transposed, or of the next output channel.
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
    const ConvKernel row =
        emulated_row("broken", {.why_not = takes_all, .prepare = prepare_broken<fault>});
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
    check_all(emulated_row("direct on the CPU",
                           {.why_not = takes_all, .prepare = prepare<EmulatedDirect>}),
              5);
}

TEST(KernelsLayerLaneModel, DepthwiseMatchesOracle) {
    check_all(emulated_row("column_row_reuse on the CPU",
                           {.why_not = takes_depthwise, .prepare = prepare<EmulatedDepthwise>}),
              1);
}

TEST(KernelsLayerLaneModel, SparseMatchesOracle) {
    check_all(emulated_row("sparse_direct on the CPU",
                           {.why_not = takes_all, .prepare = prepare<EmulatedSparse>}),
              19);
}

TEST(KernelsLayerLaneModel, SparseTiledMatchesOracle) {
    check_all(
        emulated_row("sparse_direct_tiled on the CPU",
                     {.why_not = takes_sparse_tiled, .prepare = prepare<EmulatedSparseTiled>}),
        5);
}

TEST(KernelsLayerLaneModel, SharedTileMatchesOracle) {
    check_all(emulated_row("shared_tile on the CPU",
                           {.why_not = takes_tile, .prepare = prepare<EmulatedTile>}),
              5);
}

TEST(KernelsLayerLaneModel, FftMatchesOracle) {
    check_all(emulated_row("fft on the CPU",
                           {.why_not = takes_small_fft, .prepare = prepare<EmulatedFft>},
                           Arithmetic::fourier),
              3);
}

// Planes of several tiles, and outputs at a stride that does not divide them.
TEST(KernelsLayerLaneModel, FftTilesMeetWithoutASeam) {
    const ConvKernel row =
        emulated_row("fft on the CPU", {.why_not = takes_all, .prepare = prepare<EmulatedFft>},
                     Arithmetic::fourier);
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

TEST(KernelsLayerLaneModel, FftRefusesWhatOutgrowsItsTiles) {
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

TEST(KernelsLayerLaneModel, BankMatchesOracle) {
    check_all(emulated_row("implicit_gemm for few channels on the CPU",
                           {.why_not = takes_small_bank, .prepare = prepare<EmulatedBank>}),
              1);
}

TEST(KernelsLayerLaneModel, GemmMatchesOracle) {
    check_all(emulated_row("implicit_gemm on the CPU",
                           {.why_not = takes_small_gemm, .prepare = prepare<EmulatedGemm>}),
              13);
}

}  // namespace weft::test
