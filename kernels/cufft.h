// cuFFT, loaded when it is first needed: neither the build nor the program asks for it. Internal
// to kernels/.
#pragma once

#include <memory>
#include <string>

#include "kernels/device.h"

namespace weft {

// Empty, or that the library is not there: a sentence. Looks once a process, for libcufft.so.12,
// .11 and .so as the dynamic linker does.
std::string why_no_cufft();

// Transforms in place of `batch` tiles of height × width fp32 samples, one after the other. A row
// takes width / 2 + 1 complex numbers of two floats: first its samples and two floats more, then
// the half of its spectrum that is not known from the other. Neither way is normalised. On the
// current device; owns cuFFT's workspace. Throws std::runtime_error.
class TileTransforms {
 public:
    TileTransforms(int width, int height, int batch);  // width even
    ~TileTransforms();
    TileTransforms(const TileTransforms&) = delete;
    TileTransforms& operator=(const TileTransforms&) = delete;

    // Asynchronous on `stream`.
    void forward(float* tiles, StreamView stream);
    void inverse(float* tiles, StreamView stream);

 private:
    struct Plan;
    std::unique_ptr<Plan> forward_, inverse_;
};

}  // namespace weft
