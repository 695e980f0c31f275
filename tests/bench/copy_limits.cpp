// Copy bandwidth within the device: by cudaMemcpy, and by a kernel that only copies.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "kernels/device/image_buffer.h"
#include "kernels/pixels/image_difference.h"
#include "kernels/pixels/pixel_ops.h"
#include "tests/bench/device_bytes.h"
#include "tests/bench/limits.h"

namespace weft::bench {

namespace {

constexpr double kColdBytes = 120e6;  // twice the 60 MB L2 cache of an H200
constexpr int kRowBytes = 1 << 16;

ImageBuffer buffer_of(std::size_t bytes) {
    return {kRowBytes, static_cast<int>(bytes / kRowBytes), 1, PixelType::u8, Allocation::device};
}

struct Pair {
    ImageBuffer from, to;
};

std::vector<Pair> make_pairs(std::size_t bytes, std::size_t count) {
    std::vector<Pair> pairs;
    for (std::size_t k = 0; k < count; ++k) {
        pairs.push_back({buffer_of(bytes), buffer_of(bytes)});
        fill_on_device(pairs.back().from.view().data, static_cast<unsigned char>(k), bytes,
                       nullptr);
    }
    return pairs;
}

Limit limit_of(const std::string& name, double bytes, const Timing& t, const char* note) {
    return {.group = "copy",
            .name = name,
            .unit = "GB/s",
            .value = 2.0 * bytes / t.median * 1e-9,
            .per_clock_sm = 0,
            .note = note};
}

void add_copies(std::size_t megabytes, const Effort& effort, std::vector<Limit>& out) {
    const std::size_t bytes = megabytes << 20U;
    const auto sets = static_cast<std::size_t>(kColdBytes / (2.0 * static_cast<double>(bytes))) + 2;
    const std::vector<Pair> pairs = make_pairs(bytes, sets);
    const Enqueue memcpy = [&](std::size_t k, StreamView stream) {
        copy_on_device(pairs[k].from.view().data, pairs[k].to.view().data, bytes, stream);
    };
    const Enqueue kernel = [&](std::size_t k, StreamView stream) {
        copy_by_kernel(pairs[k].from.view(), pairs[k].to.view(), stream);
    };
    kernel(1, nullptr);
    GpuDifference difference;
    difference.add(pairs[1].from.view(), pairs[1].to.view(), nullptr);
    if (difference.take(nullptr).differing > 0)
        throw std::runtime_error("the kernel that copies changes bytes");
    const std::string size = std::to_string(megabytes) + " MB, ";
    const double b = static_cast<double>(bytes);
    out.push_back(limit_of(size + "cold", b, time_gpu(memcpy, sets, effort), "cudaMemcpy"));
    out.push_back(limit_of(size + "hot", b, time_gpu(memcpy, 1, effort), "cudaMemcpy"));
    out.push_back(
        limit_of(size + "cold, kernel", b, time_gpu(kernel, sets, effort), "16 B a thread"));
    out.push_back(limit_of(size + "hot, kernel", b, time_gpu(kernel, 1, effort), "16 B a thread"));
}

}  // namespace

double copy_ceiling(const Effort& effort) {
    std::vector<Limit> out;
    add_copies(256, effort, out);
    return std::max(out[0].value, out[2].value) * 1e9;
}

std::vector<Limit> copy_limits(const Effort& effort) {
    std::vector<Limit> out;
    for (const std::size_t megabytes : {8, 16, 64, 256}) add_copies(megabytes, effort, out);
    return out;
}

}  // namespace weft::bench
