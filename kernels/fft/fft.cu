// Launches fft.cuh.
#include <algorithm>

#include "kernels/common/device_borders.cuh"
#include "kernels/device/cufft.h"
#include "kernels/device/device_array.cuh"
#include "kernels/device/stream.h"
#include "kernels/fft/fft.cuh"

namespace weft {

namespace {

using FftKernel = void (*)(FftArgs);

struct FftKernels {
    FftKernel fetch, finish;
};

class PreparedFft : public PreparedConv {
 public:
    PreparedFft(const ConvProblem& p, const Device& device, const FftLayout& layout)
        : problem_(p),
          device_(device),
          kernels_(with_pixel_type(p.type,
                                   []<class P>(P) {
                                       return FftKernels{fft_fetch<P>, fft_finish<P>};
                                   })),
          spectrum_(upload(layout.spectrum)),
          borders_(layout.borders),
          args_(layout.args),
          tiles_a_round_(layout.tiles_a_round),
          tiles_(device_array<float>(static_cast<std::size_t>(tiles_a_round_) * args_.height *
                                     (args_.width + 2))),
          forward_(transforms(), TransformWay::forward),
          inverse_(transforms(), TransformWay::inverse) {
        borders_.point(args_.images);
        args_.spectrum = reinterpret_cast<const float*>(spectrum_.get());
        args_.samples = tiles_.get();
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView stream) override {
        check_images(problem_, src, dst, MemorySpace::device);
        use_device(device_);
        set_images(src, dst, args_.images);
        const int products = args_.height * (args_.width / 2 + 1);
        const int blocks = (products + kFftThreads * kFftProducts - 1) / kFftThreads / kFftProducts;
        const dim3 block(32, kFftWarps);
        for (args_.first_tile = 0; args_.first_tile < args_.tiles;
             args_.first_tile += tiles_a_round_) {
            // In the last round some transforms may process data left from the round before.
            const int tiles = std::min(tiles_a_round_, args_.tiles - args_.first_tile);
            kernels_.fetch<<<tiles * args_.height, block, 0, stream>>>(args_);
            cuda_check(cudaGetLastError(), "launch fft_fetch");
            forward_.run(tiles_.get(), stream);
            fft_multiply<kFftProducts><<<tiles * blocks, block, 0, stream>>>(args_, blocks);
            cuda_check(cudaGetLastError(), "launch fft_multiply");
            inverse_.run(tiles_.get(), stream);
            kernels_.finish<<<tiles * args_.out_height, block, 0, stream>>>(args_);
            cuda_check(cudaGetLastError(), "launch fft_finish");
        }
    }

 private:
    TransformShape transforms() const {
        return {.width = args_.width, .height = args_.height, .batch = tiles_a_round_};
    }

    ConvProblem problem_;
    Device device_;
    FftKernels kernels_;
    DeviceArray<std::complex<float>> spectrum_;
    DeviceBorders borders_;
    FftArgs args_;
    int tiles_a_round_;
    DeviceArray<float> tiles_;
    TileTransform forward_, inverse_;
};

}  // namespace

std::unique_ptr<PreparedConv> prepare_fft(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    return std::make_unique<PreparedFft>(p, device, lay_out_fft(p));
}

}  // namespace weft
