#include "app/pipeline/device_health.h"

#include <exception>

#include "kernels/image_buffer.h"

namespace weft {

bool device_answers(const Device& device) noexcept {
    if (!device.is_gpu()) return true;
    try {
        use_device(device);
        Stream().synchronize();  // no stream can be made in a context that has ended
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

}  // namespace weft
