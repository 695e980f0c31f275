#include "kernels/layers/sparse_direct_tiled.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "kernels/common/kernel_terms.h"
#include "kernels/common/quotient.h"
#include "kernels/device/cuda_build.h"
#include "kernels/layers/image_layer.h"

namespace weft {

namespace {

constexpr int kMaxShared = 99 * 1024;  // per block, on every GPU from Ampere on
constexpr int kStageShared = 40 * 1024;

// Output channels of a group in the order in which warps get them: the fullest first, dealt in
// turns, so that each warp has about the same work.
std::vector<int> dealt_rows(const LayerProblem& p, const std::vector<float>& weights, int group,
                            int row_blocks, const SparseForm& form) {
    const auto length = static_cast<std::size_t>(p.sum_length());
    std::vector<int> order(static_cast<std::size_t>(p.group_outputs()));
    std::iota(order.begin(), order.end(), group * p.group_outputs());
    std::vector<std::ptrdiff_t> filled(static_cast<std::size_t>(p.out_channels));
    for (const int m : order) {
        const auto first = weights.begin() + static_cast<std::ptrdiff_t>(m * length);
        filled[static_cast<std::size_t>(m)] =
            static_cast<std::ptrdiff_t>(length) -
            std::count(first, first + static_cast<std::ptrdiff_t>(length), 0.0F);
    }
    std::ranges::stable_sort(order, [&](int a, int b) {
        return filled[static_cast<std::size_t>(a)] > filled[static_cast<std::size_t>(b)];
    });
    const int bins = row_blocks * form.warps;
    const int count = row_blocks * form.block_rows();
    std::vector<int> slots(static_cast<std::size_t>(count), -1);
    for (std::size_t k = 0; k < order.size(); ++k) {
        const int round = static_cast<int>(k) / bins;
        const int at = static_cast<int>(k) % bins;
        const int bin = round % 2 == 0 ? at : bins - 1 - at;
        const int slot = bin * form.rows + round;
        slots[static_cast<std::size_t>(slot)] = order[k];
    }
    return slots;
}

// Tiles of whole rows where they are short.
void choose_tile(const LayerProblem& p, const SparseForm& form, SparseTiledArgs& a) {
    a.tile_width = std::min(p.out_width(), form.block_pixels());
    a.tile_height = std::min(p.out_height(), form.block_pixels() / a.tile_width);
    // Tiles of equal height waste fewer lanes than a low last one.
    a.tiles_y = ceil_div(p.out_height(), a.tile_height);
    a.tile_height = ceil_div(p.out_height(), a.tiles_y);
    a.tiles_x = ceil_div(p.out_width(), a.tile_width);
    a.tiles_n = ceil_div(p.batch, form.images);
    a.patch_height = (a.tile_height - 1) * p.stride.y + (p.taps.y - 1) * p.dilation.y + 1;
    a.patch_width = (a.tile_width - 1) * p.stride.x + (p.taps.x - 1) * p.dilation.x + 1;
    // Lanes of two rows meet different banks: eight lanes at a time read 16 bytes each.
    a.pitch = a.patch_width;
    if (form.images == 4 && a.tile_height > 1) a.pitch += ((a.tile_width - a.pitch) % 8 + 8) % 8;
    a.patch = a.patch_height * a.pitch * form.images;
}

using Entries = std::vector<SparseEntry>;

// The entries of one row in one chunk of channels.
void append_entries(const LayerProblem& p, const std::vector<float>& weights,
                    const SparseTiledPlan& plan, int row, int chunk, Entries& out) {
    const SparseTiledArgs& a = plan.args;
    const int taps = p.taps.y * p.taps.x;
    const int end = std::min((chunk + 1) * a.chunk_channels, p.group_inputs());
    for (int c = chunk * a.chunk_channels; c < end; ++c) {
        for (int t = 0; t < taps; ++t) {
            const float value = weights[static_cast<std::size_t>(
                static_cast<std::ptrdiff_t>(row) * p.sum_length() + c * taps + t)];
            if (value == 0.0F) continue;
            const int y = t / p.taps.x * p.dilation.y;
            const int x = t % p.taps.x * p.dilation.x;
            out.push_back({value, (c - chunk * a.chunk_channels) * a.patch +
                                      (y * a.pitch + x) * plan.form.images});
        }
    }
}

// A block's rows in one chunk: the start of each row's entries, and the entries.
struct SparseList {
    std::vector<int> begin;
    Entries entries;
};

// Lists of all chunks, in the order of SparseTiledArgs::lists, for the number of channels in
// `args`.
std::vector<SparseList> make_lists(const LayerProblem& p, const std::vector<float>& weights,
                                   const SparseTiledPlan& plan) {
    const SparseTiledArgs& a = plan.args;
    const int block_rows = plan.form.block_rows();
    std::vector<SparseList> out;
    for (int block = 0; block < a.row_blocks * p.groups; ++block) {
        for (int chunk = 0; chunk < a.chunks; ++chunk) {
            SparseList& list = out.emplace_back();
            for (int s = 0; s < block_rows; ++s) {
                list.begin.push_back(static_cast<int>(list.entries.size()));
                const int place = block * block_rows + s;
                const int row = plan.rows[static_cast<std::size_t>(place)];
                if (row >= 0) append_entries(p, weights, plan, row, chunk, list.entries);
            }
            list.begin.push_back(static_cast<int>(list.entries.size()));
        }
    }
    return out;
}

std::size_t longest(const std::vector<SparseList>& lists) {
    std::size_t most = 0;
    for (const SparseList& list : lists) most = std::max(most, list.entries.size());
    return most;
}

void pack_lists(const std::vector<SparseList>& lists, SparseTiledPlan& plan) {
    SparseTiledArgs& a = plan.args;
    a.list_head = ceil_div(plan.form.block_rows() + 1, 4);
    a.list_vectors = a.list_head + ceil_div(static_cast<int>(longest(lists)), 2);
    plan.lists.assign(lists.size() * static_cast<std::size_t>(a.list_vectors) * 4, 0);
    std::uint32_t* at = plan.lists.data();
    for (const SparseList& list : lists) {
        std::memcpy(at, list.begin.data(), list.begin.size() * sizeof(int));
        if (!list.entries.empty())  // without weights there is no address to copy from
            std::memcpy(at + static_cast<std::ptrdiff_t>(a.list_head) * 4, list.entries.data(),
                        list.entries.size() * sizeof(SparseEntry));
        at += static_cast<std::ptrdiff_t>(a.list_vectors) * 4;
    }
}

}  // namespace

SparseRows sparse_rows(const LayerProblem& p) {
    const std::vector<float> weights = used_weights(p);
    const std::vector<TapPlace> places = tap_places(p);
    SparseRows out;
    out.begin.push_back(0);
    std::size_t k = 0;
    for (int m = 0; m < p.out_channels; ++m) {
        for (const TapPlace& place : places) {
            const float value = weights[k++];
            if (value == 0.0F) continue;
            out.values.push_back(value);
            out.places.push_back(place);
        }
        out.begin.push_back(static_cast<int>(out.values.size()));
    }
    return out;
}

std::string why_not_sparse_tiled(const LayerProblem& p) {
    if (p.layout == LayerLayout::nhwc) return "it takes layers in nchw";
    if (std::string reason = why_no_tap_places(p); !reason.empty()) return reason;
    const SparseForm form = sparse_form(p);
    SparseTiledArgs a;
    choose_tile(p, form, a);
    const int rows = std::min(p.group_outputs(), form.block_rows());
    const double entries = rows * (p.taps.y * p.taps.x * 8.0) + form.block_rows() * 4.0;
    if (2 * (a.patch * 4.0 + entries + 48) + a.patch * 8.0 > kMaxShared)
        return "taps of this size and dilation do not fit into shared memory: sparse_direct takes "
               "them";
    return "";
}

SparseForm sparse_form(const LayerProblem& p) {
    constexpr int kFewBlocks = 64;
    if (p.batch < kSparseUsual.images) return kSparseFew;
    SparseTiledArgs usual;
    SparseTiledArgs high;
    choose_tile(p, kSparseUsual, usual);
    choose_tile(p, kSparseHigh, high);
    const int usual_tiles = usual.tiles_y * usual.tiles_x;
    const int usual_lanes = usual_tiles * kSparseUsual.pixels;
    const int high_lanes = high.tiles_y * high.tiles_x * kSparseHigh.pixels;
    // Three pixels per lane take registers that otherwise hide latency.
    if (10 * high_lanes < 9 * usual_lanes) return kSparseHigh;
    const int row_blocks = ceil_div(p.group_outputs(), kSparseUsual.block_rows()) * p.groups;
    return usual_tiles * usual.tiles_n * row_blocks < kFewBlocks ? kSparseThin : kSparseUsual;
}

SparseTiledPlan plan_sparse_tiled(const LayerProblem& p, const SparseForm& form) {
    SparseTiledPlan plan;
    plan.form = form;
    SparseTiledArgs& a = plan.args;
    a.shape = layer_shape(p);
    a.row_blocks = ceil_div(p.group_outputs(), form.block_rows());
    choose_tile(p, form, a);
    const std::vector<float> weights = used_weights(p);
    for (int group = 0; group < p.groups; ++group) {
        const std::vector<int> slots = dealt_rows(p, weights, group, a.row_blocks, form);
        plan.rows.insert(plan.rows.end(), slots.begin(), slots.end());
    }
    a.chunk_channels = std::clamp(kStageShared / 4 / a.patch, 1, p.group_inputs());
    for (;;) {
        a.chunks = ceil_div(p.group_inputs(), a.chunk_channels);
        const std::vector<SparseList> lists = make_lists(p, weights, plan);
        pack_lists(lists, plan);
        a.stage_vectors = a.list_vectors + ceil_div(a.chunk_channels * a.patch, 4);
        if (a.stage_vectors * 16 <= kStageShared || a.chunk_channels == 1) break;
        a.chunk_channels = std::max(1, a.chunk_channels * 3 / 4);
    }
    plan.blocks = a.tiles_n * a.tiles_y * a.tiles_x * a.row_blocks * p.groups;
    // Two stages, and the source and destination of each of a channel's elements.
    plan.shared_bytes =
        (2 * a.stage_vectors) * 16 + a.patch_height * a.patch_width * form.images * 8;
    return plan;
}

Cost sparse_layer_cost(const LayerProblem& p) {
    Cost cost = layer_cost(p);
    cost.flops *= 1.0 - sparsity(p);
    return cost;
}

namespace {

std::string why_not_tiled_here(const LayerProblem& p, const Device& device) {
    std::string reason = why_not_before_ampere(device);
    return reason.empty() ? why_not_sparse_tiled(p) : reason;
}

}  // namespace

extern constinit const LayerKernel kSparseDirectTiledLayer = {
    .name = "sparse_direct_tiled",
    .why_not = why_not_tiled_here,
    .prepare = cuda_only<prepare_layer_sparse_tiled>(),
    .cost = sparse_layer_cost,
};

extern constinit const LayerKernel kSparseDirectLayer = {
    .name = "sparse_direct",
    .why_not = [](const LayerProblem& p, const Device&) { return why_no_tap_places(p); },
    .prepare = cuda_only<prepare_layer_sparse>(),
    .cost = sparse_layer_cost,
};

extern constinit const ConvKernel kSparseDirectTiledKernel = {
    .name = "sparse_direct_tiled",
    .summary =
        "nonzero weights only, their values, indices and the input in shared memory, lists "
        "distributed evenly",
    .source = "Fang et al., Computer Engineering & Science 2018; Park et al., ICLR 2017",
    .limits =
        "NVIDIA GPU from Ampere on; layers in nchw and images as planes of fp32, dense taps with "
        "many weights of zero",
    .space = MemorySpace::device,
    .sums_channels = true,
    .why_not = why_not_as_layer_of<kSparseDirectTiledLayer>,
    .prepare = cuda_only<prepare_as_layer_of<kSparseDirectTiledLayer>>(),
    .cost = sparse_cost,
};

}  // namespace weft
