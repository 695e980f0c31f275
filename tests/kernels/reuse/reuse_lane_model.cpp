// column_row_reuse lane by lane on the CPU: the product's own .cuh files, compiled as host code and
// run by an emulated warp, against the same tables and oracle as every other row. This is what
// proves the shuffle pattern, the borders and the masks on machines without a GPU.
#include "tests/kernels/emulated/emulated_copy.h"
#include "tests/kernels/emulated/emulated_launch.h"

// The emulator must come first.
#include <array>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/conv_kernel.h"
#include "kernels/reuse/column_row_reuse.h"
#include "kernels/reuse/reuse_variants.cuh"
#include "kernels/rounding.h"
#include "tests/kernels/cases/conv_tables.h"

namespace weft {

float strip_taps[4 * Taps::kMaxDense * 72];
Floats<4> ring_rows[2048];

}  // namespace weft

namespace weft::test {

namespace {

template <class P>
constexpr PixelType pixel_type() {
    return sizeof(typename P::Sample) == 1   ? PixelType::u8
           : sizeof(typename P::Sample) == 2 ? PixelType::u16
                                             : PixelType::f32;
}

template <class S>
RollingVariant emulated_rolling() {
    return {.type = pixel_type<typename S::Pixel>(),
            .channels = S::kChannels,
            .size = S::kSize,
            .sets = S::kSets,
            .block_samples = S::kBlock,
            .reach = S::kReach,
            .alignment_bytes = alignof(Words<S::kWords>),
            .resident_blocks = S::kBlocks,
            .can_be_early = [] { return false; },
            .launch =
                [](const RollingArgs& args, int blocks, bool, StreamView) {
                    emulated::run_blocks(blocks, kReuseWarps, [&] { reuse_rolling<S>(args); });
                }};
}

template <class S>
TileVariant emulated_tile() {
    return {.type = pixel_type<typename S::Pixel>(),
            .channels = S::kChannels,
            .size = S::kSize,
            .block_samples = S::kBlock,
            .rows = S::kRows,
            .alignment_bytes = 16,
            .can_be_early = [] { return false; },
            .launch =
                [](const TileArgs& args, int blocks, bool, StreamView) {
                    emulated::run_blocks(blocks, kReuseWarps, [&] { reuse_tile<S>(args); });
                }};
}

template <class S>
RingVariant emulated_ring() {
    static_assert(sizeof ring_rows >= S::kVectors * sizeof(Floats<4>));
    return {.size = S::kSize,
            .warps = S::kWarps,
            .block_samples = S::kBlock,
            .step_rows = S::kChunkRows,
            .resident_blocks = S::kBlocks,
            .alignment_bytes = alignof(Floats<4>),
            .make_ready = [] {},
            .can_be_early = [] { return false; },
            .launch =
                [](const RingArgs& args, int blocks, bool, StreamView) {
                    emulated::run_blocks(blocks, S::kWarps, [&] { reuse_ring<S>(args); });
                }};
}

template <class S>
StripVariant emulated_strip() {
    using Feed = RowFeed<typename S::Pixel, S::kChannels, S::kBlock>;
    return {.type = pixel_type<typename S::Pixel>(),
            .channels = S::kChannels,
            .several_sets = S::kSeveralSets,
            .block_samples = S::kBlock,
            .alignment_bytes = alignof(Words<Feed::kWords>),
            .strip = S::kRows,
            .resident_blocks = S::kResident,
            .tap_stride = S::kTapStride,
            .launch = [](const StripArgs& args, int blocks, int, StreamView) {
                emulated::run_blocks(blocks, kReuseWarps, [&] { reuse_strip<S>(args); });
            }};
}

template <class... S>
std::vector<TileVariant> emulated_tiles(Variants<S...>) {
    return {emulated_tile<S>()...};
}

const std::vector<TileVariant>& tiles() {
    static const std::vector<TileVariant> all = emulated_tiles(TileForms{});
    return all;
}

template <class... S>
std::vector<RingVariant> emulated_rings(Variants<S...>) {
    return {emulated_ring<S>()...};
}

const std::vector<RingVariant>& rings() {
    static const std::vector<RingVariant> all = emulated_rings(RingForms{});
    return all;
}

template <class... S>
void add_rolling(std::vector<RollingVariant>& out, Variants<S...>) {
    (out.push_back(emulated_rolling<S>()), ...);
}

template <class... S>
void add_strip(std::vector<StripVariant>& out, Variants<S...>) {
    (out.push_back(emulated_strip<S>()), ...);
}

const std::vector<RollingVariant>& rolling() {
    static const std::vector<RollingVariant> all = [] {
        std::vector<RollingVariant> out;
        add_rolling(out, RollingGrayForms{});
        add_rolling(out, RollingColorForms{});
        add_rolling(out, RollingDeepForms{});
        return out;
    }();
    return all;
}

const std::vector<StripVariant>& strip() {
    static const std::vector<StripVariant> all = [] {
        std::vector<StripVariant> out;
        add_strip(out, StripU8Forms{});
        add_strip(out, StripU16Forms{});
        add_strip(out, StripF32Forms{});
        return out;
    }();
    return all;
}

template <class Args>
void point_at(Args& args, const BorderTables& borders, int alignment, const ImageView& src,
              const ImageView& dst) {
    ConvImages& images = args.base.images;
    images.x.table = borders.entries.data();
    images.y.table = borders.entries.data() + borders.y_table;
    set_images(src, dst, images);
    args.base.src_aligned = rows_aligned(src, alignment);
    args.base.dst_aligned = rows_aligned(dst, alignment);
}

// The forms whose arguments hold taps and borders.
template <class Variant, class Layout>
class EmulatedForm : public PreparedConv {
 public:
    EmulatedForm(const Variant& variant, const Layout& layout)
        : variant_(variant), layout_(layout) {}
    void launch(const ImageView& src, const ImageView& dst, StreamView stream) override {
        set_images(src, dst, layout_.args.images);
        set_alignment(variant_, rows_aligned(src, variant_.alignment_bytes),
                      rows_aligned(dst, variant_.alignment_bytes), layout_);
        variant_.launch(layout_.args, layout_.blocks, false, stream);
    }

