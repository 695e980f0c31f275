#include "kernels/device/device_array.cuh"
#include "tests/bench/device_bytes.h"

namespace weft::bench {

namespace {

__global__ void pick(const unsigned char* from, const std::size_t* offsets, std::size_t count,
                     std::size_t size, unsigned char* to) {
    const std::size_t at = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at >= count) return;
    for (std::size_t k = 0; k < size; ++k) to[at * size + k] = from[offsets[at] + k];
}

}  // namespace

void copy_on_device(const void* from, void* to, std::size_t bytes, StreamView stream) {
    cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream),
               "copy within the GPU");
}

void fill_on_device(void* to, unsigned char byte, std::size_t bytes, StreamView stream) {
    cuda_check(cudaMemsetAsync(to, byte, bytes, stream), "poison an output");
}

void upload_bytes(const void* host, void* device, std::size_t bytes) {
    cuda_check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "copy an input to the GPU");
    cuda_check(cudaStreamSynchronize(cudaStreamLegacy), "wait for an input on the GPU");
}

std::vector<std::byte> gather(const void* device, const std::vector<std::size_t>& offsets,
                              std::size_t size, StreamView stream) {
    constexpr unsigned kThreads = 256;
    const DeviceArray<std::size_t> places = upload(offsets);
    const DeviceArray<unsigned char> picked = device_array<unsigned char>(offsets.size() * size);
    const auto blocks = static_cast<unsigned>((offsets.size() + kThreads - 1) / kThreads);
    pick<<<blocks, kThreads, 0, stream>>>(static_cast<const unsigned char*>(device), places.get(),
                                          offsets.size(), size, picked.get());
    cuda_check(cudaGetLastError(), "launch the picking of results");
    std::vector<std::byte> out(offsets.size() * size);
    cuda_check(
        cudaMemcpyAsync(out.data(), picked.get(), out.size(), cudaMemcpyDeviceToHost, stream),
        "copy results from the GPU");
    cuda_check(cudaStreamSynchronize(stream), "wait for results");
    return out;
}

}  // namespace weft::bench
