#include "kernels/sparse/sparse_direct.h"

#include <algorithm>

#include "kernels/common/kernel_terms.h"
#include "kernels/common/quotient.h"
#include "kernels/device/cuda_build.h"

namespace weft {

namespace {

constexpr int kSmallTile = 48 * 1024;  // bytes of shared memory that let four blocks run at once

// The part of all taps that is not zero, at least one tap.
struct TapBox {
    int left = 0, top = 0, right = 0, bottom = 0;  // right and bottom included
};

float weight_at(const Taps& t, int i, int j) {
    return t.weights[static_cast<std::size_t>(j) * t.width + i];
}

template <class Visit>
void visit_taps(const Taps& t, const Visit& visit) {
    if (!t.dense()) return;  // not this kernel's problem, but its cost may be requested
    for (int j = 0; j < t.height; ++j)
        for (int i = 0; i < t.width; ++i)
            if (weight_at(t, i, j) != 0.0F) visit(i, j);
}

TapBox box_of_taps(const ConvProblem& p) {
    const Taps& first = p.taps();
    TapBox box{first.width, first.height, -1, -1};
    for (const ChannelConv& c : p.conv) {
        for (const Taps& t : c.taps) {
            visit_taps(t, [&](int i, int j) {
                box = {std::min(box.left, i), std::min(box.top, j), std::max(box.right, i),
                       std::max(box.bottom, j)};
            });
        }
    }
    if (box.right < 0) box = {first.anchor_x, first.anchor_y, first.anchor_x, first.anchor_y};
    return box;
}

// Sizes of a tile for `together` channels.
void set_tile(const ConvProblem& p, const TapBox& box, int together, SparseImageArgs& a) {
    const int per_word = samples_per_word(p.type);
    a.together = together;
    a.tile_rows = kSparseImageRows + box.bottom - box.top;
    a.words = ceil_div(kSparseStrip + (box.right - box.left) * together, per_word);
    a.words += a.words % per_word;  // pairs are written two at a time
    a.pitch = a.words * per_word;
}

int bytes_of_tile(const SparseImageArgs& a) {
    return 4 * a.pitch * a.tile_rows;
}

void choose_tile(const ConvProblem& p, const TapBox& box, SparseImageArgs& a) {
    set_tile(p, box, p.conv.size() > 1 ? 1 : p.channels, a);
    if (a.together > 1 && bytes_of_tile(a) > kSmallTile) set_tile(p, box, 1, a);
}

struct TapRun {
    int i = 0, j = 0, length = 1;
};

// Columns of taps that are not zero, cut into the lengths of kSparseRuns.
std::vector<TapRun> runs_of(const Taps& t) {
    std::vector<TapRun> runs;
    for (int i = 0; i < t.width; ++i) {
        for (int j = 0; j < t.height;) {
            int length = 0;
            while (j + length < t.height && weight_at(t, i, j + length) != 0.0F) ++length;
            for (const int run : kSparseRuns)
                for (; length >= run; length -= run, j += run) runs.push_back({i, j, run});
            ++j;  // a zero
        }
    }
    return runs;
}

void append_taps(const ConvProblem& p, const TapBox& box, const Taps& t, int list,
                 SparseImageLayout& layout) {
    SparseImageArgs& a = layout.args;
    const int per_word = samples_per_word(p.type);
    const std::vector<TapRun> runs = runs_of(t);
    int* begin = a.begin + static_cast<std::ptrdiff_t>(list) * kSparseRunLengths;
    for (const int length : kSparseRuns) {
        *begin++ = static_cast<int>(layout.taps.size());
        for (const TapRun& run : runs) {
            if (run.length != length) continue;
            const int sample = (run.i - box.left) * a.together;
            for (int k = 0; k < length; ++k)
                layout.taps.push_back({weight_at(t, run.i, run.j + k),
                                       (run.j + k - box.top) * a.pitch +
                                           sample % per_word * a.words + sample / per_word});
        }
    }
    *begin = static_cast<int>(layout.taps.size());
}

}  // namespace

int sparse_image_bytes(const ConvProblem& p) {
    SparseImageArgs args;
    choose_tile(p, box_of_taps(p), args);
    return bytes_of_tile(args);
}

SparseImageLayout lay_out_sparse_image(const ConvProblem& p) {
    SparseImageLayout layout;
    SparseImageArgs& a = layout.args;
    const TapBox box = box_of_taps(p);
    a.images = conv_images(p, layout.borders);
    a.channels = p.channels;
    a.sets = static_cast<int>(p.conv.front().taps.size());
    a.planes = static_cast<int>(p.conv.size());
    a.magnitude = p.combine == Combine::magnitude;
    a.left = p.taps().anchor_x - box.left;
    a.top = p.taps().anchor_y - box.top;
    choose_tile(p, box, a);
    a.tiles_x = ceil_div(p.width * a.together, kSparseStrip);
    const int tiles = grid_size(a.tiles_x, ceil_div(p.height, kSparseImageRows));
    layout.blocks = grid_size(tiles, p.channels / a.together);
    layout.shared_bytes = bytes_of_tile(a);
    int list = 0;
    for (int set = 0; set < a.sets; ++set)
        for (const ChannelConv& c : p.conv)
            append_taps(p, box, c.taps[static_cast<std::size_t>(set)], list++, layout);
    return layout;
}

namespace {

double time_of(const ConvProblem& p, const Device& device) {
    const double taps = taps_not_zero(p);
    const double area = tap_count(p);
    const double each = p.channels == 1 ? (p.type == PixelType::u8 ? 0.55 : 0.465) : 0.59;
    const bool bytes = p.type == PixelType::u8;
    return estimated_time(
        p, device,
        {.start = (bytes ? 4.7 : 7.2) + 0.055 * taps + (bytes ? 0.085 : 0.15) * p.taps().height,
         .hopper_time = (bytes ? 19.0 : 27.5) + each * taps + 0.011 * area});
}

}  // namespace

extern constinit const ConvKernel kSparseDirectKernel = {
    .name = "sparse_direct",
    .summary =
        "nonzero taps only, as values and offsets: into a tile in shared memory for images, into "
        "the input for layers",
    .source = "Fang et al., Computer Engineering & Science 2018; Park et al., ICLR 2017",
    .limits = "NVIDIA GPU; dense taps up to 63×63 and layers, both with many zeros",
    .space = MemorySpace::device,
    .why_not = [](const ConvProblem& p, const Device& device) -> std::string {
        std::string reason = why_not_fp32_sums(p);
        return reason.empty() ? why_no_room(sparse_image_bytes(p), device) : reason;
    },
    .prepare = cuda_only<prepare_sparse_image>(),
    .cost = sparse_cost,
    .time = time_of,
    .reason = "{size} {type}: only the taps that are not zero",
};

}  // namespace weft
