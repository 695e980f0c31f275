// A kernel prepared for one problem still works after others are prepared: kernels' limits belong
// to the GPU's context and are shared.
#include <gtest/gtest.h>

#include "kernels/conv_kernel.h"
#include "kernels/device/image_buffer.h"
#include "kernels/device/stream.h"
#include "kernels/layers/layer_kernel.h"
#include "tests/kernels/device/gpu.h"
#include "tests/support/device_bytes.h"

namespace weft::test {

namespace {

std::vector<const ConvKernel*> device_rows() {
    std::vector<const ConvKernel*> out;
    for (const ConvKernel& row : conv_kernels())
        if (row.space == MemorySpace::device) out.push_back(&row);
    return out;
}

std::vector<const LayerKernel*> layer_rows() {
    std::vector<const LayerKernel*> out;
    for (const LayerKernel& row : layer_kernels()) out.push_back(&row);
    return out;
}

template <class Row>
std::string name_of_row(const testing::TestParamInfo<Row>& info) {
    return std::string(info.param->name);
}

// Only every tenth weight is nonzero.
std::vector<float> few_weights(std::size_t count) {
    std::vector<float> weights(count, 0.0F);
    for (std::size_t k = 0; k < count; k += 10) weights[k] = 0.001F * static_cast<float>(k % 7 + 1);
    return weights;
}

// From the largest to the smallest, which take less shared memory.
std::vector<Taps> shrinking_taps() {
    std::vector<Taps> out;
    for (const int side : {63, 55, 45, 37, 25, 9})
        out.push_back(dense_taps(side, side, few_weights(static_cast<std::size_t>(side) * side)));
    for (const int side : {255, 201, 101, 33, 9}) {
        const std::vector<float> ones(static_cast<std::size_t>(side), 1.0F);
        std::vector<float> ramp(ones);
        ramp.front() = 0.5F;
        out.push_back(separable_taps(ones, ones));
        out.push_back(separable_taps(ramp, ramp));
    }
    for (const int side : {33, 27, 21, 15}) {
        std::vector<float> mean(static_cast<std::size_t>(side), 1.0F / static_cast<float>(side));
        mean.front() *= 0.5F;
        out.push_back(separable_taps(mean, mean));
    }
    return out;
}

void launch_on_zeros(PreparedConv& conv, const ConvProblem& p, const Stream& stream) {
    const ImageBuffer src(p.width, p.height, p.channels, p.type, Allocation::device);
    const ImageBuffer dst(p.width, p.height, p.channels, p.type, Allocation::device);
    conv.launch(src.view(), dst.view(), stream.view());
    stream.synchronize();
}

// Prepares all problems that the row takes, then launches them in the same order.
int launch_after_preparing_all(const ConvKernel& row, PixelType type, int channels) {
    struct Ready {
        ConvProblem problem;
        std::unique_ptr<PreparedConv> conv;
    };
    std::vector<Ready> ready;
    for (const Taps& taps : shrinking_taps()) {
        ConvProblem p;
        p.width = 301;
        p.height = 77;
        p.channels = channels;
        p.type = type;
        p.conv = {{.taps = {taps}}};
        if (why_cannot(row, p, first_gpu()).empty())
            ready.push_back({p, row.prepare(p, first_gpu())});
    }
    const Stream stream;
    for (const Ready& r : ready)
        EXPECT_NO_THROW(launch_on_zeros(*r.conv, r.problem, stream))
            << row.name << ": " << describe(r.problem);
    return static_cast<int>(ready.size());
}

// Layers with groups of `inputs` channels and fewer and fewer taps.
std::vector<LayerProblem> shrinking_layers(int inputs, LayerType type) {
    std::vector<LayerProblem> out;
    for (const int side : {33, 11, 7, 5, 3, 1}) {
        LayerProblem p;
        p.in_channels = p.out_channels = 16;
        p.groups = 16 / inputs;
        p.batch = 4;
        p.height = p.width = 56;
        p.taps = {.y = side, .x = side};
        p.padding = {.y = side / 2, .x = side / 2};
        p.type = type;
        p.weights = few_weights(static_cast<std::size_t>(p.out_channels) *
                                static_cast<std::size_t>(p.sum_length()));
        out.push_back(std::move(p));
    }
    return out;
}

int launch_layers_after_preparing_all(const LayerKernel& row,
                                      const std::vector<LayerProblem>& problems) {
    std::vector<std::pair<LayerProblem, std::unique_ptr<PreparedLayer>>> ready;
    for (const LayerProblem& p : problems)
        if (why_cannot(row, p, first_gpu()).empty())
            ready.emplace_back(p, row.prepare(p, first_gpu()));
    const Stream stream;
    for (const auto& [p, layer] : ready) {
        const DeviceBytes input(static_cast<std::size_t>(p.inputs()) * 4);
        const DeviceBytes output(static_cast<std::size_t>(p.outputs()) * 4);
        EXPECT_NO_THROW(layer->launch(input.data(), output.data(), stream.view()))
            << row.name << ": " << describe(p);
        stream.synchronize();
    }
    return static_cast<int>(ready.size());
}

}  // namespace

class GpuPrepared : public NeedsGpu<testing::TestWithParam<const ConvKernel*>> {};
class GpuPreparedLayer : public NeedsGpu<testing::TestWithParam<const LayerKernel*>> {};

TEST_P(GpuPrepared, ImagesAreNotDisturbedByOthers) {
    const ConvKernel& row = *GetParam();
    int taken = 0;
    use_device(first_gpu());
    for (const PixelType type : {PixelType::u8, PixelType::u16, PixelType::f32})
        for (const int channels : {1, 4}) taken += launch_after_preparing_all(row, type, channels);
    EXPECT_GT(taken, 4) << row.name;
}

TEST_P(GpuPreparedLayer, LayersAreNotDisturbedByOthers) {
    const LayerKernel& row = *GetParam();
    int taken = 0;
    use_device(first_gpu());
    for (const LayerType type : {LayerType::f32, LayerType::f16})
        for (const int inputs : {1, 4, 16})
            taken += launch_layers_after_preparing_all(row, shrinking_layers(inputs, type));
    EXPECT_GT(taken, 4) << row.name;
}

INSTANTIATE_TEST_SUITE_P(, GpuPrepared, testing::ValuesIn(device_rows()),
                         name_of_row<const ConvKernel*>);
INSTANTIATE_TEST_SUITE_P(, GpuPreparedLayer, testing::ValuesIn(layer_rows()),
                         name_of_row<const LayerKernel*>);

}  // namespace weft::test
