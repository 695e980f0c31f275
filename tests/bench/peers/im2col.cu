#include "kernels/device/cuda_check.cuh"
#include "tests/bench/peers/im2col.cuh"

namespace weft::bench {

namespace {

// One thread per element of one matrix row; blockIdx.y: input channel, blockIdx.z: image.
__global__ void fill_columns(LayerShape s, const float* __restrict__ input,
                             float* __restrict__ columns) {
    const int places = s.out_height * s.out_width;
    const int taps = s.taps_y * s.taps_x;
    const int place = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (place >= places) return;
    const int first_y = place / s.out_width * s.stride_y - s.padding_y;
    const int first_x = place % s.out_width * s.stride_x - s.padding_x;
    const auto plane = static_cast<std::size_t>(blockIdx.z) * s.in_channels + blockIdx.y;
    const float* const from = input + plane * s.height * s.width;
    float* const to = columns + plane * taps * places + place;
    for (int t = 0; t < taps; ++t) {
        const int y = first_y + t / s.taps_x * s.dilation_y;
        const int x = first_x + t % s.taps_x * s.dilation_x;
        const bool inside = y >= 0 && y < s.height && x >= 0 && x < s.width;
        to[static_cast<std::size_t>(t) * places] = inside ? from[y * s.width + x] : 0.0F;
    }
}

}  // namespace

void im2col(const LayerShape& s, const float* input, float* columns, StreamView stream) {
    constexpr unsigned kThreads = 128;
    const auto places = static_cast<unsigned>(s.out_height * s.out_width);
    const dim3 grid((places + kThreads - 1) / kThreads, static_cast<unsigned>(s.in_channels),
                    static_cast<unsigned>(s.batch));
    fill_columns<<<grid, kThreads, 0, stream>>>(s, input, columns);
    cuda_check(cudaGetLastError(), "launch im2col");
}

std::size_t im2col_elements(const LayerProblem& p) {
    return static_cast<std::size_t>(p.batch) * p.in_channels * p.taps.y * p.taps.x *
           static_cast<std::size_t>(p.out_height()) * p.out_width();
}

}  // namespace weft::bench
