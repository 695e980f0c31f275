// Launches separable_reuse.cuh, and prepares the small form instead where it takes the problem.
#include <array>
#include <optional>

#include "kernels/common/device_borders.cuh"
#include "kernels/common/kernel_launch.cuh"
#include "kernels/device/device_array.cuh"
#include "kernels/device/stream.h"
#include "kernels/separable/separable_reuse.cuh"
#include "kernels/separable/separable_reuse.h"

namespace weft {

namespace {

struct SeparableReuseVariant {
    void (*kernel)(SeparableReuseArgs) = nullptr;
    int alignment_bytes = 0;  // required by the vector store
};

template <class P, int C>
SeparableReuseVariant variant() {
    return {separable_reuse<P, C>,
            static_cast<int>(alignof(Words<kSeparablePixels<C> * C / P::kPerWord>))};
}

template <class P>
SeparableReuseVariant variant_for_channels(int channels) {
    const std::array<SeparableReuseVariant, 4> variants = {variant<P, 1>(), variant<P, 2>(),
                                                           variant<P, 3>(), variant<P, 4>()};
    return variants[static_cast<std::size_t>(channels) - 1];
}

SeparableReuseVariant variant_for(const ConvProblem& p) {
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

class PreparedSeparableReuse : public PreparedConv {
 public:
    PreparedSeparableReuse(const ConvProblem& p, const Device& device,
                           const SeparableReuseLayout& layout)
        : problem_(p),
          device_(device),
          variant_(variant_for(p)),
          taps_(upload(layout.taps)),
          borders_(layout.borders),
          args_(layout.args),
          blocks_(layout.blocks),
          shared_bytes_(layout.shared_bytes) {
        borders_.point(args_.images);
        args_.taps = taps_.get();
        if (shared_bytes_ > 48 * 1024) allow_all_shared_memory(variant_.kernel);
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView stream) override {
        check_images(problem_, src, dst, MemorySpace::device);
        use_device(device_);
        set_images(src, dst, args_.images);
        args_.dst_aligned = rows_aligned(dst, variant_.alignment_bytes);
        variant_.kernel<<<blocks_, dim3(32, kSeparableWarps), shared_bytes_, stream>>>(args_);
        cuda_check(cudaGetLastError(), "launch separable_reuse");
    }

 private:
    ConvProblem problem_;
    Device device_;
    SeparableReuseVariant variant_;
    DeviceArray<float> taps_;
    DeviceBorders borders_;
    SeparableReuseArgs args_;
    int blocks_;
    int shared_bytes_;
};

}  // namespace

std::unique_ptr<PreparedConv> prepare_separable_reuse(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    if (const std::optional<std::size_t> variant = find_small_variant(p))
        return prepare_separable_small(p, device, *variant);
    return std::make_unique<PreparedSeparableReuse>(p, device, lay_out_separable_reuse(p, device));
}

}  // namespace weft
