// tensor_separable for large taps of one channel: the warps of a block share a strip, so that only
// the block has to filter the rows above it, not each warp.
//
// Idea: in a round each warp filters the rows of a chunk of its own, four chunks one below the
// other, and puts the result in shared memory, as the fragments that the column pass takes. After
// one barrier each warp filters the columns of half of the strip for two groups of 16 output rows:
// of their chunks all but one are the same, so a fragment that is read serves two products. A strip
// of 24 times 16 rows needs 32 chunks at 101 taps, where warps on their own needed 15 for 8; and
// without the chunks in registers three blocks fit on a multiprocessor instead of two.
// Which: the shapes {3, 5} and {4, 8}. With fewer chunks the rows above a strip are few, and
// registers hold them: on an H100 at 3840×2160, 31×31 takes 16.5 µs instead of 14.1 and 49×49 17.8
// instead of 17.0.
// A round reads up to Chunks + 3 chunks, while fast warps write the next four.
// Source: tensor_separable's; the exchange is ours.
// Launch: kStripWarps warps per block, which go down a strip of 16 · Tiles columns.
// Cost: tensor_separable's, but a strip computes kWarmUp rounds of four chunks more than it writes;
// per 16×16 outputs 512 bytes of shared memory are written and (Chunks + 1) / 2 times that read.
#pragma once

#include <cstdint>

#include "kernels/common/early_launch.cuh"
#include "kernels/tensor/tensor_separable.cuh"

namespace weft {

// A block's part of the work, and a warp's in the column pass.
template <class Grid, int Chunks>
struct SharedStrip {
    static constexpr int kUnits = Grid::kUnits / 2;  // per warp
    static constexpr int kGroups = 2;                // of 16 output rows, per warp
    static constexpr int kReach = Chunks - 1 + kGroups;
    // Rounds before the first output, and the chunks of the first of them that no output needs.
    static constexpr int kWarmUp = strip_warm_up(Chunks);
    static constexpr int kSkipped = kWarmUp * kStripWarps - (Chunks - 1);
    static_assert(Grid::kUnits % 2 == 0 && kStripWarps == 2 * kGroups);
};

// The chunks of several rounds in shared memory, after the ends of rows: a lane's fragments of a
// unit are 16 bytes.
template <class Grid, int Chunks>
class StripExchange {
 public:
    static constexpr int kUnits = Grid::kUnits;

    __device__ __forceinline__ explicit StripExchange(int lane)
        : own_(reinterpret_cast<Words<4>*>(reinterpret_cast<StripEnds<Grid>*>(strip_ends) +
                                           kStripWarps) +
               lane) {}

    // Chunks are numbered from those of the first round on.
    __device__ __forceinline__ void put(int chunk, const StripChunk<kUnits>& in) const {
#pragma unroll
        for (int unit = 0; unit < kUnits; ++unit)
            at(chunk, unit) = {
                {in.of[unit][0][0], in.of[unit][0][1], in.of[unit][1][0], in.of[unit][1][1]}};
    }

    __device__ __forceinline__ StripChunk<1> get(int chunk, int unit) const {
        const Words<4> got = at(chunk, unit);
        return {{{{got.v[0], got.v[1]}, {got.v[2], got.v[3]}}}};
    }

 private:
    static constexpr int kSlots = strip_slots(Chunks);

    __device__ __forceinline__ Words<4>& at(int chunk, int unit) const {
        return own_[((chunk & (kSlots - 1)) * kUnits + unit) * 32];
    }

