// Every filter at the limits of its parameters on GPUs that this machine does not have: by the
// product's own layout arithmetic, each kernel that the planner picks, and each that a user may
// request by name, can be launched or is refused with a reason.
#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/pipeline/stack/lowering.h"
#include "filters/stack.h"
#include "kernels/box/box_sum.h"
#include "kernels/common/conv_layout.h"
#include "kernels/common/direct_layout.h"
#include "kernels/direct/shared_tile.h"
#include "kernels/fft/fft.h"
#include "kernels/layers/image_layer.h"
#include "kernels/layers/implicit_gemm.h"
#include "kernels/layers/sparse_direct_tiled.h"
#include "kernels/planner.h"
#include "kernels/reuse/column_row_reuse.h"
#include "kernels/reuse/column_row_reuse_classic.h"
#include "kernels/separable/direct_separable.h"
#include "kernels/separable/separable_reuse.h"
#include "kernels/sparse/sparse_direct.h"
#include "kernels/tensor/tensor_dense.h"
#include "kernels/tensor/tensor_f32.h"
#include "kernels/tensor/tensor_int8.h"
#include "kernels/tensor/tensor_separable.h"
#include "tests/support/gpu_table.h"

namespace weft::test {
namespace {

using C = Component;

// A launch as the kernel's launcher requests it. Registers are left to the compiler: every image
// kernel has launch bounds, so its threads fit 65,536 registers on every GPU.
struct LaunchNeeds {
    int threads = 0;
    int shared_bytes = 0;
    long long blocks = 0;
    long long blocks_y = 1;
};

LaunchNeeds box_needs(const ConvProblem& p, const Device& device) {
    const BoxLayout layout = lay_out_box(p, choose_box_shape(p, device));
    return {layout.args.threads, layout.shared_bytes, layout.blocks};
}

LaunchNeeds tensor_needs(const TensorLayout& layout) {
    return {layout.args.tile.threads, layout.shared_bytes, layout.args.blocks};
}

LaunchNeeds int8_needs(const ConvProblem& p, const Device& device) {
    const Int8Layout layout = lay_out_tensor_int8(p);
    const auto resident = [&](int bytes) {
        return bytes > most_shared_bytes(device)
                   ? 0
                   : shared_bytes_of_multiprocessor(device) / (bytes + kSharedBytesOfSystem);
    };
    const int steps = best_steps(
        layout, {.multiprocessors = device.multiprocessors, .resident_blocks = resident});
    return {kInt8Threads, shared_bytes(layout, steps), layout.tiles_x,
            (layout.steps_y + steps - 1) / steps};
}

LaunchNeeds rolling_needs(const ConvProblem& p, const RollingVariant& v, const Device& device) {
    RollingLayout layout = lay_out(p, v, choose_strip(p, v, device.multiprocessors));
    set_alignment(v, true, true, layout);
    return {32 * kReuseWarps, 0, layout.blocks};
}

LaunchNeeds reuse_needs(const ConvProblem& p, const Device& device) {
    if (const TileVariant* const tile = find_tile(p, tile_variants()))
        return {32 * kReuseWarps, 0, lay_out(p, *tile).blocks};
    if (const RingVariant* const ring = find_ring(p, ring_variants()))
        return {32 * ring->warps, 48 * 1024,  // upper bound: a static_assert in its launcher
                lay_out(p, *ring, choose_strips(p, *ring, device.multiprocessors)).blocks};
    if (const RollingVariant* const v = find_rolling(p, rolling_variants(p.type, p.channels)))
        return rolling_needs(p, *v, device);
    if (const StripVariant* const v =
            find_strip(p, strip_variants(p.type), device.multiprocessors)) {
        const StripLayout layout = lay_out(p, *v);
        return {32 * kReuseWarps, layout.shared_bytes, layout.blocks};
    }
    return {};
}

LaunchNeeds separable_reuse_needs(const ConvProblem& p, const Device& device) {
    if (const std::optional<std::size_t> variant = find_small_variant(p)) {
        const SeparableSmallShape& shape = kSmallVariants[*variant].shape;
        const SeparableSmallLayout layout = lay_out_separable_small(p, kSmallVariants[*variant]);
        return {32 * shape.warps, layout.shared_bytes, layout.blocks};
    }
    const SeparableReuseLayout layout = lay_out_separable_reuse(p, device);
    return {32 * kSeparableWarps, layout.shared_bytes, layout.blocks};
}

template <class Args>
LaunchNeeds tiled_needs(const TiledLayout<Args>& layout, int threads) {
    return {threads, layout.shared_bytes, layout.blocks};
}

LaunchNeeds sparse_tiled_needs(const ConvProblem& p, const Device&) {
    const LayerProblem layer = image_as_layer(p);
    const SparseTiledPlan plan = plan_sparse_tiled(layer, sparse_form(layer));
    return {256, plan.shared_bytes, plan.blocks};
}

using Needs = std::function<LaunchNeeds(const ConvProblem&, const Device&)>;

constexpr int kDirectThreads = kDirectBlockX * kDirectBlockY;

// The launch of every GPU kernel that takes images. The matrix product uses slices of one size,
// which its launcher passes on; cuBLAS and cuFFT choose their own launches.
const std::map<std::string_view, Needs>& needs_of_kernels() {
    static const std::map<std::string_view, Needs> rows = {
        {"box_sum", box_needs},
        {"tensor_separable",
         [](const auto& p, const auto& d) {
             TensorSeparableLayout layout = lay_out_tensor_separable(p);
             cut_strips(d.multiprocessors, 2, layout);
             return LaunchNeeds{
                 kStripThreads,
                 strip_shared_bytes(p.channels, strip_shape(p.channels, layout.shape)),
                 blocks_of(layout)};
         }},
        {"tensor_int8", int8_needs},
        {"tensor_dense",
         [](const auto& p, const auto& d) { return tensor_needs(lay_out_tensor_dense(p, d)); }},
        {"tensor_f32",
         [](const auto& p, const auto& d) {
             const TensorF32Layout layout = lay_out_tensor_f32(p, d);
             const TensorArgs& a = layout.args.tensor;
             return LaunchNeeds{a.tile.threads, layout.shared_bytes, a.tiles};
         }},
        {"column_row_reuse", reuse_needs},
        {"separable_reuse", separable_reuse_needs},
        {"column_row_reuse_classic",
         [](const auto& p, const auto&) {
             return tiled_needs(lay_out_classic(p), 32 * kClassicWarps);
         }},
        {"direct_separable",
         [](const auto& p, const auto&) {
             return LaunchNeeds{kDirectThreads, 0, lay_out_separable(p).blocks};
         }},
        {"shared_tile",
         [](const auto& p, const auto&) {
             return tiled_needs(lay_out_shared_tile(p), kDirectThreads);
         }},
        {"fft",
         [](const auto&, const auto&) {
             return LaunchNeeds{256, 0, 1};
         }},
        {"direct",
         [](const auto& p, const auto&) {
             return LaunchNeeds{kDirectThreads, 0, lay_out_direct(p).blocks};
         }},
        {"implicit_gemm",
         [](const auto& p, const auto& d) {
             const LayerProblem layer = image_as_layer(p);
             return LaunchNeeds{256, 0, plan_gemm(layer, d.multiprocessors).blocks};
         }},
        {"im2col_gemm",
         [](const auto&, const auto&) {
             return LaunchNeeds{256, 0, 1};
         }},
        {"sparse_direct_tiled", sparse_tiled_needs},
        {"sparse_direct",
         [](const auto& p, const auto&) {
             const SparseImageLayout layout = lay_out_sparse_image(p);
             return LaunchNeeds{32 * kSparseImageWarps, layout.shared_bytes, layout.blocks};
         }},
    };
    return rows;
}

constexpr int kMostThreads = 1024;  // per block, on every GPU

// Empty, or the resource of the launch that the GPU lacks.
std::string why_no_launch(const LaunchNeeds& needs, const KnownGpu& gpu) {
    if (needs.threads < 1 || needs.threads > kMostThreads)
        return fmt::format("{} threads", needs.threads);
    if (needs.shared_bytes < 0 || needs.shared_bytes > gpu.shared_bytes)
        return fmt::format("{} bytes of shared memory", needs.shared_bytes);
    if (needs.blocks < 1 || needs.blocks > std::numeric_limits<int>::max() || needs.blocks_y < 1 ||
        needs.blocks_y > 65535)
        return fmt::format("{} × {} blocks", needs.blocks, needs.blocks_y);
    return {};
}

struct Layout {
    std::string_view name;
    SampleType sample;
    int depth_bits;
    std::vector<std::vector<C>> planes;
    bool half_chroma = false;
};

const std::vector<Layout>& layouts() {
    static const std::vector<Layout> all = {
        {"gray", SampleType::u8, 8, {{C::y}}},
        {"nv12", SampleType::u8, 8, {{C::y}, {C::u, C::v}}, true},
        {"rgb24", SampleType::u8, 8, {{C::r, C::g, C::b}}},
        {"rgba", SampleType::u8, 8, {{C::r, C::g, C::b, C::a}}},
        {"p010", SampleType::u16, 10, {{C::y}, {C::u, C::v}}, true},
        {"rgba64", SampleType::u16, 16, {{C::r, C::g, C::b, C::a}}},
        {"grayf32", SampleType::f32, 32, {{C::y}}},
        {"rgbaf32", SampleType::f32, 32, {{C::r, C::g, C::b, C::a}}},
    };
    return all;
}

struct Size {
    int width, height;
};
constexpr Size kSizes[] = {{1, 1}, {637, 479}, {7680, 4320}};

FrameInfo frame_of(const Layout& layout, Size size) {
    FrameInfo info;
    info.width = size.width;
    info.height = size.height;
    info.sample = layout.sample;
    info.depth_bits = layout.depth_bits;
    for (const std::vector<C>& components : layout.planes) {
        const bool half = layout.half_chroma && components.front() == C::u;
        info.planes.push_back({.width = half ? (size.width + 1) / 2 : size.width,
                               .height = half ? (size.height + 1) / 2 : size.height,
                               .components = components});
    }
    return info;
}

// Each filter with its defaults, and with each parameter at its limits or at each of its choices.
std::vector<std::string> steps_of_all_filters() {
    std::vector<std::string> steps = {"convolve=matrix=1 2 1", "convolve=matrix=100000 -99999 1",
                                      "convolve=matrix=0.1 0.2; 0.3 0.4|1 1|2 2; 3 3|0 1"};
    for (const FilterDef& filter : filters()) {
        const std::string name(filter.name);
        steps.push_back(name);
        for (const ParamDef& param : filter.params) {
            const auto add = [&](const std::string& value) {
                steps.push_back(fmt::format("{}={}={}", name, param.name, value));
            };
            if (param.kind == ParamKind::number || param.kind == ParamKind::integer) {
                add(fmt::format("{}", param.min));
                add(fmt::format("{}", param.max));
            }
            if (param.kind == ParamKind::boolean) add(param.def == 0 ? "1" : "0");
            for (const std::string_view choice : param.choices) add(std::string(choice));
        }
    }
    return steps;
}

// The convolutions of the step's planes on such frames; empty if the step refuses them.
std::vector<ConvProblem> problems_of(const std::string& step, const FrameInfo& info) {
    try {
        const Stack stack = parse_stack(step);
        const LoweredStep lowered =
            lower(stack.front().filter->make(stack.front().params, info), info);
        std::vector<PlaneWork> works = lowered.planes;
        if (lowered.gray) works.push_back(lowered.gray->work);
        std::vector<ConvProblem> problems;
        for (const PlaneWork& work : works)
            if (const auto* const p = std::get_if<ConvProblem>(&work.compute))
                problems.push_back(*p);
        return problems;
    } catch (const FilterError&) {
        return {};
    } catch (const std::invalid_argument&) {
        return {};
    }
}

ConvProblem problem_of(PixelType type, int channels, Taps taps) {
    ConvProblem p;
    p.width = 3840;
    p.height = 2160;
    p.channels = channels;
    p.type = type;
    p.max_value = type == PixelType::u16 ? 65535.0F : 255.0F;
    const auto scale = static_cast<float>(1.0 / absolute_sum(taps));
    p.conv = {{.taps = {std::move(taps)}, .scale = scale}};
    return p;
}

constexpr int kSides[] = {1,  2,  3,  5,   7,   9,   15,  21,  31,  33,  45,  63,
                          65, 83, 99, 129, 151, 201, 255, 301, 379, 401, 455, 511};

// Boxes of all widths, types and channel counts, and factored and dense taps that are not boxes.
std::vector<ConvProblem> problems_of_all_sizes() {
    std::vector<ConvProblem> out;
    for (const PixelType type : {PixelType::u8, PixelType::u16, PixelType::f32}) {
        for (int channels = 1; channels <= 4; ++channels) {
            for (const int side : kSides) {
                std::vector<float> factors(static_cast<std::size_t>(side), 1.0F);
                for (const auto& [width, height] : {Size{side, side}, Size{side, 3}, Size{3, side}})
                    out.push_back(problem_of(
                        type, channels,
                        separable_taps(
                            std::vector<float>(static_cast<std::size_t>(width), 1.0F),
                            std::vector<float>(static_cast<std::size_t>(height), 1.0F))));
                for (float& f : factors) f = 1.0F / static_cast<float>(side);
                factors.front() *= 0.5F;
                out.push_back(problem_of(type, channels, separable_taps(factors, factors)));
                if (side > Taps::kMaxDense) continue;
                std::vector<float> weights(static_cast<std::size_t>(side) * side, 0.01F);
                weights.front() = 0.02F;
                ConvProblem dense = problem_of(type, channels, dense_taps(side, side, weights));
                out.push_back(dense);
                // Separate taps for each channel.
                dense.conv.resize(static_cast<std::size_t>(channels), dense.conv.front());
                out.push_back(dense);
            }
        }
    }
    return out;
}

struct Tally {
    int plans = 0, planned_launch = 0, refused = 0;
    int offers = 0, offered_launch = 0;
    std::set<std::string_view> kernels;
};

std::string tried(const ConvKernel& kernel, const ConvProblem& p, const KnownGpu& gpu) {
    const auto needs = needs_of_kernels().find(kernel.name);
    if (needs == needs_of_kernels().end()) return "the test does not know its launch";
    return why_no_launch(needs->second(p, device_of(gpu)), gpu);
}

// A Gaussian of a large sigma has more factors than the kernels of GPUs add up. The refusal names
// the parameter that cuts it off.
void expect_refusal(const ConvProblem& p, const KnownGpu& gpu, Tally& tally) {
    ++tally.refused;
    try {
        const Plan chosen = plan(p, device_of(gpu));
        ADD_FAILURE() << gpu.name << " plans " << chosen.kernel->name << " for " << describe(p);
    } catch (const std::runtime_error& refusal) {
        EXPECT_THAT(refusal.what(), testing::HasSubstr("radius=255")) << gpu.name;
    }
}

void try_plan(const ConvProblem& p, const KnownGpu& gpu, Tally& tally) {
    if (std::max(p.taps().width, p.taps().height) > Taps::kMaxSeparable)
        return expect_refusal(p, gpu, tally);
    try {
        const Plan chosen = plan(p, device_of(gpu));
        ++tally.plans;
        const std::string reason = tried(*chosen.kernel, p, gpu);
        if (reason.empty()) ++tally.planned_launch;
        tally.kernels.insert(chosen.kernel->name);
        EXPECT_EQ(reason, "") << gpu.name << " plans " << chosen.kernel->name << " for "
                              << describe(p);
    } catch (const std::runtime_error& refusal) {
        ADD_FAILURE() << gpu.name << ": " << refusal.what();
    }
}

void try_all_kernels(const ConvProblem& p, const KnownGpu& gpu, Tally& tally) {
    for (const ConvKernel& kernel : conv_kernels()) {
        if (kernel.space != MemorySpace::device) continue;
        if (!why_cannot(kernel, p, device_of(gpu)).empty()) continue;
        ++tally.offers;
        const std::string reason = tried(kernel, p, gpu);
        if (reason.empty()) ++tally.offered_launch;
        EXPECT_EQ(reason, "") << gpu.name << " offers " << kernel.name << " for " << describe(p);
    }
}

// Checks one GPU and prints its row of the table.
void check(const std::vector<ConvProblem>& problems, const KnownGpu& gpu) {
    Tally t;
    for (const ConvProblem& p : problems) {
        try_plan(p, gpu, t);
        try_all_kernels(p, gpu, t);
    }
    fmt::print("{:16} | {} plans | {} launch | {} refused | by name {} | {} launch | {}\n",
               gpu.name, t.plans, t.planned_launch, t.refused, t.offers, t.offered_launch,
               fmt::join(t.kernels, " "));
}

bool built_without_cuda() {
    return !why_cannot(*find_kernel("direct"), problem_of(PixelType::u8, 1, identity_taps()),
                       h200())
                .empty();
}

}  // namespace

class PipelineDevicePlans : public testing::TestWithParam<KnownGpu> {
 protected:
    void SetUp() override {
        if (built_without_cuda()) GTEST_SKIP() << "built without CUDA";
    }
};

TEST_P(PipelineDevicePlans, LaunchEveryFilter) {
    std::vector<ConvProblem> problems;
    for (const std::string& step : steps_of_all_filters())
        for (const Layout& layout : layouts())
            for (const Size size : kSizes)
                std::ranges::move(problems_of(step, frame_of(layout, size)),
                                  std::back_inserter(problems));
    check(problems, GetParam());
}

TEST_P(PipelineDevicePlans, LaunchEverySizeOfTaps) {
    check(problems_of_all_sizes(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(, PipelineDevicePlans, testing::ValuesIn(kKnownGpus), [](const auto& gpu) {
    std::string name(gpu.param.name);
    std::erase(name, ' ');
    return name;
});

}  // namespace weft::test
