#include "tests/bench/image_cases.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>

#include <fmt/format.h>

#include "tests/bench/image_work.h"
#include "tests/kernels/cases/dice.h"

namespace weft::bench {

namespace {

struct Size {
    int width = 3840, height = 2160;
};

ConvProblem problem(Size size, PixelType type, int channels, std::vector<Taps> taps) {
    ConvProblem p;
    p.width = size.width;
    p.height = size.height;
    p.channels = channels;
    p.type = type;
    p.max_value = type == PixelType::u16 ? 65535.0F : 255.0F;
    p.conv = {{.taps = std::move(taps), .scale = 1.0F, .bias = 0.0F}};
    return p;
}

ConvProblem ten_bits(ConvProblem p) {
    p.max_value = 1023.0F;
    return p;
}

// Both signs, sum near one: results use the range without saturating everywhere.
Taps random_taps(int size) {
    std::mt19937 random(static_cast<std::uint32_t>(size));
    std::uniform_real_distribution<float> weight(-0.5F, 1.5F);
    std::vector<float> w(static_cast<std::size_t>(size) * size);
    for (float& v : w) v = weight(random) * 2.0F / static_cast<float>(w.size());
    return dense_taps(size, size, w);
}

// Sharpens: whole numbers whose sum is 1.
Taps whole_taps(int size) {
    test::Dice dice(static_cast<unsigned>(size));
    std::vector<float> w(static_cast<std::size_t>(size) * size);
    for (float& v : w) v = static_cast<float>(dice.below(13) - 6);
    w[w.size() / 2] += 1.0F - std::accumulate(w.begin(), w.end(), 0.0F);
    return dense_taps(size, size, w);
}

// Weights of `weight(x, y)`, measured from the centre, that sum to one.
template <class Weight>
Taps centred_taps(int size, const Weight& weight) {
    std::vector<float> w;
    double sum = 0;
    for (int y = 0; y < size; ++y) {
        for (int x = 0; x < size; ++x) {
            w.push_back(static_cast<float>(weight(x - size / 2, y - size / 2)));
            sum += w.back();
        }
    }
    for (float& v : w) v = static_cast<float>(v / sum);
    return dense_taps(size, size, w);
}

// A line at 30 degrees, as the filter `motion` draws it.
Taps motion_taps(int size) {
    return centred_taps(size, [&](int x, int y) {
        const double along = 0.8660254 * x - 0.5 * y;
        const double across = 0.8660254 * y + 0.5 * x;
        const double ends = std::clamp(size / 2.0 + 0.5 - std::fabs(along), 0.0, 1.0);
        return ends * std::max(0.0, 1.0 - std::fabs(across));
    });
}

// A circle one pixel wide that touches the frame.
Taps ring_taps(int size) {
    const int radius = size / 2;
    return centred_taps(size, [&](int x, int y) {
        return std::max(0.0, 1.0 - std::fabs(std::hypot(x, y) - radius));
    });
}

// 5×5 taps with holes between them, as undecimated wavelets use.
Taps with_holes(int size) {
    const Taps dense = random_taps(5);
    const int step = (size - 1) / 4;
    std::vector<float> w(static_cast<std::size_t>(size) * size, 0.0F);
    for (int k = 0; k < 25; ++k)
        w[static_cast<std::size_t>(k / 5 * step * size + k % 5 * step)] =
            dense.weights[static_cast<std::size_t>(k)];
    return dense_taps(size, size, w);
}

std::vector<float> gaussian_factors(int size) {
    std::vector<float> f(static_cast<std::size_t>(size));
    const int middle = size / 2;
    double sum = 0;
    for (int i = 0; i < size; ++i) {
        const double x = (i - middle) / (size / 6.0);
        sum += std::exp(-0.5 * x * x);
    }
    for (int i = 0; i < size; ++i) {
        const double x = (i - middle) / (size / 6.0);
        f[static_cast<std::size_t>(i)] = static_cast<float>(std::exp(-0.5 * x * x) / sum);
    }
    return f;
}

Taps gaussian_taps(int size) {
    return separable_taps(gaussian_factors(size), gaussian_factors(size));
}

// Ones and a scale, as the filter produces them: exact sums.
ConvProblem box(Size image, PixelType type, int size, int channels = 1) {
    const std::vector<float> ones(static_cast<std::size_t>(size), 1.0F);
    ConvProblem p = problem(image, type, channels, {separable_taps(ones, ones)});
    p.conv.front().scale = 1.0F / static_cast<float>(size * size);
    return p;
}

// Colour is blurred and alpha left alone, as the filters lower `channels=c`.
ConvProblem rgba_gaussian(Size image, int size) {
    ConvProblem p = problem(image, PixelType::u8, 4, {gaussian_taps(size)});
    std::vector<float> one(static_cast<std::size_t>(size), 0.0F);
    one[static_cast<std::size_t>(size) / 2] = 1.0F;
    p.conv.assign(4, p.conv.front());
    p.conv.back().taps = {separable_taps(one, one)};
    return p;
}

ConvProblem sobel(Size size, PixelType type) {
    ConvProblem p = problem(size, type, 1,
                            {dense_taps(3, 3, {-1, 0, 1, -2, 0, 2, -1, 0, 1}),
                             dense_taps(3, 3, {-1, -2, -1, 0, 0, 0, 1, 2, 1})});
    p.combine = Combine::magnitude;
    return p;
}

// The largest of `sets` sums over r, g and b, as the filter bank=in=rgb produces it.
ConvProblem rgb_bank(Size image, int size, int sets) {
    ConvProblem p = problem(image, PixelType::u8, 3, {});
    p.sums_channels = true;
    p.combine = Combine::maximum;
    p.conv.resize(3);
    std::mt19937 random(11);
    std::uniform_real_distribution<float> weight(-1.0F, 1.0F);
    for (ChannelConv& channel : p.conv) {
        for (int set = 0; set < sets; ++set) {
            std::vector<float> w(static_cast<std::size_t>(size) * size);
            for (float& v : w) v = weight(random) / static_cast<float>(size);
            channel.taps.push_back(dense_taps(size, size, w));
        }
    }
    return p;
}

// A luma plane, and a chroma plane of pairs with half its width and height.
std::vector<ConvProblem> nv12(Size size, const Taps& taps) {
    return {problem(size, PixelType::u8, 1, {taps}),
            problem({size.width / 2, size.height / 2}, PixelType::u8, 2, {taps})};
}

std::vector<ConvProblem> p010(Size size, const Taps& taps) {
    return {ten_bits(problem(size, PixelType::u16, 1, {taps})),
            ten_bits(problem({size.width / 2, size.height / 2}, PixelType::u16, 2, {taps}))};
}

std::vector<ConvProblem> yuv420p(Size size, const Taps& taps) {
    const ConvProblem luma = problem(size, PixelType::u8, 1, {taps});
    const ConvProblem chroma = problem({size.width / 2, size.height / 2}, PixelType::u8, 1, {taps});
    return {luma, chroma, chroma};
}

// The case's name consists of `series` and the size.
BenchCase sized(const char* series, int size, std::vector<ConvProblem> planes) {
    return {.name = fmt::format("{0} {1}×{1}", series, size),
            .series = series,
            .size = size,
            .open = [planes = std::move(planes)](const Device& d) {
                return make_image_work(planes, d);
            }};
}

BenchCase alone(std::string name, int size, ConvProblem p) {
    return {.name = std::move(name),
            .series = {},
            .size = size,
            .open = [p = std::move(p)](const Device& d) { return make_image_work({p}, d); }};
}

// Mostly small odd numbers, as filters have them.
int random_side(test::Dice& dice) {
    if (dice.below(4) > 0) return 2 * dice.below(9) + 1;
    return dice.below(3) > 0 ? 1 + dice.below(33) : 33 + dice.below(69);
}

// At most `count` of the weights are not zero.
Taps random_weights(test::Dice& dice, Size size, int count) {
    std::vector<float> w(static_cast<std::size_t>(size.width) * size.height, 0.0F);
    for (int k = 0; k < count; ++k) {
        const int at =
            count == static_cast<int>(w.size()) ? k : dice.below(size.width * size.height);
        w[static_cast<std::size_t>(at)] =
            static_cast<float>(dice.below(1001) - 100) / 400.0F / static_cast<float>(count);
    }
    return dense_taps(size.width, size.height, w);
}

struct RandomTaps {
    std::string name;
    Taps taps;
    float scale = 1;
};

RandomTaps random_filter(test::Dice& dice) {
    Size size{random_side(dice), 0};
    size.height = dice.below(3) > 0 ? size.width : random_side(dice);
    const int kind = dice.below(5);
    if (kind <= 1)
        return {"Gaussian",
                separable_taps(gaussian_factors(size.width), gaussian_factors(size.height))};
    if (kind == 2) {
        const auto ones = [](int side) {
            return std::vector<float>(static_cast<std::size_t>(side), 1.0F);
        };
        return {"box", separable_taps(ones(size.width), ones(size.height)),
                1.0F / static_cast<float>(size.width * size.height)};
    }
    size = {std::min(size.width, Taps::kMaxDense), std::min(size.height, Taps::kMaxDense)};
    if (kind == 3) return {"dense", random_weights(dice, size, size.width * size.height)};
    return {"sparse",
            random_weights(dice, size, 1 + dice.below((size.width + size.height + 2) / 2))};
}

struct RandomPixels {
    const char* name;
    PixelType type;
    int channels;
    float max_value;
};

BenchCase random_case(unsigned number) {
    constexpr std::array<Size, 10> kSizes = {{{640, 360},
                                              {854, 480},
                                              {1280, 720},
                                              {1920, 1080},
                                              {1080, 1920},
                                              {2560, 1440},
                                              {3840, 2160},
                                              {4000, 3000},
                                              {5184, 3456},
                                              {333, 517}}};
    // Some are listed twice or more, so that they are drawn more often.
    constexpr std::array<RandomPixels, 16> kPixels = {{{"u8 gray", PixelType::u8, 1, 255},
                                                       {"u8 gray", PixelType::u8, 1, 255},
                                                       {"u8 gray", PixelType::u8, 1, 255},
                                                       {"u8 pairs", PixelType::u8, 2, 255},
                                                       {"RGB24", PixelType::u8, 3, 255},
                                                       {"u8 RGBA", PixelType::u8, 4, 255},
                                                       {"10-bit gray", PixelType::u16, 1, 1023},
                                                       {"10-bit pairs", PixelType::u16, 2, 1023},
                                                       {"u16 gray", PixelType::u16, 1, 65535},
                                                       {"RGB48", PixelType::u16, 3, 65535},
                                                       {"RGBA64", PixelType::u16, 4, 65535},
                                                       {"f32 gray", PixelType::f32, 1, 255},
                                                       {"f32 gray", PixelType::f32, 1, 255},
                                                       {"f32 pairs", PixelType::f32, 2, 255},
                                                       {"f32 RGB", PixelType::f32, 3, 255},
                                                       {"f32 RGBA", PixelType::f32, 4, 255}}};
    test::Dice dice(number);
    const RandomPixels pixels = dice.of(kPixels);
    const Size size = dice.of(kSizes);
    RandomTaps filter = random_filter(dice);
    std::string name = fmt::format("{:03}: {} {}×{} {} {}×{}", number, pixels.name, size.width,
                                   size.height, filter.name, filter.taps.width, filter.taps.height);
    ConvProblem p = problem(size, pixels.type, pixels.channels, {std::move(filter.taps)});
    p.max_value = pixels.max_value;
    p.conv.front().scale = filter.scale;
    return alone(std::move(name), 0, std::move(p));
}

}  // namespace

std::vector<BenchCase> dense_cases() {
    constexpr Size s;
    std::vector<BenchCase> out;
    for (const int k : {3, 5, 7, 9, 11, 15, 31})
        out.push_back(sized("u8 gray", k, {problem(s, PixelType::u8, 1, {random_taps(k)})}));
    for (const int k : {3, 5, 7, 9, 15, 31, 63})
        out.push_back(sized("f32 gray", k, {problem(s, PixelType::f32, 1, {random_taps(k)})}));
    for (const int k : {3, 5})
        out.push_back(sized("u16 gray", k, {problem(s, PixelType::u16, 1, {random_taps(k)})}));
    for (const int k : {3, 5, 9, 15, 31})
        out.push_back(
            sized("10-bit gray", k, {ten_bits(problem(s, PixelType::u16, 1, {random_taps(k)}))}));
    for (const int k : {3, 9})
        out.push_back(sized("RGB24", k, {problem(s, PixelType::u8, 3, {random_taps(k)})}));
    for (const int k : {3, 9})
        out.push_back(
            sized("1080p u8 gray", k, {problem({1920, 1080}, PixelType::u8, 1, {random_taps(k)})}));
    for (const int k : {3, 9})
        out.push_back(sized("u8 RGBA", k, {problem(s, PixelType::u8, 4, {random_taps(k)})}));
    for (const int k : {3, 5})
        out.push_back(sized("f32 RGBA", k, {problem(s, PixelType::f32, 4, {random_taps(k)})}));
    for (const int k : {3, 5, 9})
        out.push_back(sized("u8 whole", k, {problem(s, PixelType::u8, 1, {whole_taps(k)})}));
    for (const int k : {3, 5})
        out.push_back(sized("RGB24 whole", k, {problem(s, PixelType::u8, 3, {whole_taps(k)})}));
    out.push_back(alone("u8 Sobel magnitude", 3, sobel(s, PixelType::u8)));
    out.push_back(alone("10-bit Sobel magnitude", 3, ten_bits(sobel(s, PixelType::u16))));
    return out;
}

std::vector<BenchCase> rgb_bank_cases() {
    std::vector<BenchCase> out;
    for (const int k : {7, 11})
        out.push_back(sized("u8 RGB largest of 16", k, {rgb_bank(Size{}, k, 16)}));
    return out;
}

std::vector<BenchCase> separable_cases() {
    constexpr Size s;
    std::vector<BenchCase> out;
    for (const int k : {5, 15, 31, 35, 49, 63, 101})
        out.push_back(sized("u8 Gaussian", k, {problem(s, PixelType::u8, 1, {gaussian_taps(k)})}));
    for (const int k : {3, 5, 9, 15, 31})
        out.push_back(
            sized("f32 Gaussian", k, {problem(s, PixelType::f32, 1, {gaussian_taps(k)})}));
    for (const int k : {5, 9, 15, 31})
        out.push_back(
            sized("u16 Gaussian", k, {problem(s, PixelType::u16, 1, {gaussian_taps(k)})}));
    for (const int k : {15, 49})
        out.push_back(sized("10-bit Gaussian", k,
                            {ten_bits(problem(s, PixelType::u16, 1, {gaussian_taps(k)}))}));
    for (const int k : {5, 15})
        out.push_back(
            sized("RGB48 Gaussian", k, {problem(s, PixelType::u16, 3, {gaussian_taps(k)})}));
    for (const int k : {5, 15})
        out.push_back(
            sized("RGBA64 Gaussian", k, {problem(s, PixelType::u16, 4, {gaussian_taps(k)})}));
    out.push_back(sized("P010 Gaussian", 9, p010(s, gaussian_taps(9))));
    for (const int k : {5, 9, 15})
        out.push_back(
            sized("RGB24 Gaussian", k, {problem(s, PixelType::u8, 3, {gaussian_taps(k)})}));
    for (const int k : {9, 15, 31})
        out.push_back(
            sized("RGBA Gaussian", k, {problem(s, PixelType::u8, 4, {gaussian_taps(k)})}));
    for (const int k : {9, 15, 31})
        out.push_back(sized("RGBA Gaussian without alpha", k, {rgba_gaussian(s, k)}));
    for (const int k : {5, 9})
        out.push_back(
            sized("f32 RGBA Gaussian", k, {problem(s, PixelType::f32, 4, {gaussian_taps(k)})}));
    for (const int k : {9, 19, 41})
        out.push_back(sized("NV12 Gaussian", k, nv12(s, gaussian_taps(k))));
    for (const int k : {5, 15, 31})
        out.push_back(sized("720p yuv420p Gaussian", k, yuv420p({1280, 720}, gaussian_taps(k))));
    for (const int k : {5, 15, 31, 63, 101})
        out.push_back(sized("u8 box", k, {box(s, PixelType::u8, k)}));
    for (const int k : {15, 31}) out.push_back(sized("RGBA box", k, {box(s, PixelType::u8, k, 4)}));
    for (const int k : {15, 31}) out.push_back(sized("u16 box", k, {box(s, PixelType::u16, k)}));
    for (const int k : {15, 31}) out.push_back(sized("f32 box", k, {box(s, PixelType::f32, k)}));
    return out;
}

std::vector<BenchCase> sparse_tap_cases() {
    constexpr Size s;
    const auto image = [&](PixelType type, int channels, Taps taps) {
        return std::vector{problem(s, type, channels, {std::move(taps)})};
    };
    std::vector<BenchCase> out;
    for (const int k : {15, 31, 63})
        out.push_back(sized("u8 motion", k, image(PixelType::u8, 1, motion_taps(k))));
    for (const int k : {9, 17, 33})
        out.push_back(sized("u8 à-trous", k, image(PixelType::u8, 1, with_holes(k))));
    for (const int k : {15, 31, 63})
        out.push_back(sized("u8 ring", k, image(PixelType::u8, 1, ring_taps(k))));
    out.push_back(sized("f32 motion", 31, image(PixelType::f32, 1, motion_taps(31))));
    out.push_back(sized("f32 à-trous", 9, image(PixelType::f32, 1, with_holes(9))));
    out.push_back(sized("u16 à-trous", 17, image(PixelType::u16, 1, with_holes(17))));
    out.push_back(sized("RGBA motion", 15, image(PixelType::u8, 4, motion_taps(15))));
    return out;
}

std::vector<BenchCase> random_cases(unsigned seed) {
    constexpr unsigned kCases = 150;
    std::vector<BenchCase> out;
    for (unsigned k = 1; k <= kCases; ++k) out.push_back(random_case(seed * kCases + k));
    return out;
}

std::vector<BenchCase> smoke_cases() {
    constexpr Size s{640, 360};
    return {sized("u8 gray", 3, {problem(s, PixelType::u8, 1, {random_taps(3)})}),
            sized("u8 gray", 7, {problem(s, PixelType::u8, 1, {random_taps(7)})}),
            sized("f32 gray", 5, {problem(s, PixelType::f32, 1, {random_taps(5)})}),
            sized("NV12 Gaussian", 9, nv12(s, gaussian_taps(9))),
            sized("u8 box", 15, {box(s, PixelType::u8, 15)}),
            alone("u8 Sobel magnitude", 3, sobel(s, PixelType::u8))};
}

}  // namespace weft::bench
