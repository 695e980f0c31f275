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
    bool whole_groups;
    DepthwiseKernel kernel;
};

template <class E, int K, int S>
constexpr DepthwiseKernel kPlanes = depthwise_planes<PlaneForm<E, K, S, false>>;
template <class E, int K, int S>
constexpr DepthwiseKernel kWholePlanes = depthwise_planes<PlaneForm<E, K, S, true>>;
template <class E, int K, int S>
constexpr DepthwiseKernel kPixels = depthwise_pixels<PixelForm<E, K, S>>;

template <class E>
void append_forms(LayerType type, std::vector<CompiledForm>& out) {
    constexpr LayerLayout nchw = LayerLayout::nchw;
    constexpr LayerLayout nhwc = LayerLayout::nhwc;
    const CompiledForm forms[] = {
        {nchw, type, 3, 1, true, kWholePlanes<E, 3, 1>},
        {nchw, type, 3, 1, false, kPlanes<E, 3, 1>},
        {nchw, type, 3, 2, true, kWholePlanes<E, 3, 2>},
        {nchw, type, 3, 2, false, kPlanes<E, 3, 2>},
        {nchw, type, 5, 1, true, kWholePlanes<E, 5, 1>},
        {nchw, type, 5, 1, false, kPlanes<E, 5, 1>},
        {nchw, type, 5, 2, true, kWholePlanes<E, 5, 2>},
        {nchw, type, 5, 2, false, kPlanes<E, 5, 2>},
        {nchw, type, 7, 1, false, kPlanes<E, 7, 1>},
        {nchw, type, 7, 2, false, kPlanes<E, 7, 2>},
        {nhwc, type, 3, 1, false, kPixels<E, 3, 1>},
        {nhwc, type, 3, 2, false, kPixels<E, 3, 2>},
        {nhwc, type, 5, 1, false, kPixels<E, 5, 1>},
        {nhwc, type, 5, 2, false, kPixels<E, 5, 2>},
        {nhwc, type, 7, 1, false, kPixels<E, 7, 1>},
        {nhwc, type, 7, 2, false, kPixels<E, 7, 2>},
    };
    out.insert(out.end(), std::begin(forms), std::end(forms));
}

std::vector<CompiledForm> compiled_forms() {
    std::vector<CompiledForm> out;
    append_forms<ElementF32>(LayerType::f32, out);
    append_forms<ElementF16>(LayerType::f16, out);
    return out;
}

// The most special one: those that take whole groups only come first.
DepthwiseKernel kernel_for(const DepthwisePlan& plan, LayerType type) {
    static const std::vector<CompiledForm> forms = compiled_forms();
    const auto fits = [&](const CompiledForm& f) {
        return f.layout == plan.form.layout && f.type == type && f.taps == plan.form.taps &&
               f.stride == plan.form.stride && (plan.whole_groups || !f.whole_groups);
    };
    return std::ranges::find_if(forms, fits)->kernel;
}

class PreparedDepthwise : public PreparedLayer {
 public:
    PreparedDepthwise(const LayerProblem& p, const Device& device, const DepthwisePlan& plan)
        : device_(device),
          kernel_(kernel_for(plan, p.type)),
          weights_(upload(plan.weights)),
          args_(plan.args),
          blocks_(static_cast<unsigned>(plan.blocks)),
          block_(32, static_cast<unsigned>(plan.warps)),
          shared_bytes_(plan.shared_bytes) {
        args_.weights = weights_.get();
        cuda_check(cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        shared_bytes_),
                   "reserve shared memory for planes");
    }

    void launch(const void* input, void* output, StreamView stream) override {
        use_device(device_);
        args_.input = input;
        args_.output = output;
        kernel_<<<blocks_, block_, shared_bytes_, stream>>>(args_);
        cuda_check(cudaGetLastError(), "launch the layer form of column_row_reuse");
    }

 private:
    Device device_;
    DepthwiseKernel kernel_;
    DeviceArray<float> weights_;
    DepthwiseArgs args_;
    unsigned blocks_;
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
