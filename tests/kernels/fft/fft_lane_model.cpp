// The row fft on the CPU: its own fft.cuh, thread by thread, between transforms by the definition.
#include "tests/kernels/emulated/emulated_gpu.h"

// The emulator must come first.
#include <vector>

#include <gtest/gtest.h>

#include "kernels/conv_kernel.h"
#include "kernels/fft/fft.cuh"
#include "tests/kernels/cases/conv_tables.h"
#include "tests/kernels/emulated/emulated_fft.h"
#include "tests/kernels/emulated/lane_model.h"

namespace weft::test {

namespace {

class EmulatedFft : public PreparedConv {
 public:
    explicit EmulatedFft(const ConvProblem& p)
        : type_(p.type),
          layout_(lay_out_fft(p)),
          samples_(static_cast<std::size_t>(layout_.tiles_a_round) * tile_floats()) {}

    void launch(const ImageView& src, const ImageView& dst, StreamView) override {
        FftArgs& args = layout_.args;
        args.images.x.table = layout_.borders.entries.data();
        args.images.y.table = layout_.borders.entries.data() + layout_.borders.y_table;
        args.samples = samples_.data();
        args.spectrum = reinterpret_cast<const float*>(layout_.spectrum.data());
        set_images(src, dst, args.images);
        for (args.first_tile = 0; args.first_tile < args.tiles;
             args.first_tile += layout_.tiles_a_round)
            run_round(std::min(layout_.tiles_a_round, args.tiles - args.first_tile));
    }

 private:
    std::size_t tile_floats() const {
        return static_cast<std::size_t>(layout_.args.height) * (layout_.args.width + 2);
    }

    EmulatedTransform transform_of(int tile) const {
        const FftArgs& args = layout_.args;
        return {fft_row(args, tile, 0), args.width, args.height};
    }

    template <class Body>
    void for_type(const Body& body) const {
        switch (type_) {
            case PixelType::u8:
                return body(U8{});
            case PixelType::u16:
                return body(U16{});
            case PixelType::f32:
                return body(F32{});
        }
    }

    void run_round(int tiles) {
        const FftArgs& args = layout_.args;
        for_type([&](auto pixel) {
            emulated::run_blocks(tiles * args.height, kFftWarps,
                                 [&] { fft_fetch<decltype(pixel)>(args); });
        });
        for (int t = 0; t < tiles; ++t) transform_of(t).forward();
        const int products = args.height * (args.width / 2 + 1);
        const int blocks = (products + kFftThreads * kFftProducts - 1) / kFftThreads / kFftProducts;
        emulated::run_blocks(tiles * blocks, kFftWarps,
                             [&] { fft_multiply<kFftProducts>(args, blocks); });
        for (int t = 0; t < tiles; ++t) transform_of(t).inverse();
        for_type([&](auto pixel) {
            emulated::run_blocks(tiles * args.out_height, kFftWarps,
                                 [&] { fft_finish<decltype(pixel)>(args); });
        });
    }

    PixelType type_;
    FftLayout layout_;
    std::vector<float> samples_;
};

std::string why_not(const ConvProblem& p, const Device&) {
    if (!p.taps().dense()) return "dense taps only";
    if (p.width > 2000 || p.height > 2000 || p.width * p.height > 20000) return "too slow here";
    return why_not_fft(p);
}

ConvKernel emulated_fft() {
    const auto prepare = [](const ConvProblem& p, const Device&) -> std::unique_ptr<PreparedConv> {
        return std::make_unique<EmulatedFft>(p);
    };
    return emulated_row("fft on the CPU", why_not, prepare, Arithmetic::fourier);
}

}  // namespace

TEST(KernelsFftLaneModel, MatchesOracle) {
    check_all_tables(emulated_fft(), 5, 40);
}

TEST(KernelsFftLaneModel, TilesMeetWithoutASeam) {
    const ConvKernel row = emulated_fft();
    ConvCase c;
    c.problem.width = 1500;
    c.problem.height = 3;
    c.problem.channels = 2;
    c.problem.border = Border::reflect;
    std::vector<float> weights(63 * 2);
    for (std::size_t k = 0; k < weights.size(); ++k)
        weights[k] = 0.0001F * static_cast<float>(k + 1);
    c.problem.conv = {{.taps = {dense_taps(63, 2, weights)}}};
    ASSERT_GT(lay_out_fft(c.problem).args.tiles_x, 1);
    EXPECT_EQ(check_against_oracle(Runner(row, cpu_device()), c), "");
}

TEST(KernelsFftLaneModel, RefusesWhatItWouldRound) {
    ConvProblem p;
    p.width = p.height = 100;
    p.conv = {{.taps = {dense_taps(3, 1, {1, 2, 1})}}};
    EXPECT_EQ(why_not_fft(p),
              "the taps are whole numbers: transforms would round what other kernels sum exactly");
    p.conv = {{.taps = {dense_taps(3, 1, {0.5F, 0.75F, -0.5F})}}};
    EXPECT_EQ(why_not_fft(p),
              "transforms in fp32 could miss the results of these taps by half a step and more");
    p.type = PixelType::f32;
    EXPECT_EQ(why_not_fft(p), "");
    p.combine = Combine::magnitude;
    p.conv.front().taps.push_back(p.taps());
    EXPECT_EQ(why_not_fft(p), "it takes one tap set, and this problem combines several");
}

}  // namespace weft::test
