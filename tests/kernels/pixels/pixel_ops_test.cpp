// The steps around a convolution against plain loops in double, on the CPU and on a GPU.
#include "kernels/pixels/pixel_ops.h"

#include <cmath>
#include <functional>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/device/stream.h"
#include "tests/kernels/device/gpu.h"
#include "tests/kernels/pixels/test_plane.h"
#include "tests/support/oracle.h"

namespace weft::test {

namespace {

constexpr std::byte kUnread{0xFF};
constexpr std::byte kUnwritten{0xA5};
constexpr PixelType kTypes[] = {PixelType::u8, PixelType::u16, PixelType::f32};

enum class Place { cpu, gpu };

using Views = std::vector<ImageView>;

// Runs `op` on the planes in the memory of `place`, and copies the planes back.
void run_on(Place place, std::vector<TestPlane>& planes,
            const std::function<void(const Views&, StreamView)>& op) {
    Views views;
    if (place == Place::cpu) {
        for (const TestPlane& plane : planes) views.push_back(plane.view());
        return op(views, nullptr);
    }
    use_device(first_gpu());
    const Stream stream;
    std::vector<DevicePlane> copies;
    copies.reserve(planes.size());
    for (TestPlane& plane : planes) copies.emplace_back(plane, stream.view());
    for (const DevicePlane& copy : copies) views.push_back(copy.view());
    op(views, stream.view());
    for (DevicePlane& copy : copies) copy.download(stream.view());
    stream.synchronize();
}

float max_of(PixelType type) {
    return type == PixelType::u8 ? 255.0F : type == PixelType::u16 ? 1023.0F : 1.0F;
}

TestPlane noise_plane(const Shape& shape, Layout layout, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<double> samples(static_cast<std::size_t>(shape.width) * shape.height *
                                shape.channels);
    for (double& v : samples) {
        const double f = static_cast<double>(random()) / 4294967296.0;
        v = shape.type == PixelType::f32 ? static_cast<float>(f * 3 - 1)
                                         : std::floor(f * (max_of(shape.type) + 1));
    }
    TestPlane plane(shape, layout, kUnread);
    plane.set(samples);
    return plane;
}

std::string text_of(const Shape& s) {
    return fmt::format("{}×{}×{} of {} bytes", s.width, s.height, s.channels,
                       bytes_per_sample(s.type));
}

// Every shape of interest, with the layouts in turn.
void for_each_shape(const std::function<void(const Shape&, Layout)>& body) {
    int turn = 0;
    for (const PixelType type : kTypes)
        for (int channels = 1; channels <= 4; ++channels)
            for (const auto& [width, height] : {std::pair{1, 1}, {33, 5}, {257, 9}, {1021, 3}})
                body({width, height, channels, type}, kLayouts[turn++ % 4]);
}

struct BlendCase {
    TemporalBlend blend;
    unsigned mask = 0xF;
};

std::vector<BlendCase> blend_cases() {
    return {
        {{.weights = {1, -1}, .absolute = true}, 0xF},
        {{.weights = {1, -1}, .scale = 2.0F, .bias = 128.0F}, 0x5},
        {{.weights = {1, -1}, .absolute = true, .scale = 1.5F, .threshold = 20.0F}, 0x3},
        {{.weights = std::vector<float>(5, 0.2F)}, 0xE},
        {{.weights = {1}}, 0x0},
        {{.weights = std::vector<float>(13, 1.0F), .scale = 1.0F / 13.0F}, 0x1},
    };
}

oracle::Interval blend_of(const TemporalBlend& b, const std::vector<double>& in, PixelType type) {
    double sum = 0, absolute = 0;
    bool integers = type != PixelType::f32;
    for (std::size_t k = 0; k < in.size(); ++k) {
        sum += static_cast<double>(b.weights[k]) * in[k];
        absolute += std::fabs(b.weights[k] * in[k]);
        integers = integers && std::trunc(b.weights[k]) == b.weights[k];
    }
    if (b.absolute) sum = std::fabs(sum);
    double v = sum * static_cast<double>(b.scale) + b.bias;
    double bound = 0;
    if (integers)
        v = std::fma(static_cast<float>(sum), b.scale, b.bias);
    else
        bound = oracle::gamma(static_cast<double>(in.size()) + 2) *
                (std::fabs(b.scale) * absolute + std::fabs(v));
    // A value that rounding may move across the threshold is black or unchanged.
    oracle::Interval out = oracle::finished(v, bound, type != PixelType::f32, max_of(type));
    if (v - bound < b.threshold) out.low = std::min(0.0, out.low);
    if (v + bound < b.threshold) out = {0, 0, 0};
    return out;
}

void check_blend(Place place, const BlendCase& blend, const Shape& shape, Layout layout) {
    std::vector<TestPlane> planes;
    planes.reserve(blend.blend.weights.size() + 1);
    for (std::size_t k = 0; k < blend.blend.weights.size(); ++k)
        planes.push_back(noise_plane(shape, layout, static_cast<std::uint32_t>(k) + 7));
    planes.emplace_back(shape, Layout::misaligned, kUnwritten);
    run_on(place, planes, [&](const Views& v, StreamView stream) {
        blend_frames(blend.blend, std::span(v).first(v.size() - 1), v.back(), max_of(shape.type),
                     blend.mask, stream);
    });
    EXPECT_TRUE(planes.back().surroundings_untouched()) << text_of(shape);
    std::vector<std::vector<double>> in;
    in.reserve(planes.size());
    for (const TestPlane& plane : planes) in.push_back(plane.samples());
    for (std::size_t i = 0; i < in[0].size(); ++i) {
        std::vector<double> values;
        for (std::size_t k = 0; k + 1 < in.size(); ++k) values.push_back(in[k][i]);
        const unsigned channel = static_cast<unsigned>(i) % shape.channels;
        const bool filtered = (blend.mask >> channel & 1U) != 0;
        const oracle::Interval want = filtered ? blend_of(blend.blend, values, shape.type)
                                               : oracle::Interval{in[0][i], in[0][i], in[0][i]};
        const double got = in.back()[i];
        ASSERT_TRUE(got >= want.low && got <= want.high)
            << text_of(shape) << ", mask " << blend.mask << ", sample " << i << ": got " << got
            << ", right from " << want.low << " to " << want.high;
    }
}

void check_luma(Place place, const Shape& shape, Layout layout) {
    struct Row {
        ColorMatrix matrix;
        double r, g, b;
    };
    const Row rows[] = {{ColorMatrix::bt601, 0.299F, 0.587F, 0.114F},
                        {ColorMatrix::bt709, 0.2126F, 0.7152F, 0.0722F},
                        {ColorMatrix::bt2020, 0.2627F, 0.6780F, 0.0593F},
                        {ColorMatrix::unspecified, 0.299F, 0.587F, 0.114F}};  // below 720 lines
    const int c = shape.channels;
    const int r = 0, g = c > 1 ? 1 : 0, b = c - 1;
    for (const Row& row : rows) {
        const Shape one_channel{shape.width, shape.height, 1, shape.type};
        std::vector<TestPlane> planes =
            planes_of(noise_plane(shape, layout, 3), noise_plane(shape, Layout::padded, 4),
                      TestPlane(one_channel, Layout::misaligned, kUnwritten));
        run_on(place, planes, [&](const Views& v, StreamView stream) {
            extract_luma({v[0], r}, {v[1], g}, {v[0], b}, row.matrix, v[2], stream);
        });
        EXPECT_TRUE(planes[2].surroundings_untouched()) << text_of(shape);
        const std::vector<double> one = planes[0].samples(), two = planes[1].samples();
        const std::vector<double> got = planes[2].samples();
        for (std::size_t i = 0; i < got.size(); ++i) {
            const double v =
                row.r * one[i * c + r] + row.g * two[i * c + g] + row.b * one[i * c + b];
            const double all = std::fabs(row.r * one[i * c + r]) +
                               std::fabs(row.g * two[i * c + g]) +
                               std::fabs(row.b * one[i * c + b]);
            const oracle::Interval want =
                oracle::finished(v, oracle::gamma(3) * all, shape.type != PixelType::f32, 65535.0);
            ASSERT_TRUE(got[i] >= want.low && got[i] <= want.high)
                << text_of(shape) << ", sample " << i << ": got " << got[i] << ", want " << v;
        }
    }
}

void check_spread_and_fill(Place place, const Shape& shape, Layout layout) {
    for (const unsigned mask : {0xFU, 0x7U, 0x2U, 0x0U}) {
        const Shape one_channel{shape.width, shape.height, 1, shape.type};
        std::vector<TestPlane> planes =
            planes_of(noise_plane(one_channel, Layout::padded, 5), noise_plane(shape, layout, 6),
                      noise_plane(shape, layout, 6));
        const std::vector<double> luma = planes[0].samples(), before = planes[1].samples();
        run_on(place, planes, [&](const Views& v, StreamView stream) {
            spread_luma(v[0], v[1], mask, stream);
            fill_channels(v[2], 128.0F, mask, stream);
        });
        EXPECT_TRUE(planes[1].surroundings_untouched()) << text_of(shape);
        EXPECT_TRUE(planes[2].surroundings_untouched()) << text_of(shape);
        const std::vector<double> spread = planes[1].samples(), filled = planes[2].samples();
        for (std::size_t i = 0; i < before.size(); ++i) {
            const bool set = (mask >> (i % shape.channels) & 1U) != 0;
            ASSERT_EQ(spread[i], set ? luma[i / shape.channels] : before[i]) << text_of(shape);
            ASSERT_EQ(filled[i], set ? 128.0 : before[i]) << text_of(shape);
        }
    }
}

void check_extract(Place place, const Shape& shape, Layout layout) {
    if (shape.type == PixelType::f32) return;
    const Shape one_channel{shape.width, shape.height, 1, shape.type};
    for (int channel = 0; channel < shape.channels; ++channel)
        for (const int shift : {0, 4, 6}) {
            std::vector<TestPlane> planes =
                planes_of(noise_plane(shape, layout, 11),
                          TestPlane(one_channel, Layout::misaligned, kUnwritten));
            run_on(place, planes, [&](const Views& v, StreamView stream) {
                extract_channel({v[0], channel}, shift, v[1], stream);
            });
            EXPECT_TRUE(planes[1].surroundings_untouched()) << text_of(shape);
            const std::vector<double> from = planes[0].samples(), got = planes[1].samples();
            for (std::size_t i = 0; i < got.size(); ++i)
                ASSERT_EQ(got[i],
                          std::floor(std::ldexp(from[i * static_cast<std::size_t>(shape.channels) +
                                                     static_cast<std::size_t>(channel)],
                                                -shift)))
                    << text_of(shape) << ", channel " << channel << ", shift " << shift;
        }
}

ImageView columns_of(ImageView image, int first, int count) {
    image.data = image.row(0) +
                 static_cast<std::size_t>(first * image.channels) * bytes_per_sample(image.type);
    image.width = count;
    return image;
}

// Parts of so many columns, of which wide images have more than a launch takes.
std::vector<MixedPart> columns_of(const MixedPart& whole, int width) {
    std::vector<MixedPart> parts;
    for (int x = 0; x < whole.dst.width; x += width) {
        const int count = std::min(width, whole.dst.width - x);
        parts.push_back({columns_of(whole.filtered, x, count), columns_of(whole.weights, x, count),
                         columns_of(whole.dst, x, count)});
    }
    return parts;
}

// The extreme weights, those next to them, and the middle, in turn, next to runs of 0 and of 65,535
// that are longer than a word; and all levels of noise.
double mixing_weight(int pixel, int width) {
    constexpr double kWeights[] = {0, 1, 32767, 32768, 65534, 65535, 12345};
    const int run = (pixel % width / 20 + pixel / width) % 4;
    return run == 0 ? 0 : run == 1 ? 65535 : kWeights[pixel % 7];
}

void check_mix(Place place, const Shape& shape, Layout layout, Layout target, int part_width) {
    Shape one = shape;
    one.channels = 1;
    one.type = PixelType::u16;
    std::vector<double> weights;
    for (int k = 0; k < shape.width * shape.height; ++k)
        weights.push_back(mixing_weight(k, shape.width));
    std::vector<TestPlane> planes =
        planes_of(noise_plane(shape, layout, 9), TestPlane(one, Layout::padded, kUnread),
                  noise_plane(shape, target, 10));
    planes[1].set(weights);
    const std::vector<double> filtered = planes[0].samples();
    const std::vector<double> before = planes[2].samples();
    run_on(place, planes, [&](const Views& v, StreamView stream) {
        const std::vector<MixedPart> parts = columns_of(MixedPart{v[0], v[1], v[2]}, part_width);
        const std::size_t launches = place == Place::cpu ? 1 : (parts.size() + 255) / 256;
        EXPECT_EQ(mix_images(parts, stream), static_cast<int>(launches));
    });
    const std::vector<double> after = planes[2].samples();
    for (std::size_t k = 0; k < after.size(); ++k) {
        const double w = weights[k / static_cast<std::size_t>(shape.channels)];
        const double exact = (before[k] * (65535 - w) + filtered[k] * w) / 65535;
        const bool whole = shape.type != PixelType::f32;
        // A float is rounded three times: the weight, the difference and the result.
        const double bound =
            whole || w == 0 || w == 65535
                ? 0
                : oracle::gamma(3) * (std::fabs(before[k]) + std::fabs(filtered[k]));
        EXPECT_LE(std::fabs(after[k] - (whole ? std::nearbyint(exact) : exact)), bound)
            << text_of(shape) << ", sample " << k << " of " << before[k] << " and " << filtered[k]
            << " by " << w;
    }
    EXPECT_TRUE(planes[2].surroundings_untouched()) << text_of(shape);
    run_on(place, planes, [&](const Views& v, StreamView stream) {
        const MixedPart part{v[0], {}, v[2]};
        EXPECT_EQ(mix_images({&part, 1}, stream), 1);
    });
    EXPECT_EQ(planes[2].samples(), filtered) << text_of(shape);
    EXPECT_TRUE(planes[2].surroundings_untouched()) << text_of(shape);
}

// Each quarter of an image to another place, one of them upside down; and one row to all.
void check_copies(Place place, const Shape& shape, Layout layout) {
    const int rows = shape.height / 2;
    const int columns = shape.width / 2;
    if (rows == 0 || columns == 0) return;
    const Shape half{columns, rows, shape.channels, shape.type};
    std::vector<TestPlane> planes =
        planes_of(noise_plane(shape, layout, 12), TestPlane(half, Layout::padded, kUnwritten),
                  TestPlane(half, Layout::misaligned, kUnwritten),
                  TestPlane(half, Layout::padded, kUnwritten));
    run_on(place, planes, [&](const Views& v, StreamView stream) {
        ImageView lower = columns_of(v[0], 1, columns);
        lower.data = lower.row(shape.height - 1);
        lower.pitch_bytes = -lower.pitch_bytes;
        lower.height = rows;
        ImageView upper = columns_of(v[0], 0, columns);
        upper.height = rows;
        ImageView row = upper;
        row.pitch_bytes = 0;
        const CopiedImage images[] = {{upper, v[1]}, {lower, v[2]}, {row, v[3]}};
        EXPECT_EQ(copy_images(images, stream), 1);
    });
    const std::vector<double> from = planes[0].samples();
    const std::vector<double> upper = planes[1].samples(), lower = planes[2].samples(),
                              row = planes[3].samples();
    const int samples = columns * shape.channels;
    for (int y = 0; y < rows; ++y)
        for (int x = 0; x < samples; ++x) {
            const auto at = [&](int line, int sample) {
                return from[static_cast<std::size_t>(line * shape.width * shape.channels + sample)];
            };
            const auto k = static_cast<std::size_t>(y * samples + x);
            ASSERT_EQ(upper[k], at(y, x)) << text_of(shape);
            ASSERT_EQ(lower[k], at(shape.height - 1 - y, x + shape.channels)) << text_of(shape);
            ASSERT_EQ(row[k], at(0, x)) << text_of(shape);
        }
    for (std::size_t k = 1; k < 4; ++k)
        EXPECT_TRUE(planes[k].surroundings_untouched()) << text_of(shape);
}

using Copy = void (*)(const ImageView& src, const ImageView& dst, StreamView stream);

void check_copy(Copy copy, Place place, const Shape& shape, Layout layout) {
    for (const Layout target : kLayouts) {
        std::vector<TestPlane> planes =
            planes_of(noise_plane(shape, layout, 8), TestPlane(shape, target, kUnwritten));
        run_on(place, planes, [&](const Views& v, StreamView stream) { copy(v[0], v[1], stream); });
        EXPECT_EQ(planes[0].samples(), planes[1].samples()) << text_of(shape);
        EXPECT_TRUE(planes[1].surroundings_untouched()) << text_of(shape);
    }
}

void check_everything(Place place) {
    for_each_shape([&](const Shape& shape, Layout layout) {
        for (const BlendCase& blend : blend_cases()) check_blend(place, blend, shape, layout);
        check_luma(place, shape, layout);
        check_spread_and_fill(place, shape, layout);
        check_extract(place, shape, layout);
        for (const int part_width : {3, 41, 4096}) {
            check_mix(place, shape, Layout::padded, Layout::padded, part_width);
            check_mix(place, shape, layout, Layout::misaligned, part_width);
        }
        check_copies(place, shape, layout);
        check_copy(copy_image, place, shape, layout);
        if (place == Place::gpu) check_copy(copy_by_kernel, place, shape, layout);
    });
}

template <class Call>
std::string refusal(const Call& call) {
    try {
        call();
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
    return "accepted";
}

}  // namespace

class GpuPixelOps : public NeedsGpu<testing::Test> {};

TEST(KernelsPixelOps, MatchPlainLoops) {
    check_everything(Place::cpu);
}

TEST_F(GpuPixelOps, MatchPlainLoops) {
    check_everything(Place::gpu);
}

// Padded rows of these widths begin at multiples of 16 bytes, which the kernel takes.
TEST_F(GpuPixelOps, TheKernelCopiesWholeWordsAndTheRest) {
    for (const PixelType type : kTypes)
        for (const int width : {3, 19, 499, 1011, 2035})
            for (const int height : {1, 3, 4, 5, 33})
                check_copy(copy_by_kernel, Place::gpu, {width, height, 1, type}, Layout::padded);
}

// Rows of different pitch on both sides, both directions, through pageable memory.
TEST_F(GpuPixelOps, CopyBetweenHostAndDevice) {
    use_device(first_gpu());
    const Stream stream;
    for_each_shape([&](const Shape& shape, Layout layout) {
        const TestPlane source = noise_plane(shape, layout, 9);
        const TestPlane back(shape, Layout::padded, kUnwritten);
        const ImageBuffer device(shape.width, shape.height, shape.channels, shape.type,
                                 Allocation::device);
        copy_image(source.view(), device.view(), stream.view());
        copy_image(device.view(), back.view(), stream.view());
        stream.synchronize();
        EXPECT_EQ(source.samples(), back.samples()) << text_of(shape);
        EXPECT_TRUE(back.surroundings_untouched()) << text_of(shape);
    });
}

TEST(KernelsPixelOps, FillRoundsAndSaturates) {
    TestPlane plane({5, 2, 1, PixelType::u8}, Layout::tight, kUnwritten);
    for (const auto& [value, want] : {std::pair{127.5F, 128.0}, {300.0F, 255.0}, {-1.0F, 0.0}}) {
        fill_channels(plane.view(), value, 1U, nullptr);
        EXPECT_EQ(plane.samples(), std::vector<double>(10, want));
    }
}

TEST(KernelsPixelOps, UnspecifiedMatrixIsBt709From720Lines) {
    TestPlane rgb({1, 720, 3, PixelType::u8}, Layout::tight, kUnwritten);
    TestPlane luma({1, 720, 1, PixelType::u8}, Layout::tight, kUnwritten);
    fill_channels(rgb.view(), 0.0F, 0x7, nullptr);
    fill_channels(rgb.view(), 255.0F, 0x2, nullptr);
    const ImageView v = rgb.view();
    extract_luma({v, 0}, {v, 1}, {v, 2}, ColorMatrix::unspecified, luma.view(), nullptr);
    EXPECT_EQ(luma.samples().front(), 182);  // 0.7152 * 255 = 182.4; BT.601 would give 150
}

TEST(KernelsPixelOps, RefuseWithASentence) {
    const TestPlane a({8, 4, 3, PixelType::u8}, Layout::tight, kUnwritten);
    const TestPlane b({8, 5, 3, PixelType::u8}, Layout::tight, kUnwritten);
    const TestPlane luma({8, 4, 1, PixelType::u8}, Layout::tight, kUnwritten);
    const std::vector<ImageView> one = {a.view()};
    EXPECT_EQ(refusal([&] {
                  blend_frames({.weights = {1, -1}}, one, a.view(), 255, 7, nullptr);
              }),
              "blend: 1 frames for 2 weights");
    EXPECT_EQ(refusal([&] { blend_frames({.weights = {1}}, one, b.view(), 255, 7, nullptr); }),
              "blend: images differ: 8×4 u8×3 in host memory and 8×5 u8×3 in host memory");
    EXPECT_EQ(refusal([&] { copy_image(a.view(), b.view(), nullptr); }),
              "copy: images differ: 8×4 u8×3 in host memory and 8×5 u8×3 in host memory");
    EXPECT_EQ(refusal([&] { spread_luma(a.view(), a.view(), 7, nullptr); }),
              "luma: luma has one channel, not 3");
    const ChannelView bad{a.view(), 3};
    EXPECT_EQ(
        refusal([&] { extract_luma(bad, bad, bad, ColorMatrix::bt709, luma.view(), nullptr); }),
        "luma: channel 3 of an image with 3");
    EXPECT_EQ(refusal([&] { extract_channel(bad, 0, luma.view(), nullptr); }),
              "channel: channel 3 of an image with 3");
    EXPECT_EQ(refusal([&] {
                  extract_channel({a.view(), 0}, 16, luma.view(), nullptr);
              }),
              "channel: u8 samples cannot be shifted by 16");
}

}  // namespace weft::test