    Words<4>* own_;
};

// Sums of a warp's outputs, rounded: every chunk is read once. `first` is the topmost.
template <class Grid, int Chunks>
__device__ __forceinline__ void filter_shared_rounded(
    const TensorSeparableArgs& args, const BandRegisters<Chunks>& bands, const int (&start)[4],
    const StripExchange<Grid, Chunks>& chunks, int first, int first_unit,
    std::uint32_t (
        &words)[2 * SharedStrip<Grid, Chunks>::kGroups][SharedStrip<Grid, Chunks>::kUnits]) {
    using Strip = SharedStrip<Grid, Chunks>;
    float sums[Strip::kGroups][Strip::kUnits][2][4];
#pragma unroll
    for (int i = 0; i < 4 * 2 * Strip::kUnits * Strip::kGroups; ++i)
        sums[i / (8 * Strip::kUnits)][i / 8 % Strip::kUnits][i / 4 % 2][i % 4] =
            __uint_as_float(static_cast<std::uint32_t>(start[i % 4]));
#pragma unroll
    for (int j = 0; j < Strip::kReach; ++j) {
#pragma unroll
        for (int unit = 0; unit < Strip::kUnits; ++unit) {
            const StripChunk<1> rows = chunks.get(first + j, first_unit + unit);
#pragma unroll
            for (int group = 0; group < Strip::kGroups; ++group) {
                const int c = j - group;
                if (c < 0 || c >= Chunks) continue;
#pragma unroll
                for (int pair = 0; pair < 2; ++pair)
                    multiply_chunks(sums[group][unit][pair], bands.of[c][0], bands.of[c][1],
                                    rows.of[0][pair][0], rows.of[0][pair][1]);
            }
        }
    }
#pragma unroll
    for (int group = 0; group < Strip::kGroups; ++group) {
#pragma unroll
        for (int unit = 0; unit < Strip::kUnits; ++unit) {
            std::uint32_t of[2];
            pack_sums(args, sums[group][unit], of);
            words[2 * group][unit] = of[0];
            words[2 * group + 1][unit] = of[1];
        }
    }
}

// Whole sums: one unit after the other, since each takes the chunks in pairs.
template <class Grid, int Chunks>
__device__ __forceinline__ void filter_shared_whole(
    const TensorSeparableArgs& args,
    const BandRegisters<kColumnBands<StripSums::whole, Chunks>>& bands, const int (&start)[4],
    const StripExchange<Grid, Chunks>& chunks, int first, int first_unit,
    std::uint32_t (
        &words)[2 * SharedStrip<Grid, Chunks>::kGroups][SharedStrip<Grid, Chunks>::kUnits]) {
    using Strip = SharedStrip<Grid, Chunks>;
#pragma unroll
    for (int unit = 0; unit < Strip::kUnits; ++unit) {
#pragma unroll
        for (int group = 0; group < Strip::kGroups; ++group) {
            StripChunk<1> rows[Chunks];
#pragma unroll
            for (int c = 0; c < Chunks; ++c)
                rows[c] = chunks.get(first + group + c, first_unit + unit);
            std::uint32_t of[2][1];
            filter_columns<StripSums::whole, Chunks>(args, bands, start, rows, 0, of);
            words[2 * group][unit] = of[0][0];
            words[2 * group + 1][unit] = of[1][0];
        }
    }
}

// Steps of a strip that is not the only one are a multiple of kStripWarps.
template <StripSums kSums, int Halves, int Chunks, int Tiles, int Blocks>
__global__ void __launch_bounds__(kStripThreads, Blocks)
    tensor_separable_shared(const __grid_constant__ TensorSeparableArgs args) {
    using Grid = StripGrid<1, 1, Halves, Tiles>;
    using Strip = SharedStrip<Grid, Chunks>;
    constexpr int kWidth = 16 * Tiles;
    const int lane = __shfl_sync(0xFFFFFFFFU, static_cast<int>(threadIdx.x), threadIdx.x);
    const int warp = __shfl_sync(0xFFFFFFFFU, static_cast<int>(threadIdx.y), 0);
    const int strip = static_cast<int>(blockIdx.x) / args.tiles_x;
    const int sample = (static_cast<int>(blockIdx.x) - strip * args.tiles_x) * kWidth;
    const int y = strip * args.steps * kStripRows;
    const int steps = min(args.steps, (args.images.y.length - y + kStripRows - 1) / kStripRows);
    const bool whole = args.dst_aligned && sample + kWidth <= args.images.x.length;
    const BandRegisters<kRowPlanes<kSums> * Halves> row_bands(args.rows, lane);
    const BandRegisters<kColumnBands<kSums, Chunks>> column_bands(args.columns, lane);
    const StripStarts start(args);
    const StripFeed<Grid> feed(args, lane, sample, warp);
    const StripExchange<Grid, Chunks> exchange(lane);
    StripInput<Grid> in{};
    const bool at_end = feed.at_end();
    if (at_end) feed.find_ends();
    // The warp's next chunk, and its first row.
    int chunk = warp;
    const auto needed = [&] {
        return chunk >= Strip::kSkipped && chunk < Strip::kWarmUp * kStripWarps + steps;
    };
    const auto top = [&] {
        return y - args.images.y.before + (chunk - Strip::kSkipped) * kStripRows;
    };
    // Its outputs of the first round after the warm-up.
    const int first_unit = warp % 2 * Strip::kUnits;
    int step = warp / 2 * Strip::kGroups - Strip::kWarmUp * kStripWarps;
    wait_for_predecessors();
    let_successor_start();
    if (needed()) feed.load(top(), at_end, in);
#pragma unroll 1
    for (int round = 0; round * kStripWarps < Strip::kWarmUp * kStripWarps + steps; ++round) {
        if (needed()) {
            if (at_end) feed.make_ends(top(), in);
            StripChunk<Grid::kUnits> out;
            filter_rows<kSums>(args, row_bands, start.rows, in, out);
            exchange.put(chunk, out);
        }
        chunk += kStripWarps;
        if (needed()) feed.load(top(), at_end, in);
        __syncthreads();
        const int output = step;
        step += kStripWarps;
        if (output < 0 || output >= steps) continue;
        std::uint32_t words[2 * Strip::kGroups][Strip::kUnits];
        const int first = output + Strip::kSkipped;
        if constexpr (kSums == StripSums::whole)
            filter_shared_whole<Grid, Chunks>(args, column_bands, start.columns, exchange, first,
                                              first_unit, words);
        else
            filter_shared_rounded<Grid, Chunks>(args, column_bands, start.columns, exchange, first,
                                                first_unit, words);
        const int row = y + output * kStripRows;
        store_strip(args, whole && row + kStripRows * Strip::kGroups <= args.images.y.length, lane,
                    row, sample + 16 * first_unit, words);
    }
}

}  // namespace weft
