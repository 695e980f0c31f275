#include "tests/bench/peers/cudnn_layer.h"

#include <algorithm>
#include <cudnn.h>
#include <stdexcept>
#include <vector>

#include "kernels/device/device_array.cuh"
#include "kernels/device/stream.h"
#include "tests/bench/peers.h"
#include "tests/bench/peers/cudnn_handle.h"
#include "tests/bench/peers/layer_weights.h"
#include "tests/bench/peers/library.h"

namespace weft::bench {

namespace {

// All functions in use but those of cudnn_handle.h, with the types of cudnn.h.
struct Functions {
    Library library{"libcudnn.so.9", "libcudnn.so.8"};

    decltype(&cudnnCreateTensorDescriptor) create_tensor =
        library.find<decltype(&cudnnCreateTensorDescriptor)>("cudnnCreateTensorDescriptor");
    decltype(&cudnnDestroyTensorDescriptor) destroy_tensor =
        library.find<decltype(&cudnnDestroyTensorDescriptor)>("cudnnDestroyTensorDescriptor");
    decltype(&cudnnSetTensor4dDescriptor) set_tensor =
        library.find<decltype(&cudnnSetTensor4dDescriptor)>("cudnnSetTensor4dDescriptor");
    decltype(&cudnnCreateFilterDescriptor) create_filter =
        library.find<decltype(&cudnnCreateFilterDescriptor)>("cudnnCreateFilterDescriptor");
    decltype(&cudnnDestroyFilterDescriptor) destroy_filter =
        library.find<decltype(&cudnnDestroyFilterDescriptor)>("cudnnDestroyFilterDescriptor");
    decltype(&cudnnSetFilter4dDescriptor) set_filter =
        library.find<decltype(&cudnnSetFilter4dDescriptor)>("cudnnSetFilter4dDescriptor");
    decltype(&cudnnCreateConvolutionDescriptor) create_convolution =
        library.find<decltype(&cudnnCreateConvolutionDescriptor)>(
            "cudnnCreateConvolutionDescriptor");
    decltype(&cudnnDestroyConvolutionDescriptor) destroy_convolution =
        library.find<decltype(&cudnnDestroyConvolutionDescriptor)>(
            "cudnnDestroyConvolutionDescriptor");
    decltype(&cudnnSetConvolution2dDescriptor) set_convolution =
        library.find<decltype(&cudnnSetConvolution2dDescriptor)>("cudnnSetConvolution2dDescriptor");
    decltype(&cudnnSetConvolutionGroupCount) set_groups =
        library.find<decltype(&cudnnSetConvolutionGroupCount)>("cudnnSetConvolutionGroupCount");
    decltype(&cudnnSetConvolutionMathType) set_math =
        library.find<decltype(&cudnnSetConvolutionMathType)>("cudnnSetConvolutionMathType");
    decltype(&cudnnGetConvolutionForwardAlgorithm_v7) heuristic =
        library.find<decltype(&cudnnGetConvolutionForwardAlgorithm_v7)>(
            "cudnnGetConvolutionForwardAlgorithm_v7");
    decltype(&cudnnFindConvolutionForwardAlgorithm) time_all =
        library.find<decltype(&cudnnFindConvolutionForwardAlgorithm)>(
            "cudnnFindConvolutionForwardAlgorithm");
    decltype(&cudnnGetConvolutionForwardWorkspaceSize) workspace_bytes =
        library.find<decltype(&cudnnGetConvolutionForwardWorkspaceSize)>(
            "cudnnGetConvolutionForwardWorkspaceSize");
    decltype(&cudnnConvolutionForward) forward =
        library.find<decltype(&cudnnConvolutionForward)>("cudnnConvolutionForward");
};

Functions& functions() {
    static Functions once;
    return once;
}

template <class T>
class Descriptor {
 public:
    using Create = cudnnStatus_t(CUDNNWINAPI*)(T*);
    using Destroy = cudnnStatus_t(CUDNNWINAPI*)(T);

    Descriptor(Create create, Destroy destroy) : destroy_(destroy) {
        cudnn_check(create(&descriptor_), "make a descriptor");
    }
    ~Descriptor() { (void)destroy_(descriptor_); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    operator T() const { return descriptor_; }

 private:
    T descriptor_ = nullptr;
    Destroy destroy_;
};

const char* name_of(cudnnConvolutionFwdAlgo_t algorithm) {
    constexpr const char* kNames[] = {
        "implicit gemm", "implicit precomp gemm", "gemm", "direct", "fft", "fft tiling",
        "winograd",      "winograd nonfused"};
    return algorithm < CUDNN_CONVOLUTION_FWD_ALGO_COUNT ? kNames[algorithm] : "unknown";
}

class CudnnLayer : public PeerLayer {
 public:
    CudnnLayer(const LayerProblem& p, CudnnChoice choice, bool tf32)
        : weights_(upload(weights_in_layout(p))) {
        describe(p, tf32);
        choose(choice);
        std::size_t bytes = 0;
        cudnn_check(functions().workspace_bytes(cudnn_handle(), input_, filter_, convolution_,
                                                output_, algorithm_, &bytes),
                    "size its workspace");
        workspace_bytes_ = std::max(bytes, workspace_bytes_);
        workspace_ = device_array<unsigned char>(workspace_bytes_);
    }

