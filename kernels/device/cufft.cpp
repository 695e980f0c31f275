#include "kernels/device/cufft.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string_view>

#include "kernels/device/loaded_library.h"

namespace weft {

namespace {

// cuFFT's own types and values, so that a toolkit without it can build this.
using Handle = int;
using Status = int;
constexpr Status kSuccess = 0;
constexpr int kRealToComplex = 0x2a;
constexpr int kComplexToReal = 0x2c;

using MakePlan = Status (*)(Handle, int rank, int* size, int* in_size, int in_stride,
                            int in_distance, int* out_size, int out_stride, int out_distance,
                            int type, int batch, std::size_t* workspace);

// The functions in use, by their exported names.
struct Functions {
    LoadedLibrary library{"libcufft.so.12", "libcufft.so.11", "libcufft.so"};
    Status (*create)(Handle*) = library.find<decltype(create)>("cufftCreate");
    Status (*destroy)(Handle) = library.find<decltype(destroy)>("cufftDestroy");
    Status (*set_stream)(Handle, StreamView) = library.find<decltype(set_stream)>("cufftSetStream");
    MakePlan make_plan = library.find<MakePlan>("cufftMakePlanMany");
    Status (*forward)(Handle, float*, void*) = library.find<decltype(forward)>("cufftExecR2C");
    Status (*inverse)(Handle, void*, float*) = library.find<decltype(inverse)>("cufftExecC2R");

    bool complete() const {
        return create != nullptr && destroy != nullptr && set_stream != nullptr &&
               make_plan != nullptr && forward != nullptr && inverse != nullptr;
    }
};

const Functions& cufft() {
    static const Functions functions;
    return functions;
}

void fft_check(Status status, std::string_view doing) {
    if (status == kSuccess) return;
    throw std::runtime_error("cuFFT failed to " + std::string(doing) + ": status " +
                             std::to_string(status));
}

}  // namespace

std::string why_no_cufft() {
    return cufft().complete() ? "" : "it needs cuFFT 11 or 12, which was not found";
}

struct TileTransform::Plan {
    Handle handle = 0;

    Plan() {
        if (!cufft().complete()) throw std::runtime_error(why_no_cufft());
        fft_check(cufft().create(&handle), "start");
    }
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;
    ~Plan() { (void)cufft().destroy(handle); }

    void make(const TransformShape& shape, TransformDirection direction) const {
        const int row = shape.width / 2 + 1;
        const int height = shape.height;
        int size[2] = {height, shape.width};
        int real[2] = {height, 2 * row};
        int complex[2] = {height, row};
        std::size_t workspace = 0;
        const bool forward = direction == TransformDirection::forward;
        fft_check(
            cufft().make_plan(handle, 2, size, forward ? real : complex, 1,
                              height * (forward ? 2 * row : row), forward ? complex : real, 1,
                              height * (forward ? row : 2 * row),
                              forward ? kRealToComplex : kComplexToReal, shape.batch, &workspace),
            "plan a transform");
    }
};

int good_transform_size(int least) {
    int size = std::max(2, least + least % 2);
    for (;; size += 2) {
        int rest = size;
        for (const int prime : {2, 3, 5})
            while (rest % prime == 0) rest /= prime;
        if (rest == 1) return size;
    }
}

TileTransform::TileTransform(const TransformShape& shape, TransformDirection direction)
    : plan_(std::make_unique<Plan>()), direction_(direction) {
    plan_->make(shape, direction);
}

TileTransform::~TileTransform() = default;
TileTransform::TileTransform(TileTransform&&) noexcept = default;

void TileTransform::run(float* tiles, StreamView stream) {
    fft_check(cufft().set_stream(plan_->handle, stream), "take a stream");
    switch (direction_) {
        case TransformDirection::forward:
            return fft_check(cufft().forward(plan_->handle, tiles, tiles), "transform");
        case TransformDirection::inverse:
            return fft_check(cufft().inverse(plan_->handle, tiles, tiles), "transform back");
    }
}

}  // namespace weft
