// Launches image_layer.cuh around a layer.
#include <optional>

#include "kernels/common/conv_layout.h"
#include "kernels/common/device_borders.cuh"
#include "kernels/device/device_array.cuh"
#include "kernels/device/stream.h"
#include "kernels/layers/image_layer.cuh"

namespace weft {

namespace {

using PlaneKernel = void (*)(ImageLayerArgs);

struct PlaneKernels {
    PlaneKernel pad, finish;
};

unsigned blocks_for(int height, int width) {
    const auto pixels = static_cast<unsigned>(height) * static_cast<unsigned>(width);
    return (pixels + kImageLayerBlock - 1) / kImageLayerBlock;
}

class PreparedImageLayer : public PreparedConv {
 public:
    PreparedImageLayer(const ConvProblem& p, const Device& device, const LayerForm& form,
                       const LayerProblem& layer)
        : problem_(p),
          device_(device),
          kernels_(with_pixel_type(p.type,
                                   []<class P>(P) {
                                       return PlaneKernels{pad_planes<P>, finish_planes<P>};
                                   })),
          layer_(form.prepare(layer, device)),
          padded_(device_array<float>(static_cast<std::size_t>(layer.inputs()))),
          sums_(device_array<float>(static_cast<std::size_t>(layer.outputs()))),
          padded_blocks_(blocks_for(layer.height, layer.width)),
          blocks_(blocks_for(p.height, p.width)) {
        BorderTables borders;
        args_.images = conv_images(p, borders);
        borders_.emplace(borders);
        borders_->point(args_.images);
        args_.padded = padded_.get();
        args_.sums = sums_.get();
        args_.channels = p.channels;
        args_.out_channels = p.out_channels();
        args_.sets = static_cast<int>(p.conv.front().taps.size());
        args_.magnitude = p.combine == Combine::magnitude;
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView stream) override {
        check_images(problem_, src, dst, MemorySpace::device);
        use_device(device_);
        set_images(src, dst, args_.images);
        const dim3 block(32, kImageLayerWarps);
        kernels_.pad<<<padded_blocks_, block, 0, stream>>>(args_);
        cuda_check(cudaGetLastError(), "launch the planes of an image");
        layer_->launch(padded_.get(), sums_.get(), stream);
        kernels_.finish<<<blocks_, block, 0, stream>>>(args_);
        cuda_check(cudaGetLastError(), "launch the finish of an image");
    }

 private:
    ConvProblem problem_;
    Device device_;
    PlaneKernels kernels_;
    std::unique_ptr<PreparedLayer> layer_;
    DeviceArray<float> padded_, sums_;
    std::optional<DeviceBorders> borders_;
    ImageLayerArgs args_;
    unsigned padded_blocks_, blocks_;
};

}  // namespace

std::unique_ptr<PreparedConv> prepare_as_layer(const ConvProblem& p, const Device& device,
                                               const LayerForm& form) {
    validate(p);
    use_device(device);
    return std::make_unique<PreparedImageLayer>(p, device, form, image_as_layer(p));
}

}  // namespace weft
