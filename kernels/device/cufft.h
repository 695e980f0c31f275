// cuFFT, loaded on first use: neither the build nor the program requires it. Internal to kernels/.
#pragma once

#include <memory>
#include <string>

#include "kernels/device/device.h"

namespace weft {

// Empty, or a sentence that the library is missing. Searches once per process, for libcufft.so.12,
// .11 and .so as the dynamic linker does.
std::string why_no_cufft();

// Tiles of fp32 samples, one after the other.
struct TransformShape {
    int width = 2;  // even
    int height = 1;
    int batch = 1;
};

// The least even number that is a product of 2, 3 and 5 and not below `least`.
int good_transform_size(int least);

enum class TransformDirection { forward, inverse };

// Transforms in place of `batch` tiles of height × width. A row takes width / 2 + 1 complex numbers
// of two floats: first its samples and two spare floats, then the half of its spectrum that the
// other does not determine. Neither direction is normalised. On the current device; owns cuFFT's
// workspace. Throws std::runtime_error.
class TileTransform {
 public:
    TileTransform(const TransformShape& shape, TransformDirection direction);
    ~TileTransform();
    TileTransform(TileTransform&&) noexcept;

    // Asynchronous on `stream`.
    void run(float* tiles, StreamView stream);

 private:
    struct Plan;
    std::unique_ptr<Plan> plan_;
    TransformDirection direction_;
};

}  // namespace weft
