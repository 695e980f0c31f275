#include <cublas_v2.h>
#include <stdexcept>

#include "kernels/device/device_array.cuh"
#include "kernels/device/stream.h"
#include "tests/bench/peers/blas_layer.h"
#include "tests/bench/peers/im2col.cuh"
#include "tests/bench/peers/library.h"

namespace weft::bench {

namespace {

struct Functions {
    Library library{"libcublas.so.13", "libcublas.so.12"};
    decltype(&cublasCreate) create = library.find<decltype(&cublasCreate)>("cublasCreate_v2");
    decltype(&cublasSetStream) set_stream =
        library.find<decltype(&cublasSetStream)>("cublasSetStream_v2");
    decltype(&cublasSetWorkspace) set_workspace =
        library.find<decltype(&cublasSetWorkspace)>("cublasSetWorkspace_v2");
    decltype(&cublasSgemmStridedBatched) multiply =
        library.find<decltype(&cublasSgemmStridedBatched)>("cublasSgemmStridedBatched");
};

Functions& functions() {
    static Functions once;
    return once;
}

void check(cublasStatus_t status, const char* doing) {
    if (status != CUBLAS_STATUS_SUCCESS)
        throw std::runtime_error(std::string("cuBLAS failed to ") + doing + ": status " +
                                 std::to_string(status));
}

constexpr std::size_t kWorkspace = 64 << 20;

// One handle per process, with its own workspace, so that products can be captured in graphs.
cublasHandle_t handle() {
    static auto* const once = [] {
        cublasHandle_t made = nullptr;
        check(functions().create(&made), "start");
        return made;
    }();
    return once;
}

class CublasLayer : public PreparedLayer {
 public:
    explicit CublasLayer(const LayerProblem& p)
        : shape_(layer_shape(p)),
          groups_(p.groups),
          weights_(upload(p.weights)),
          columns_(device_array<float>(im2col_elements(p))),
          workspace_(device_array<unsigned char>(kWorkspace)) {}

    // Row-major matrices are the transposes of cuBLAS's: columns · weights.
    void launch(const void* input, void* output, StreamView stream) override {
        im2col(shape_, static_cast<const float*>(input), columns_.get(), stream);
        const float one = 1;
        const float zero = 0;
        const int places = shape_.out_height * shape_.out_width;
        const int length = shape_.group_inputs * shape_.taps_y * shape_.taps_x;
        const int outputs = shape_.group_outputs;
        check(functions().set_stream(handle(), stream), "take a stream");
        check(functions().set_workspace(handle(), workspace_.get(), kWorkspace),
              "take a workspace");
        for (int g = 0; g < groups_; ++g) {
            const auto at = static_cast<std::size_t>(g);
            check(functions().multiply(handle(), CUBLAS_OP_N, CUBLAS_OP_N, places, outputs, length,
                                       &one, columns_.get() + at * length * places, places,
                                       static_cast<long long>(groups_) * length * places,
                                       weights_.get() + at * outputs * length, length, 0, &zero,
                                       static_cast<float*>(output) + at * outputs * places, places,
                                       static_cast<long long>(groups_) * outputs * places,
                                       shape_.batch),
                  "multiply");
        }
    }

 private:
    LayerShape shape_;
    int groups_;
    DeviceArray<float> weights_, columns_;
    DeviceArray<unsigned char> workspace_;
};

}  // namespace

const std::string& why_no_cublas() {
    return functions().library.why_not();
}

std::unique_ptr<PreparedLayer> prepare_cublas(const LayerProblem& p, const Device& device) {
    use_device(device);
    return std::make_unique<CublasLayer>(p);
}

}  // namespace weft::bench
