// Launches direct.cuh.
#include "kernels/common/device_borders.cuh"
#include "kernels/common/direct_layout.h"
#include "kernels/conv_kernel.h"
#include "kernels/device/device_array.cuh"
#include "kernels/device/stream.h"
#include "kernels/direct/direct.cuh"

namespace weft {

namespace {

using DirectKernel = void (*)(DirectArgs);

DirectKernel kernel_for(PixelType type, bool wide) {
    switch (type) {
        case PixelType::u8:
            return wide ? direct<U8, Fp64Sums> : direct<U8, Fp32Sums>;
        case PixelType::u16:
            return wide ? direct<U16, Fp64Sums> : direct<U16, Fp32Sums>;
        case PixelType::f32:
            break;
    }
    return direct<F32, Fp32Sums>;
}

class PreparedDirect : public PreparedConv {
 public:
    PreparedDirect(const ConvProblem& p, const Device& device, const DirectLayout& layout)
        : problem_(p),
          device_(device),
          taps_(upload(layout.taps)),
          borders_(layout.borders),
          args_(layout.args),
          kernel_(kernel_for(p.type, layout.wide)),
          blocks_(layout.blocks) {
        borders_.point(args_.images);
        args_.taps = taps_.get();
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView stream) override {
        check_images(problem_, src, dst, MemorySpace::device);
        use_device(device_);
        set_images(src, dst, args_.images);
        kernel_<<<blocks_, dim3(kDirectBlockX, kDirectBlockY), 0, stream>>>(args_);
        cuda_check(cudaGetLastError(), "launch direct");
    }

 private:
    ConvProblem problem_;
    Device device_;
    DeviceArray<float> taps_;
    DeviceBorders borders_;
    DirectArgs args_;
    DirectKernel kernel_;
    int blocks_;
};

}  // namespace

std::unique_ptr<PreparedConv> prepare_direct(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    return std::make_unique<PreparedDirect>(p, device, lay_out_direct(p));
}

}  // namespace weft
