// Bytes in device memory: copied, filled, picked.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/device/device.h"

namespace weft::bench {

// All throw CudaError; the first two are asynchronous.
void copy_on_device(const void* from, void* to, std::size_t bytes, StreamView stream);
void fill_on_device(void* to, unsigned char byte, std::size_t bytes, StreamView stream);
void upload_bytes(const void* host, void* device, std::size_t bytes);  // blocks

// The elements of `size` bytes at these byte offsets, one after the other; blocks until the stream
// is done.
std::vector<std::byte> gather(const void* device, const std::vector<std::size_t>& offsets,
                              std::size_t size, StreamView stream);

}  // namespace weft::bench
