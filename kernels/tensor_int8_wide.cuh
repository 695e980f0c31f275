// tensor_int8 for taps beyond 9×9: bands in shared memory, before the tiles.
#pragma once

#include "kernels/tensor_int8.cuh"

namespace weft {

// This lane's B fragments of a tap row, for the even or the odd pairs of the 16 outputs.
template <int kChunks, int kPlanes>
struct alignas(kChunks* kPlanes % 4 == 0    ? 16
               : kChunks * kPlanes % 2 == 0 ? 8
                                            : 4) Int8WideBand {
    std::uint32_t of[kPlanes][kChunks];
};

template <int kChunks, Int8Sums kSums>
class Int8WideSums {
 public:
    static constexpr int kPlanes = kInt8Planes<kSums>;
    using Band = Int8WideBand<kChunks, kPlanes>;

    __device__ __forceinline__ Int8WideSums(const std::uint8_t* window, int pitch,
                                            const Band* bands, const Int8Starts<kSums>& starts)
        : window_(window), pitch_(pitch), bands_(bands + threadIdx.x) {
#pragma unroll
        for (int row = 0; row < kInt8RowsAtOnce; ++row) {
#pragma unroll
            for (int plane = 0; plane < kPlanes; ++plane)
#pragma unroll
                for (int i = 0; i < 4; ++i)
                    sums[row][0][plane][i] = sums[row][1][plane][i] = starts.of(plane)[i];
            load_row(row);
        }
    }

    // The rows that are summed move down with the tap row: slot (j + row) % kInt8RowsAtOnce holds
    // the one for output `row`.
    __device__ __forceinline__ void add(int tap_rows) {
        int j = 0;
#pragma unroll 1
        for (; j + kInt8RowsAtOnce <= tap_rows; j += kInt8RowsAtOnce) {
#pragma unroll
            for (int k = 0; k < kInt8RowsAtOnce; ++k) add_tap_row(k);
        }
#pragma unroll
        for (int k = 0; k < kInt8RowsAtOnce - 1; ++k)
            if (j + k < tap_rows) add_tap_row(k);
    }

    int sums[kInt8RowsAtOnce][2][kPlanes][4];  // [row][odd pairs][plane]

 private:
    __device__ __forceinline__ void load_row(int slot) {
#pragma unroll
        for (int chunk = 0; chunk < kChunks; ++chunk)
            rows_[slot][chunk] = chunk_at(window_ + 16 * chunk);
        window_ += pitch_;
    }

    __device__ __forceinline__ void add_row(int row, int slot, int odd, const Band& band) {
#pragma unroll
        for (int plane = 0; plane < kPlanes; ++plane) {
            int(&sum)[4] = sums[row][odd][plane];
            const std::uint32_t(&b)[kChunks] = band.of[plane];
#pragma unroll
            for (int c = 0; c + 1 < kChunks; c += 2)
                multiply_bytes(sum, sum, rows_[slot][c], rows_[slot][c + 1], b[c], b[c + 1]);
            if constexpr (kChunks % 2 == 1)
                multiply_bytes(sum, sum, rows_[slot][kChunks - 1], b[kChunks - 1]);
        }
    }

    // The next row of the image replaces the one that no later tap row needs.
    __device__ __forceinline__ void add_tap_row(int k) {
        const Band even = bands_[0];
        const Band odd = bands_[32];
        bands_ += 64;
#pragma unroll
        for (int row = 0; row < kInt8RowsAtOnce; ++row)
            add_row(row, (k + row) % kInt8RowsAtOnce, 0, even);
        add_row(0, k, 1, odd);
        load_row(k);
#pragma unroll
        for (int row = 1; row < kInt8RowsAtOnce; ++row)
            add_row(row, (k + row) % kInt8RowsAtOnce, 1, odd);
    }

    const std::uint8_t* window_;
    int pitch_;
    const Band* bands_;
    ChunkFragment rows_[kInt8RowsAtOnce][kChunks];
};

template <int kChunks, Int8Sums kSums>
__device__ __forceinline__ void compute_wide_tile(const Int8Args& args, Int8Place place,
                                                  const Int8Starts<kSums>& starts) {
    using Sums = Int8WideSums<kChunks, kSums>;
    const int pitch = int8_pitch(args);
    const auto* const bands = reinterpret_cast<const typename Sums::Band*>(tensor_tile);
#pragma unroll 1
    for (int first = 0; first < kInt8WideRows; first += kInt8RowsAtOnce) {
        Sums all(place.window + first * pitch, pitch, bands, starts);
        all.add(args.tap_rows);
#pragma unroll
        for (int row = 0; row < kInt8RowsAtOnce; ++row) {
            float v[2][4];
            finish_int8<kSums>(args, all.sums[row][0], v[0]);
            finish_int8<kSums>(args, all.sums[row][1], v[1]);
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const int i = 2 * half;
                const int sample = half * (kInt8Samples / 2);
                const std::uint32_t word =
                    pack_saturated(v[0][i], v[0][i + 1], v[1][i], v[1][i + 1]);
                if (first + row < place.rows)
                    store_word(args, place.to + sample, word, place.samples - sample);
            }
            place.to += args.images.dst_pitch;
        }
    }
}

template <int kChunks, Int8Sums kSums>
__global__ void __launch_bounds__(kInt8Threads, kChunks > 2 ? 3 : 4)
    tensor_int8_wide(const __grid_constant__ Int8Args args) {
    const int vectors = args.tap_rows * 64 * kChunks * kInt8Planes<kSums> / 4;
    const Int8Starts<kSums> starts;
    for_each_int8_tile(
        args, tensor_tile + vectors,
        [&](int thread) {
            const auto* const from = reinterpret_cast<const SegmentWords*>(args.bands);
            for (int k = thread; k < vectors; k += kInt8Threads)
                copy_vector(tensor_tile + k, from + k);
            close_copies();
        },
        [&](const SegmentWords* tile, int tile_y) {
            compute_wide_tile<kChunks, kSums>(args, int8_place(args, tile, tile_y, kInt8WideRows),
                                              starts);
        });
}

}  // namespace weft
