// Launches layer_fft.cuh.
#include <algorithm>

#include "kernels/device/cufft.h"
#include "kernels/layers/layer_fft.cuh"
#include "kernels/layers/prepared_layer.cuh"

namespace weft {

namespace {

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
    // Streams of this program do not wait for the default stream.
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
    TileTransform transform(transforms(plan, planes), TransformDirection::forward);
    transform.run(spectra.get(), stream.view());
    stream.synchronize();
    return spectra;
}

}  // namespace

std::unique_ptr<PreparedLayer> prepare_layer_fft(const LayerProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    const FftLayerPlan plan = plan_fft_layer(p);
    const bool f32 = p.type == LayerType::f32;
    const auto fetch = f32 ? fft_layer_fetch<ElementF32> : fft_layer_fetch<ElementF16>;
    const auto finish = f32 ? fft_layer_finish<ElementF32> : fft_layer_finish<ElementF16>;
    const auto multiply =
        plan.outputs == 1 ? fft_layer_multiply<1> : fft_layer_multiply<kFftLayerOutputs>;
    const int round = plan.tiles_a_round;
    DeviceArray<float> spectra = weight_spectra(plan);
    DeviceArray<float> inputs = zeros(floats(plan, round * p.in_channels));
    DeviceArray<float> outputs = zeros(floats(plan, round * p.out_channels));
    FftLayerArgs args = plan.args;
    args.spectra = spectra.get();
    args.inputs = inputs.get();
    args.outputs = outputs.get();
    TileTransform forward(transforms(plan, round * p.in_channels), TransformDirection::forward);
    TileTransform inverse(transforms(plan, round * p.out_channels), TransformDirection::inverse);
    auto body = [=, spectra = std::move(spectra), inputs = std::move(inputs),
                 outputs = std::move(outputs), forward = std::move(forward),
                 inverse = std::move(inverse)](const void* input, void* output,
                                               StreamView stream) mutable {
        args.input = input;
        args.output = output;
        for (args.first_tile = 0; args.first_tile < args.tiles; args.first_tile += round) {
            // In the last round some transforms may process data left from the round before.
            args.round_tiles = std::min(round, args.tiles - args.first_tile);
            fetch<<<args.round_tiles * args.shape.in_channels, kBlock, 0, stream>>>(args);
            cuda_check(cudaGetLastError(), "launch fft_layer_fetch");
            forward.run(args.inputs, stream);
            const FftProducts grid = fft_products(args);
            multiply<<<grid.blocks, dim3(kFftFrequencies, kFftRowWarps), 0, stream>>>(args, grid);
            cuda_check(cudaGetLastError(), "launch fft_layer_multiply");
            inverse.run(args.outputs, stream);
            finish<<<args.round_tiles * args.shape.out_channels, kBlock, 0, stream>>>(args);
            cuda_check(cudaGetLastError(), "launch fft_layer_finish");
        }
    };
    return prepared_layer(device, std::move(body));
}

}  // namespace weft
