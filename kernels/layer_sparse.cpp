#include "kernels/layer_sparse.h"

#include <algorithm>
#include <numeric>

namespace weft {

namespace {

constexpr int kMaxShared = 99 * 1024;  // what every GPU from Ampere on gives a block
constexpr int kInputShared = 32 * 1024;
constexpr int kEntryShared = 32 * 1024;

int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

// Output channels of a group in the order in which warps get them: the fullest first, dealt in
// turns, so that each warp's sum is about the same.
std::vector<int> dealt_rows(const LayerProblem& p, const std::vector<float>& weights, int group,
                            int row_blocks) {
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
    const int bins = row_blocks * kSparseWarps;
    std::vector<int> slots(static_cast<std::size_t>(row_blocks * kSparseBlockRows), -1);
    for (std::size_t k = 0; k < order.size(); ++k) {
        const int round = static_cast<int>(k) / bins;
        const int at = static_cast<int>(k) % bins;
        const int bin = round % 2 == 0 ? at : bins - 1 - at;
        slots[static_cast<std::size_t>(bin * kSparseRows + round)] = order[k];
    }
    return slots;
}

// Tiles of whole planes of several images where they are small, of whole rows where they are not.
void choose_tile(const LayerProblem& p, SparseTiledArgs& a) {
    a.tile_width = std::min(p.out_width(), kSparseBlockPixels);
    a.tile_height = std::min(p.out_height(), kSparseBlockPixels / a.tile_width);
    const bool planes = a.tile_width == p.out_width() && a.tile_height == p.out_height();
    a.images = planes ? std::min(p.batch, kSparseBlockPixels / (a.tile_width * a.tile_height)) : 1;
    // Tiles of equal height waste fewer lanes than a low last one.
    a.tiles_y = ceil_div(p.out_height(), a.tile_height);
    a.tile_height = ceil_div(p.out_height(), a.tiles_y);
    a.tiles_x = ceil_div(p.out_width(), a.tile_width);
    a.tiles_n = ceil_div(p.batch, a.images);
    a.patch_height = (a.tile_height - 1) * p.stride.y + (p.taps.y - 1) * p.dilation.y + 1;
    a.patch_width = (a.tile_width - 1) * p.stride.x + (p.taps.x - 1) * p.dilation.x + 1;
    a.patch = a.images * a.patch_height * a.patch_width;
}

// The entries of one row in one chunk of channels.
void append_entries(const LayerProblem& p, const std::vector<float>& weights,
                    const SparseTiledArgs& a, int row, int chunk, std::vector<SparseEntry>& out) {
    const int taps = p.taps.y * p.taps.x;
    const int end = std::min((chunk + 1) * a.chunk_channels, p.group_inputs());
    for (int c = chunk * a.chunk_channels; c < end; ++c) {
        for (int t = 0; t < taps; ++t) {
            const float value = weights[static_cast<std::size_t>(
                static_cast<std::ptrdiff_t>(row) * p.sum_length() + c * taps + t)];
            if (value == 0.0F) continue;
            const int y = t / p.taps.x * p.dilation.y;
            const int x = t % p.taps.x * p.dilation.x;
            out.push_back(
                {value, (c - chunk * a.chunk_channels) * a.patch + y * a.patch_width + x});
        }
    }
}

// Lists of all chunks for the number of channels in `args`; gives the longest of a block.
int list_entries(const LayerProblem& p, SparseTiledPlan& plan) {
    const std::vector<float> weights = used_weights(p);
    SparseTiledArgs& a = plan.args;
    a.chunks = ceil_div(p.group_inputs(), a.chunk_channels);
    plan.entries.clear();
    plan.begin.clear();
    plan.rows.clear();
    int longest = 0;
    for (int group = 0; group < p.groups; ++group) {
        const std::vector<int> slots = dealt_rows(p, weights, group, a.row_blocks);
        plan.rows.insert(plan.rows.end(), slots.begin(), slots.end());
        for (int block = 0; block < a.row_blocks; ++block) {
            for (int chunk = 0; chunk < a.chunks; ++chunk) {
                const auto first = static_cast<int>(plan.entries.size());
                for (int s = 0; s < kSparseBlockRows; ++s) {
                    plan.begin.push_back(static_cast<int>(plan.entries.size()));
                    const int row = slots[static_cast<std::size_t>(block * kSparseBlockRows + s)];
                    if (row >= 0) append_entries(p, weights, a, row, chunk, plan.entries);
                }
                plan.begin.push_back(static_cast<int>(plan.entries.size()));
                longest = std::max(longest, static_cast<int>(plan.entries.size()) - first);
            }
        }
    }
    return longest;
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
    SparseTiledArgs a;
    choose_tile(p, a);
    const int entries = kSparseBlockRows * p.taps.y * p.taps.x;
    if (a.patch * 4.0 + entries * 8.0 + a.patch * 4.0 > kMaxShared)
        return "taps of this size and dilation do not fit into shared memory: sparse_direct takes "
               "them";
    return "";
}

SparseTiledPlan plan_sparse_tiled(const LayerProblem& p) {
    SparseTiledPlan plan;
    SparseTiledArgs& a = plan.args;
    a.shape = layer_shape(p);
    a.row_blocks = ceil_div(p.group_outputs(), kSparseBlockRows);
    choose_tile(p, a);
    a.chunk_channels = std::clamp(kInputShared / 4 / a.patch, 1, p.group_inputs());
    int longest = list_entries(p, plan);
    while (a.chunk_channels > 1 && longest * static_cast<int>(sizeof(SparseEntry)) > kEntryShared) {
        a.chunk_channels = std::max(1, a.chunk_channels / 2);
        longest = list_entries(p, plan);
    }
    a.capacity = longest;
    plan.blocks = a.tiles_n * a.tiles_y * a.tiles_x * a.row_blocks * p.groups;
    // Entries, input of a chunk, and where each of a channel's elements comes from.
    plan.shared_bytes = longest * static_cast<int>(sizeof(SparseEntry)) +
                        a.chunk_channels * a.patch * 4 + a.patch * 4;
    return plan;
}

}  // namespace weft
