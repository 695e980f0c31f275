// Idea: a block takes rows in turn, a thread every 256th pixel of them; each warp's result goes to
// memory by two atomic operations. Cost: both images read once.
#include <algorithm>
#include <bit>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <utility>
#include <vector>

#include "kernels/common/samples.cuh"
#include "kernels/device/cuda_check.cuh"
#include "kernels/device/device_array.cuh"
#include "kernels/pixels/image_difference.h"

namespace weft {

namespace {

constexpr int kThreads = 256;
constexpr int kMostBlocks = 4096;

struct Totals {
    unsigned long long differing;
    unsigned long long largest;  // a double's bits: those of values ≥ 0 are ordered as they are
};

struct Pair {
    const std::byte* want;
    const std::byte* got;
    long long want_pitch;
    long long got_pitch;
    int width;
    int height;
};

template <class Sample>
__device__ __forceinline__ double distance(Sample want, Sample got) {
    return abs(static_cast<int>(want) - static_cast<int>(got));
}

// As on the host: infinite if only one is NaN.
template <>
__device__ __forceinline__ double distance(float want, float got) {
    if (want == got || (isnan(want) && isnan(got))) return 0;
    const double apart = fabs(static_cast<double>(want) - static_cast<double>(got));
    return isnan(apart) ? __longlong_as_double(0x7FF0000000000000LL) : apart;
}

template <class Sample, int Channels>
__global__ void count_differences(const Pair pair, Totals* totals) {
    unsigned differing = 0;
    double largest = 0;
    for (int y = static_cast<int>(blockIdx.x); y < pair.height; y += static_cast<int>(gridDim.x)) {
        const auto* want = reinterpret_cast<const Sample*>(pair.want + y * pair.want_pitch);
        const auto* got = reinterpret_cast<const Sample*>(pair.got + y * pair.got_pitch);
        for (int x = static_cast<int>(threadIdx.x); x < pair.width; x += kThreads) {
            double apart = 0;
            for (int c = 0; c < Channels; ++c)
                apart = fmax(apart, distance(want[x * Channels + c], got[x * Channels + c]));
            differing += apart > 0 ? 1 : 0;
            largest = fmax(largest, apart);
        }
    }
    namespace cg = cooperative_groups;
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const unsigned count = cg::reduce(warp, differing, cg::plus<unsigned>());
    const double most = cg::reduce(warp, largest, cg::greater<double>());
    if (warp.thread_rank() != 0 || count == 0) return;
    atomicAdd(&totals->differing, count);
    atomicMax(&totals->largest, static_cast<unsigned long long>(__double_as_longlong(most)));
}

template <class Sample>
void launch(const Pair& pair, int channels, Totals* totals, StreamView stream) {
    const int blocks = std::min(pair.height, kMostBlocks);
    using Kernel = void (*)(Pair, Totals*);
    constexpr Kernel kKernels[] = {count_differences<Sample, 1>, count_differences<Sample, 2>,
                                   count_differences<Sample, 3>, count_differences<Sample, 4>};
    kKernels[channels - 1]<<<blocks, kThreads, 0, stream>>>(pair, totals);
    cuda_check(cudaGetLastError(), "launch the comparison of two images");
}

}  // namespace

struct GpuDifference::Sums {
    DeviceArray<Totals> device = upload(std::vector<Totals>(1));
};

GpuDifference::GpuDifference() : sums_(std::make_unique<Sums>()) {}
GpuDifference::~GpuDifference() = default;
GpuDifference::GpuDifference(GpuDifference&&) noexcept = default;
GpuDifference& GpuDifference::operator=(GpuDifference&&) noexcept = default;

void GpuDifference::add(const ImageView& want, const ImageView& got, StreamView stream) {
    const Pair pair{static_cast<const std::byte*>(want.data),
                    static_cast<const std::byte*>(got.data),
                    want.pitch_bytes,
                    got.pitch_bytes,
                    want.width,
                    want.height};
    pixels_ += static_cast<std::int64_t>(want.width) * want.height;
    Totals* const totals = sums_->device.get();
    with_pixel_type(want.type, [&]<class P>(P) {
        launch<typename P::Sample>(pair, want.channels, totals, stream);
    });
}

ImageDifference GpuDifference::take(StreamView stream) {
    Totals totals{};
    Totals* const device = sums_->device.get();
    cuda_check(cudaMemcpyAsync(&totals, device, sizeof(totals), cudaMemcpyDeviceToHost, stream),
               "read how far two images are apart");
    cuda_check(cudaMemsetAsync(device, 0, sizeof(totals), stream), "clear a counter on the GPU");
    cuda_check(cudaStreamSynchronize(stream), "wait for the comparison of two images");
    return {.largest = std::bit_cast<double>(totals.largest),
            .pixels = std::exchange(pixels_, 0),
            .differing = static_cast<std::int64_t>(totals.differing)};
}

}  // namespace weft
