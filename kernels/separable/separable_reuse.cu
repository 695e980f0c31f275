// Launches separable_reuse.cuh.
#include <array>

#include "kernels/device/device_array.cuh"
#include "kernels/device/image_buffer.h"
#include "kernels/device/shared_memory.cuh"
#include "kernels/separable/separable_reuse.cuh"
#include "kernels/separable/separable_reuse.h"

namespace weft {

namespace {

struct FusedVariant {
    void (*kernel)(FusedArgs) = nullptr;
    int alignment_bytes = 0;  // required by the vector store
};

template <class P, int C>
FusedVariant variant() {
    return {separable_reuse<P, C>,
            static_cast<int>(alignof(Words<kFusedPixels<C> * C / P::kPerWord>))};
}

template <class P>
FusedVariant variant_for_channels(int channels) {
    const std::array<FusedVariant, 4> variants = {variant<P, 1>(), variant<P, 2>(), variant<P, 3>(),
                                                  variant<P, 4>()};
    return variants[static_cast<std::size_t>(channels) - 1];
}

FusedVariant variant_for(const ConvProblem& p) {
    switch (p.type) {
        case PixelType::u8:
            return variant_for_channels<U8>(p.channels);
        case PixelType::u16:
            return variant_for_channels<U16>(p.channels);
        case PixelType::f32:
            break;
    }
    return variant_for_channels<F32>(p.channels);
}

class PreparedFused : public PreparedConv {
 public:
    PreparedFused(const ConvProblem& p, const Device& device, const FusedLayout& layout)
        : problem_(p),
          device_(device),
          variant_(variant_for(p)),
          taps_(upload(layout.taps)),
          borders_(upload(layout.borders.entries)),
          args_(layout.args),
          blocks_(layout.blocks),
          shared_bytes_(layout.shared_bytes) {
        args_.images.x.table = borders_.get();
        args_.images.y.table = borders_.get() + layout.borders.y_table;
        args_.taps = taps_.get();
        if (shared_bytes_ > 48 * 1024) allow_all_shared_memory(variant_.kernel);
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView stream) override {
        check_images(problem_, src, dst, MemorySpace::device);
        use_device(device_);
        set_images(src, dst, args_.images);
        args_.dst_aligned = rows_aligned(dst, variant_.alignment_bytes);
        variant_.kernel<<<blocks_, dim3(32, kFusedWarps), shared_bytes_, stream>>>(args_);
        cuda_check(cudaGetLastError(), "launch separable_reuse");
    }

 private:
    ConvProblem problem_;
    Device device_;
    FusedVariant variant_;
    DeviceArray<float> taps_;
    DeviceArray<int> borders_;
    FusedArgs args_;
    int blocks_;
    int shared_bytes_;
};

}  // namespace

std::unique_ptr<PreparedConv> prepare_separable_reuse(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    return std::make_unique<PreparedFused>(p, device, lay_out_fused(p, device));
}

}  // namespace weft
