#include "app/pipeline/race/cache_flush.h"

#include <algorithm>
#include <unistd.h>

#include "kernels/device/cores.h"
#include "kernels/device/parallel_slots.h"
#include "kernels/pixels/pixel_ops.h"

namespace weft {
namespace {

constexpr int kRowBytes = 1 << 16;

std::size_t flush_bytes(const Device& device) {
    if (device.is_gpu()) return std::max(2 * device.l2_bytes, std::size_t{16} << 20);
    const long last_cache = sysconf(_SC_LEVEL3_CACHE_SIZE);  // 0 or -1 if unknown
    return std::clamp(2 * static_cast<std::size_t>(std::max(last_cache, 0L)), std::size_t{32} << 20,
                      std::size_t{256} << 20);
}

}  // namespace

CacheFlush::CacheFlush(const Device& device)
    : memory_(kRowBytes, static_cast<int>(flush_bytes(device) / kRowBytes), 1, PixelType::u8,
              device.is_gpu() ? Allocation::device : Allocation::host) {}

void CacheFlush::run(StreamView stream) {
    const ImageView& all = memory_.view();
    if (all.space == MemorySpace::device) return fill_channels(all, 0, 1, stream);
    const int bands = std::clamp(usable_cores(), 1, all.height);
    parallel_slots(bands, [&](int k) {
        const int first = all.height * k / bands;
        ImageView band = all;
        band.data = all.row(first);
        band.height = all.height * (k + 1) / bands - first;
        fill_channels(band, 0, 1, nullptr);
    });
}

}  // namespace weft