    std::string note() const override { return name_of(algorithm_); }

    void launch(const void* input, void* output, StreamView stream) override {
        const float one = 1;
        const float zero = 0;
        set_cudnn_stream(stream);
        cudnn_check(functions().forward(cudnn_handle(), &one, input_, input, filter_,
                                        weights_.get(), convolution_, algorithm_, workspace_.get(),
                                        workspace_bytes_, &zero, output_, output),
                    "compute a layer");
    }

 private:
    void describe(const LayerProblem& p, bool tf32) {
        const bool half = p.type == LayerType::f16;
        const auto type = half ? CUDNN_DATA_HALF : CUDNN_DATA_FLOAT;
        const auto format = p.layout == LayerLayout::nhwc ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
        const Functions& f = functions();
        cudnn_check(f.set_tensor(input_, format, type, p.batch, p.in_channels, p.height, p.width),
                    "describe the input");
        cudnn_check(f.set_tensor(output_, format, type, p.batch, p.out_channels, p.out_height(),
                                 p.out_width()),
                    "describe the output");
        cudnn_check(f.set_filter(filter_, type, format, p.out_channels, p.group_inputs(), p.taps.y,
                                 p.taps.x),
                    "describe the weights");
        cudnn_check(f.set_convolution(convolution_, p.padding.y, p.padding.x, p.stride.y,
                                      p.stride.x, p.dilation.y, p.dilation.x,
                                      CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
                    "describe the layer");
        cudnn_check(f.set_groups(convolution_, p.groups), "set the groups");
        cudnn_check(f.set_math(convolution_, half   ? CUDNN_TENSOR_OP_MATH
                                             : tf32 ? CUDNN_DEFAULT_MATH
                                                    : CUDNN_FMA_MATH),
                    "set the arithmetic");
    }

    void choose(CudnnChoice choice) {
        if (choice == CudnnChoice::implicit_gemm) {
            algorithm_ = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM;
            return;
        }
        if (choice == CudnnChoice::implicit_precomp_gemm) {
            algorithm_ = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
            return;
        }
        // The stream of the last launch may be gone.
        set_cudnn_stream(nullptr);
        std::vector<cudnnConvolutionFwdAlgoPerf_t> found(2 * CUDNN_CONVOLUTION_FWD_ALGO_COUNT);
        int count = 0;
        const int room = static_cast<int>(found.size());
        const Functions& f = functions();
        cudnn_check(choice == CudnnChoice::fastest
                        ? f.time_all(cudnn_handle(), input_, filter_, convolution_, output_, room,
                                     &count, found.data())
                        : f.heuristic(cudnn_handle(), input_, filter_, convolution_, output_, room,
                                      &count, found.data()),
                    "choose an algorithm");
        for (int k = 0; k < count; ++k) {
            if (found[k].status != CUDNN_STATUS_SUCCESS) continue;
            algorithm_ = found[k].algo;
            workspace_bytes_ = found[k].memory;  // that of the timed plan
            cudnn_check(f.set_math(convolution_, found[k].mathType), "set the arithmetic");
            return;
        }
        throw std::runtime_error("cuDNN names no algorithm for this layer");
    }

    Descriptor<cudnnTensorDescriptor_t> input_{functions().create_tensor,
                                               functions().destroy_tensor};
    Descriptor<cudnnTensorDescriptor_t> output_{functions().create_tensor,
                                                functions().destroy_tensor};
    Descriptor<cudnnFilterDescriptor_t> filter_{functions().create_filter,
                                                functions().destroy_filter};
    Descriptor<cudnnConvolutionDescriptor_t> convolution_{functions().create_convolution,
                                                          functions().destroy_convolution};
    DeviceArray<std::byte> weights_;
    cudnnConvolutionFwdAlgo_t algorithm_ = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM;
    DeviceArray<unsigned char> workspace_;
    std::size_t workspace_bytes_ = 0;
};

}  // namespace

const std::string& why_no_cudnn() {
    return functions().library.why_not();
}

std::unique_ptr<PreparedLayer> prepare_cudnn(const LayerProblem& p, const Device& device,
                                             CudnnChoice choice, bool tf32) {
    use_device(device);
    return std::make_unique<CudnnLayer>(p, choice, tf32);
}

}  // namespace weft::bench
