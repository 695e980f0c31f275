#include "app/pipeline/device_health.h"

#include <exception>

#include "kernels/device/cuda_error.h"
#include "kernels/device/image_buffer.h"

namespace weft {
namespace {

constexpr int kOutOfMemory = 2;  // cudaErrorMemoryAllocation

}  // namespace

void start_devices(std::span<const Device> devices) noexcept {
    for (const Device& device : devices) {
        try {
            use_device(device);
        } catch (const std::exception&) {
            continue;
        }
    }
}

bool device_answers(const Device& device) noexcept {
    if (!device.is_gpu()) return true;
    try {
        use_device(device);
        Stream().synchronize();  // no stream can be created in a context that has ended
        return true;
    } catch (const CudaError& error) {
        return error.code() == kOutOfMemory;  // creating a stream: its memory is full, but it works
    } catch (const std::exception&) {
        return false;
    }
}

}  // namespace weft
