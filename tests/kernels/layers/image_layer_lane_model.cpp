// Images by the kernels for layers, on the CPU: image_layer.cuh around the layer form of direct,
// run thread by thread.
#include "tests/kernels/emulated/emulated_elements.h"
#include "tests/kernels/emulated/emulated_gpu.h"

// The emulator must come first.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/common/conv_layout.h"
#include "kernels/layers/image_layer.cuh"
#include "kernels/layers/layer_direct.cuh"
#include "kernels/rounding.h"
#include "tests/kernels/emulated/lane_model.h"

namespace weft::test {

namespace {

template <class Body>
void with_pixel(PixelType type, const Body& body) {
    switch (type) {
        case PixelType::u8:
            return body(U8{});
        case PixelType::u16:
            return body(U16{});
        case PixelType::f32:
            return body(F32{});
    }
}

template <class Kernel>
void run_threads(std::int64_t threads, int warps, const Kernel& kernel) {
    emulated::run_blocks(static_cast<int>((threads + 32 * warps - 1) / (32 * warps)), warps,
                         kernel);
}

class EmulatedImageLayer : public PreparedConv {
 public:
    explicit EmulatedImageLayer(const ConvProblem& p)
        : problem_(p),
          layer_(image_as_layer(p)),
          padded_(static_cast<std::size_t>(layer_.inputs())),
          sums_(static_cast<std::size_t>(layer_.outputs())) {
        args_.images = conv_images(p, borders_);
        args_.images.x.table = borders_.entries.data();
        args_.images.y.table = borders_.entries.data() + borders_.y_table;
        args_.padded = padded_.data();
        args_.sums = sums_.data();
        args_.channels = p.channels;
        args_.out_channels = p.out_channels();
        args_.sets = static_cast<int>(p.conv.front().taps.size());
        args_.magnitude = p.combine == Combine::magnitude;
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView) override {
        set_images(src, dst, args_.images);
        const LayerArgs layer{.shape = layer_shape(layer_),
                              .input = padded_.data(),
                              .output = sums_.data(),
                              .weights = layer_.weights.data()};
        with_pixel(problem_.type, [&](auto pixel) {
            using P = decltype(pixel);
            run_threads(layer_.height * layer_.width, kImageLayerWarps,
                        [&] { pad_planes<P>(args_); });
            run_threads(layer_.outputs(), kLayerDirectWarps,
                        [&] { layer_direct<ElementF32>(layer); });
            run_threads(problem_.height * problem_.width, kImageLayerWarps,
                        [&] { finish_planes<P>(args_); });
        });
    }

 private:
    ConvProblem problem_;
    LayerProblem layer_;
    std::vector<float> padded_, sums_;
    BorderTables borders_;
    ImageLayerArgs args_;
};

std::string takes_small(const ConvProblem& p, const Device&) {
    const bool dense = std::ranges::all_of(
        p.conv, [](const ChannelConv& c) { return std::ranges::all_of(c.taps, &Taps::dense); });
    return dense && p.width < 2000 && p.height < 2000 ? why_not_dense_in_fp32(p)
                                                      : "small images and dense taps only";
}

std::unique_ptr<PreparedConv> prepare(const ConvProblem& p, const Device&) {
    return std::make_unique<EmulatedImageLayer>(p);
}

}  // namespace

TEST(KernelsImageLayerLaneModel, MatchesOracle) {
    check_all_tables(emulated_row("an image as a layer on the CPU", takes_small, prepare), 7, 20);
}

}  // namespace weft::test
