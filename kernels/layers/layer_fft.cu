// Launches layer_fft.cuh.
#include <algorithm>

#include "kernels/device/cufft.h"
#include "kernels/device/device_array.cuh"
#include "kernels/device/stream.h"
#include "kernels/layers/layer_fft.cuh"

namespace weft {

namespace {

using FftLayerKernel = void (*)(FftLayerArgs);

constexpr dim3 kBlock(32, kFftLayerWarps);

std::size_t floats(const FftLayerPlan& plan, int planes) {
    return static_cast<std::size_t>(planes) * static_cast<std::size_t>(plan.plane_floats());
}

TransformShape transforms(const FftLayerPlan& plan, int batch) {
    return {.width = plan.args.width, .height = plan.args.height, .batch = batch};
}

// Planes of zeros: cuFFT's vector loads read the two spare floats of each row, which no kernel
// writes.
DeviceArray<float> zeros(std::size_t count) {
    DeviceArray<float> array = device_array<float>(count);
    cuda_check(cudaMemset(array.get(), 0, count * sizeof(float)), "clear planes");
    // Our streams do not wait for the default one.
    cuda_check(cudaStreamSynchronize(cudaStreamLegacy), "wait for cleared planes");
    return array;
}

// The spectra of the weights, in the layout of FftLayerArgs.
DeviceArray<float> weight_spectra(const FftLayerPlan& plan) {
    const LayerShape& s = plan.args.shape;
    const int planes = s.out_channels * s.group_inputs;
    const DeviceArray<float> weights = upload(plan.weights);
    DeviceArray<float> spectra = zeros(floats(plan, planes));
    const Stream stream;
    fft_layer_place_taps<kFftLayerThreads>
        <<<planes, kBlock, 0, stream.view()>>>(plan.args, weights.get(), spectra.get());
    cuda_check(cudaGetLastError(), "launch fft_layer_place_taps");
    TileTransform transform(transforms(plan, planes), TransformWay::forward);
    transform.run(spectra.get(), stream.view());
    stream.synchronize();
    return spectra;
}

class PreparedFftLayer : public PreparedLayer {
 public:
    PreparedFftLayer(const LayerProblem& p, const Device& device, const FftLayerPlan& plan)
        : device_(device),
          fetch_(p.type == LayerType::f32 ? fft_layer_fetch<ElementF32>
                                          : fft_layer_fetch<ElementF16>),
          finish_(p.type == LayerType::f32 ? fft_layer_finish<ElementF32>
                                           : fft_layer_finish<ElementF16>),
          single_(plan.outputs == 1),
          args_(plan.args),
          tiles_a_round_(plan.tiles_a_round),
          spectra_(weight_spectra(plan)),
          inputs_(zeros(floats(plan, tiles_a_round_ * p.in_channels))),
          outputs_(zeros(floats(plan, tiles_a_round_ * p.out_channels))),
          forward_(transforms(plan, tiles_a_round_ * p.in_channels), TransformWay::forward),
          inverse_(transforms(plan, tiles_a_round_ * p.out_channels), TransformWay::inverse) {
        args_.spectra = spectra_.get();
        args_.inputs = inputs_.get();
        args_.outputs = outputs_.get();
    }

    void launch(const void* input, void* output, StreamView stream) override {
        use_device(device_);
        args_.input = input;
        args_.output = output;
        for (args_.first_tile = 0; args_.first_tile < args_.tiles;
             args_.first_tile += tiles_a_round_) {
            // In the last round some transforms may process data left from the round before.
            args_.round_tiles = std::min(tiles_a_round_, args_.tiles - args_.first_tile);
            fetch_<<<args_.round_tiles * args_.shape.in_channels, kBlock, 0, stream>>>(args_);
            cuda_check(cudaGetLastError(), "launch fft_layer_fetch");
            forward_.run(args_.inputs, stream);
            multiply(stream);
            inverse_.run(args_.outputs, stream);
            finish_<<<args_.round_tiles * args_.shape.out_channels, kBlock, 0, stream>>>(args_);
            cuda_check(cudaGetLastError(), "launch fft_layer_finish");
        }
    }

 private:
    void multiply(StreamView stream) const {
        const FftProducts grid = fft_products(args_);
        const dim3 block(kFftFrequencies, kFftRowWarps);
        if (single_)
            fft_layer_multiply<1><<<grid.blocks, block, 0, stream>>>(args_, grid);
        else
            fft_layer_multiply<kFftLayerOutputs><<<grid.blocks, block, 0, stream>>>(args_, grid);
        cuda_check(cudaGetLastError(), "launch fft_layer_multiply");
    }

    Device device_;
    FftLayerKernel fetch_, finish_;
    bool single_;
    FftLayerArgs args_;
    int tiles_a_round_;
    DeviceArray<float> spectra_, inputs_, outputs_;
    TileTransform forward_, inverse_;
};

}  // namespace

std::unique_ptr<PreparedLayer> prepare_layer_fft(const LayerProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    return std::make_unique<PreparedFftLayer>(p, device, plan_fft_layer(p));
}

}  // namespace weft
