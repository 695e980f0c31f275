// The layer form of column_row_reuse: launches layer_planes.cuh (nchw) and layer_pixels.cuh (nhwc).
#include <algorithm>

#include "kernels/device_array.cuh"
#include "kernels/image_buffer.h"
#include "kernels/layer_forms.h"
#include "kernels/layer_pixels.cuh"
#include "kernels/layer_planes.cuh"

namespace weft {

namespace {

using DepthwiseKernel = void (*)(DepthwiseArgs);

struct CompiledForm {
    LayerLayout layout;
    LayerType type;
    int taps, stride;
    bool whole;  // takes whole groups (nchw) or vectors (nhwc) only
    DepthwiseKernel kernel;
};

template <class E, int K, int S>
void append_taps(LayerType type, std::vector<CompiledForm>& out) {
    const CompiledForm forms[] = {
        {LayerLayout::nchw, type, K, S, true, depthwise_planes<PlaneForm<E, K, S, true>>},
        {LayerLayout::nchw, type, K, S, false, depthwise_planes<PlaneForm<E, K, S, false>>},
        {LayerLayout::nhwc, type, K, S, true, depthwise_pixels<PixelForm<E, K, S, true>>},
        {LayerLayout::nhwc, type, K, S, false, depthwise_pixels<PixelForm<E, K, S, false>>},
    };
    out.insert(out.end(), std::begin(forms), std::end(forms));
}

template <class E>
void append_forms(LayerType type, std::vector<CompiledForm>& out) {
    append_taps<E, 3, 1>(type, out);
    append_taps<E, 3, 2>(type, out);
    append_taps<E, 5, 1>(type, out);
    append_taps<E, 5, 2>(type, out);
    append_taps<E, 7, 1>(type, out);
    append_taps<E, 7, 2>(type, out);
}

std::vector<CompiledForm> compiled_forms() {
    std::vector<CompiledForm> out;
    append_forms<ElementF32>(LayerType::f32, out);
    append_forms<ElementF16>(LayerType::f16, out);
    return out;
}

DepthwiseKernel kernel_for(const DepthwisePlan& plan, LayerType type) {
    static const std::vector<CompiledForm> forms = compiled_forms();
    const bool whole = plan.whole_groups || plan.whole_vectors;
    const auto fits = [&](const CompiledForm& f) {
        return f.layout == plan.form.layout && f.type == type && f.taps == plan.form.taps &&
               f.stride == plan.form.stride && f.whole == whole;
    };
    return std::ranges::find_if(forms, fits)->kernel;
}

class PreparedDepthwise : public PreparedLayer {
 public:
    PreparedDepthwise(const LayerProblem& p, const Device& device, DepthwisePlan plan)
        : device_(device),
          kernel_(kernel_for(plan, p.type)),
          weights_(upload(plan.weights)),
          block_(32, static_cast<unsigned>(plan.warps)),
          shared_bytes_(plan.shared_bytes) {
        cuda_check(cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        shared_bytes_),
                   "reserve shared memory for planes");
        if (p.layout == LayerLayout::nchw)
            share_images(plan, resident_blocks() * device.multiprocessors);
        args_ = plan.args;
        args_.weights = weights_.get();
        blocks_ = static_cast<unsigned>(plan.blocks);
    }

    void launch(const void* input, void* output, StreamView stream) override {
        use_device(device_);
        args_.input = input;
        args_.output = output;
        kernel_<<<blocks_, block_, shared_bytes_, stream>>>(args_);
        cuda_check(cudaGetLastError(), "launch the layer form of column_row_reuse");
    }

 private:
    int resident_blocks() const {
        int blocks = 0;
        cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                       &blocks, kernel_, static_cast<int>(block_.x * block_.y), shared_bytes_),
                   "ask how many blocks fit on a multiprocessor");
        return std::max(blocks, 1);
    }

    Device device_;
    DepthwiseKernel kernel_;
    DeviceArray<float> weights_;
    DepthwiseArgs args_;
    unsigned blocks_ = 0;
    dim3 block_;
    int shared_bytes_;
};

}  // namespace

std::unique_ptr<PreparedLayer> prepare_layer_depthwise(const LayerProblem& p,
                                                       const Device& device) {
    validate(p);
    use_device(device);
    return std::make_unique<PreparedDepthwise>(p, device,
                                               plan_depthwise(p, device.multiprocessors));
}

}  // namespace weft