 private:
    const Variant& variant_;
    Layout layout_;
};

template <class Variant, class Layout>
std::unique_ptr<PreparedConv> emulated_form(const Variant& variant, const Layout& layout) {
    return std::make_unique<EmulatedForm<Variant, Layout>>(variant, layout);
}

class EmulatedStrip : public PreparedConv {
 public:
    EmulatedStrip(const ConvProblem& problem, const StripVariant& variant)
        : variant_(variant), layout_(lay_out(problem, variant)) {}
    void launch(const ImageView& src, const ImageView& dst, StreamView stream) override {
        point_at(layout_.args, layout_.borders, variant_.alignment_bytes, src, dst);
        layout_.args.taps = layout_.taps.data();
        variant_.launch(layout_.args, layout_.blocks, layout_.shared_bytes, stream);
    }

 private:
    const StripVariant& variant_;
    StripLayout layout_;
};

// Long strips of the ring and rolling forms, so that rolling itself runs, and not only its ends.
std::unique_ptr<PreparedConv> prepare_as_chosen(const ConvProblem& p, const Device&) {
    if (const TileVariant* const variant = find_tile(p, tiles()))
        return emulated_form(*variant, lay_out(p, *variant));
    if (const RingVariant* const variant = find_ring(p, rings())) {
        const int long_strips = p.height % 3 == 0 ? 2 : 1;  // of two, one may be taller
        const int strips = p.height % 2 == 0 ? choose_strips(p, *variant, 132) : long_strips;
        return emulated_form(*variant, lay_out(p, *variant, strips));
    }
    if (const RollingVariant* const variant = find_rolling(p, rolling()))
        return emulated_form(*variant, lay_out(p, *variant, p.height % 2 == 0 ? 4 : 11));
    // Few multiprocessors choose tall strips.
    const int multiprocessors = p.height % 3 == 0 ? 132 : 1;
    return std::make_unique<EmulatedStrip>(p, *find_strip(p, strip(), multiprocessors));
}

std::unique_ptr<PreparedConv> prepare_strip(const ConvProblem& p, const Device&) {
    return std::make_unique<EmulatedStrip>(p, *find_strip(p, strip(), p.height % 2 == 0 ? 132 : 1));
}

std::string why_not(const ConvProblem& p, const Device&) {
    for (const ChannelConv& conv : p.conv)
        for (const Taps& t : conv.taps)
            if (!t.dense()) return "dense taps only";
    return p.width > 2000 || p.height > 2000 ? "too slow here" : why_not_dense_in_fp32(p);
}

const std::array<ConvKernel, 2> kRows = {{
    {.name = "column_row_reuse on the CPU",
     .summary = {},
     .source = {},
     .limits = {},
     .space = MemorySpace::host,
     .why_not = why_not,
     .prepare = prepare_as_chosen,
     .cost = nullptr},
    {.name = "its strip form on the CPU",
     .summary = {},
     .source = {},
     .limits = {},
     .space = MemorySpace::host,
     .why_not = why_not,
     .prepare = prepare_strip,
     .cost = nullptr},
}};

// Runs every `step`-th case of a table, from `first` on.
void check_table(const ConvKernel& row, const ConvTable& table, std::size_t first,
                 std::size_t step) {
    const Runner runner(row, cpu_device());
    const std::vector<ConvCase> cases = table.cases();
    int taken = 0;
    for (std::size_t k = first; k < cases.size(); k += step) {
        if (!row_takes(row, cpu_device(), cases[k])) continue;
        ++taken;
        const std::string failure = check_against_oracle(runner, cases[k]);
        ASSERT_EQ(failure, "");
    }
    if (taken == 0) GTEST_SKIP() << "no case of " << table.name << " is for " << row.name;
}

std::string name_of_table(const testing::TestParamInfo<const ConvTable*>& info) {
    return std::string(info.param->name);
}

}  // namespace

class KernelsReuseLaneModel : public testing::TestWithParam<const ConvTable*> {};

// All cases take minutes, and passed when this was written; this subset takes seconds. The table of
// squares has few cases of each of the forms that are compiled for them.
TEST_P(KernelsReuseLaneModel, MatchesOracleAsChosen) {
    const bool squares = GetParam()->name == "Fp32Squares";
    check_table(kRows[0], *GetParam(), 0, squares ? 1 : 11);
}

TEST_P(KernelsReuseLaneModel, MatchesOracleInStrips) {
    check_table(kRows[1], *GetParam(), 1, 23);
}

INSTANTIATE_TEST_SUITE_P(, KernelsReuseLaneModel, testing::ValuesIn(all_tables()), name_of_table);

int strips_of(int width, int height, int size) {
    const ConvProblem p{
        .width = width,
        .height = height,
        .type = PixelType::f32,
        .conv = {
            {.taps = {dense_taps(
                 size, size, std::vector<float>(static_cast<std::size_t>(size) * size, 1.0F))}}}};
    return choose_strips(p, *find_ring(p, rings()), 132);
}

// The shares are those of a GPU with 132 multiprocessors.
TEST(KernelsReuseRing, CutsImagesIntoEqualSharesOrSteps) {
    EXPECT_EQ(strips_of(3840, 2160, 9), 22);  // of 30 tiles: five blocks per multiprocessor
    EXPECT_EQ(strips_of(3840, 2160, 13), 22);
    EXPECT_EQ(strips_of(1920, 1080, 9), 35);   // of 15 tiles: four
    EXPECT_EQ(strips_of(1920, 1080, 13), 17);  // two, of twice as many warps
    EXPECT_EQ(strips_of(1280, 720, 9), 90);    // of eight rows
    EXPECT_EQ(strips_of(200'000, 2160, 9), 1);
    EXPECT_EQ(strips_of(1, 1, 9), 1);
}

// Each lane gets its own columns: a row whose samples are their own numbers, and taps of 1..63 that
// pick one column each.
TEST(KernelsReuseLanes, GetTheirColumns) {
    for (int width = 1; width <= Taps::kMaxDense; ++width) {
        for (const int picked : {0, width - 1}) {
            ConvCase c;
            c.problem.width = 700;
            c.problem.height = 1;
            c.problem.type = PixelType::f32;
            c.problem.border = Border::wrap;
            std::vector<float> weights(static_cast<std::size_t>(width), 0.0F);
            weights[static_cast<std::size_t>(picked)] = 1.0F;
            c.problem.conv = {{.taps = {dense_taps(width, 1, weights)}}};
            for (int x = 0; x < 700; ++x) c.samples.push_back(x);
            std::string failure;
            const std::vector<double> got = Runner(kRows[1], cpu_device()).run(c, failure);
            for (int x = 0; x < 700; ++x) {
                const int source = (x + picked - c.problem.taps().anchor_x + 700) % 700;
                ASSERT_EQ(got[static_cast<std::size_t>(x)], source)
                    << fmt::format("taps {}×1, tap {}, column {}", width, picked, x);
            }
        }
    }
}

}  // namespace weft::test
