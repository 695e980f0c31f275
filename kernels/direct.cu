// Launches direct.cuh.
#include "kernels/cuda_rows.h"
#include "kernels/device_array.cuh"
#include "kernels/direct.cuh"
#include "kernels/direct_layout.h"
#include "kernels/image_buffer.h"

namespace weft {

namespace {

class PreparedDirect : public PreparedConv {
 public:
    PreparedDirect(const ConvProblem& p, const Device& device, const DirectLayout& layout)
        : problem_(p),
          device_(device),
          taps_(upload(layout.taps)),
          borders_(upload(layout.borders.entries)),
          args_(layout.args),
          blocks_(layout.blocks) {
        args_.images.x.table = borders_.get();
        args_.images.y.table = borders_.get() + layout.borders.y_table;
        args_.taps = taps_.get();
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView stream) override {
        check_images(problem_, src, dst, MemorySpace::device);
        use_device(device_);
        set_images(src, dst, args_.images);
        const dim3 block(kDirectBlockX, kDirectBlockY);
        switch (problem_.type) {
            case PixelType::u8:
                direct<U8><<<blocks_, block, 0, stream>>>(args_);
                break;
            case PixelType::u16:
                direct<U16><<<blocks_, block, 0, stream>>>(args_);
                break;
            case PixelType::f32:
                direct<F32><<<blocks_, block, 0, stream>>>(args_);
                break;
        }
        cuda_check(cudaGetLastError(), "launch direct");
    }

 private:
    ConvProblem problem_;
    Device device_;
    DeviceArray<float> taps_;
    DeviceArray<int> borders_;
    DirectArgs args_;
    int blocks_;
};

}  // namespace

std::unique_ptr<PreparedConv> prepare_direct(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    return std::make_unique<PreparedDirect>(p, device, lay_out_direct(p));
}

}  // namespace weft
