// Launches direct_separable.cuh.
#include "kernels/common/device_borders.cuh"
#include "kernels/common/direct_layout.h"
#include "kernels/device/device_array.cuh"
#include "kernels/device/stream.h"
#include "kernels/separable/direct_separable.cuh"

namespace weft {

namespace {

template <class P, class Sums>
void launch_passes(const SeparableArgs& args, int blocks, StreamView stream) {
    const dim3 block(kDirectBlockX, kDirectBlockY);
    row_pass<P, Sums><<<blocks, block, 0, stream>>>(args);
    cuda_check(cudaGetLastError(), "launch direct_separable along rows");
    column_pass<P, Sums><<<blocks, block, 0, stream>>>(args);
    cuda_check(cudaGetLastError(), "launch direct_separable along columns");
}

using LaunchPasses = void (*)(const SeparableArgs&, int blocks, StreamView);

LaunchPasses passes_for(PixelType type, bool wide) {
    switch (type) {
        case PixelType::u8:
            return wide ? launch_passes<U8, Fp64Sums> : launch_passes<U8, Fp32Sums>;
        case PixelType::u16:
            return wide ? launch_passes<U16, Fp64Sums> : launch_passes<U16, Fp32Sums>;
        case PixelType::f32:
            break;
    }
    return launch_passes<F32, Fp32Sums>;
}

class PreparedSeparable : public PreparedConv {
 public:
    PreparedSeparable(const ConvProblem& p, const Device& device, const SeparableLayout& layout)
        : problem_(p),
          device_(device),
          taps_(upload(layout.taps)),
          between_(device_array<std::byte>(layout.workspace_bytes)),
          borders_(layout.borders),
          args_(layout.args),
          launch_passes_(passes_for(p.type, layout.wide)),
          blocks_(layout.blocks) {
        borders_.point(args_.images);
        args_.taps = taps_.get();
        args_.between = between_.get();
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView stream) override {
        check_images(problem_, src, dst, MemorySpace::device);
        use_device(device_);
        set_images(src, dst, args_.images);
        launch_passes_(args_, blocks_, stream);
    }

 private:
    ConvProblem problem_;
    Device device_;
    DeviceArray<float> taps_;
    DeviceArray<std::byte> between_;
    DeviceBorders borders_;
    SeparableArgs args_;
    LaunchPasses launch_passes_;
    int blocks_;
};

}  // namespace

std::unique_ptr<PreparedConv> prepare_direct_separable(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    return std::make_unique<PreparedSeparable>(p, device, lay_out_separable(p));
}

}  // namespace weft
