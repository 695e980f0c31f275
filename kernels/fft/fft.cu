// Launches fft.cuh.
#include <algorithm>

#include "kernels/common/prepared.cuh"
#include "kernels/device/cufft.h"
#include "kernels/fft/fft.cuh"

namespace weft {

std::unique_ptr<PreparedConv> prepare_fft(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    const FftLayout layout = lay_out_fft(p);
    const auto fetch = with_pixel_type(p.type, []<class P>(P) { return fft_fetch<P>; });
    const auto finish = with_pixel_type(p.type, []<class P>(P) { return fft_finish<P>; });
    FftArgs args = layout.args;
    DeviceBorders borders(layout.borders);
    borders.point(args.images);
    DeviceArray<std::complex<float>> spectrum = upload(layout.spectrum);
    args.spectrum = reinterpret_cast<const float*>(spectrum.get());
    const TransformShape transforms{
        .width = args.width, .height = args.height, .batch = layout.tiles_a_round};
    DeviceArray<float> samples = device_array<float>(static_cast<std::size_t>(transforms.batch) *
                                                     args.height * (args.width + 2));
    args.samples = samples.get();
    TileTransform forward(transforms, TransformDirection::forward);
    TileTransform inverse(transforms, TransformDirection::inverse);
    auto body = [=, borders = std::move(borders), spectrum = std::move(spectrum),
                 samples = std::move(samples), forward = std::move(forward),
                 inverse = std::move(inverse)](const ImageView& src, const ImageView& dst,
                                               StreamView stream) mutable {
        set_images(src, dst, args.images);
        const int products = args.height * (args.width / 2 + 1);
        const int blocks = (products + kFftThreads * kFftProducts - 1) / kFftThreads / kFftProducts;
        const dim3 block(32, kFftWarps);
        for (args.first_tile = 0; args.first_tile < args.tiles;
             args.first_tile += transforms.batch) {
            // In the last round some transforms may process data left from the round before.
            const int tiles = std::min(transforms.batch, args.tiles - args.first_tile);
            fetch<<<tiles * args.height, block, 0, stream>>>(args);
            cuda_check(cudaGetLastError(), "launch fft_fetch");
            forward.run(args.samples, stream);
            fft_multiply<kFftProducts><<<tiles * blocks, block, 0, stream>>>(args, blocks);
            cuda_check(cudaGetLastError(), "launch fft_multiply");
            inverse.run(args.samples, stream);
            finish<<<tiles * args.out_height, block, 0, stream>>>(args);
            cuda_check(cudaGetLastError(), "launch fft_finish");
        }
    };
    return prepared(p, device, std::move(body));
}

}  // namespace weft
