#include "app/pipeline/race/whole_device.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <unistd.h>

#include "app/pipeline/report/stage_timer.h"
#include "kernels/cpu/cpu_peak.h"
#include "kernels/device/cgroup.h"
#include "kernels/device/parallel_slots.h"
#include "kernels/pixels/pixel_ops.h"

namespace weft {
namespace {

constexpr int kRowBytes = 1 << 16;

std::size_t bytes_beyond_caches(const Device& device) {
    if (device.is_gpu()) return std::max(2 * device.l2_bytes, std::size_t{16} << 20);
    const long last_cache = sysconf(_SC_LEVEL3_CACHE_SIZE);  // 0 or -1 if unknown
    return std::clamp(2 * static_cast<std::size_t>(std::max(last_cache, 0L)), std::size_t{32} << 20,
                      std::size_t{256} << 20);
}

ImageView rows_of(ImageView image, int first, int count) {
    image.data = image.row(first);
    image.height = count;
    return image;
}

// Calls `work(first, count)` for bands of rows on all cores, like kernels on the CPU.
template <class Work>
void for_bands(int rows, const Work& work) {
    const int bands = std::clamp(usable_cores(), 1, rows);
    parallel_slots(bands, [&](int k) {
        const int first = rows * k / bands;
        work(first, rows * (k + 1) / bands - first);
    });
}

// The least of some copies; the first one writes to pages that the system has yet to provide. Other
// programs disturb most of them on a busy machine.
double measure_bytes(const Device& device) {
    constexpr int kTries = 12;
    const ImageBuffer from = memory_beyond_caches(device);
    const ImageBuffer to = memory_beyond_caches(device);
    flush_caches(from.view(), nullptr);
    StageTimer timer(device.is_gpu());
    double least = 0;
    for (int k = 0; k <= kTries; ++k) {
        timer.start(nullptr);
        copy_with_all(from.view(), to.view(), nullptr);
        timer.stop(nullptr);
        const double seconds = timer.seconds();
        if (k == 1 || (k > 1 && seconds < least)) least = seconds;
    }
    const double bytes = 2.0 * kRowBytes * from.view().height;
    return least > 0 ? bytes / least : 0;
}

DevicePeak measure_peak(const Device& device) {
    DevicePeak peak = device.is_gpu() ? gpu_peak(device) : measure_cpu_operations(device);
    if (peak.bytes <= 0) peak.bytes = measure_bytes(device);
    return peak;
}

}  // namespace

ImageBuffer memory_beyond_caches(const Device& device) {
    return {kRowBytes, static_cast<int>(bytes_beyond_caches(device) / kRowBytes), 1, PixelType::u8,
            device.is_gpu() ? Allocation::device : Allocation::host};
}

void flush_caches(const ImageView& memory, StreamView stream) {
    if (memory.space == MemorySpace::device) return fill_channels(memory, 0, 1, stream);
    for_bands(memory.height, [&](int first, int count) {
        fill_channels(rows_of(memory, first, count), 0, 1, nullptr);
    });
}

void copy_with_all(const ImageView& src, const ImageView& dst, StreamView stream) {
    if (src.space == MemorySpace::device) return copy_image(src, dst, stream);
    for_bands(src.height, [&](int first, int count) {
        copy_image(rows_of(src, first, count), rows_of(dst, first, count), nullptr);
    });
}

void launch_nothing(const ImageView& memory, StreamView stream) {
    if (memory.space == MemorySpace::host) return parallel_slots(usable_cores(), [](int) {});
    ImageView pixel = memory;
    pixel.width = pixel.height = 1;
    fill_channels(pixel, 0, 0, stream);  // of no channel
}

DevicePeak device_peak(const Device& device) {
    static std::mutex mutex;
    static std::map<int, DevicePeak> known;  // by ordinal
    const std::scoped_lock lock(mutex);
    const auto found = known.find(device.ordinal);
    if (found != known.end()) return found->second;
    return known[device.ordinal] = measure_peak(device);
}

}  // namespace weft
