// Work that fills a device, apart from kernels: the limits that a race compares them with.
#pragma once

#include "kernels/device/device_peak.h"
#include "kernels/device/image_buffer.h"

namespace weft {

// Memory that no cache holds: twice the GPU's L2, or twice the CPU's last cache, at most 256 MiB.
ImageBuffer memory_beyond_caches(const Device& device);

// Overwrites all of that memory, so that the next launch reads from memory instead of the caches:
// asynchronously on a GPU; on the CPU before it returns.
void flush_caches(const ImageView& memory, StreamView stream);

// Copies on all cores, like kernels on the CPU, or asynchronously by the driver on a GPU.
void copy_with_all(const ImageView& src, const ImageView& dst, StreamView stream);

// A launch that computes nothing, on a GPU where `memory` is; on the CPU a job without work for
// each core. Reads and writes no pixel.
void launch_nothing(const ImageView& memory, StreamView stream);

// The peak of the current device: a GPU's by its clocks and its architecture. Unknown rates are
// measured. The first call for a device measures for some tenths of a second.
DevicePeak device_peak(const Device& device);

}  // namespace weft
