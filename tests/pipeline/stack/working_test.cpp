// Linear light, weighted alpha and dithering against their definitions, in double precision with
// the formulas of ITU-T H.273: whole pictures, regions, exact sums, and CPU against GPU.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/media/libav/error.h"
#include "app/pipeline/stack/stack_runner.h"
#include "tests/kernels/device/gpu.h"
#include "tests/pipeline/stack/random_stack.h"

namespace weft::test {
namespace {

using C = Component;
using T = TransferFunction;

// ---- the definitions ---------------------------------------------------------------------------

struct Function {
    T transfer = T::srgb;
    std::function<double(double)> to_light, from_light;  // for x >= 0
};

Function power(T transfer, double gamma) {
    return {transfer, [=](double v) { return std::pow(v, gamma); },
            [=](double l) { return std::pow(l, 1 / gamma); }};
}

double pq_eotf(double v) {
    const double p = std::pow(v, 32.0 / 2523);
    return std::pow(std::max(p - 0.8359375, 0.0) / (18.8515625 - 18.6875 * p), 8192.0 / 1305);
}

const std::vector<Function>& functions() {
    static const double alpha = 1.099296826809442;
    static const double beta = 0.018053968510807;
    static const double pq_slope = (pq_eotf(1) - pq_eotf(1 - 1e-6)) / 1e-6;
    static const double a = 0.17883277, b = 0.28466892, c = 0.55991073;
    static const std::vector<Function> all{
        {T::bt709,
         [](double v) {
             return v < 4.5 * beta ? v / 4.5 : std::pow((v + alpha - 1) / alpha, 1 / 0.45);
         },
         [](double l) { return l < beta ? 4.5 * l : alpha * std::pow(l, 0.45) - alpha + 1; }},
        {T::srgb,
         [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); },
         [](double l) {
             return l <= 0.0031308 ? 12.92 * l : 1.055 * std::pow(l, 1 / 2.4) - 0.055;
         }},
        power(T::gamma22, 2.2),
        power(T::gamma28, 2.8),
        {T::pq, [](double v) { return v <= 1 ? pq_eotf(v) : 1 + (v - 1) * pq_slope; },
         [](double l) {
             if (l > 1) return 1 + (l - 1) / pq_slope;
             const double p = std::pow(l, 1305.0 / 8192);
             return std::pow((0.8359375 + 18.8515625 * p) / (1 + 18.6875 * p), 2523.0 / 32);
         }},
        {T::hlg, [](double v) { return v <= 0.5 ? v * v / 3 : (std::exp((v - c) / a) + b) / 12; },
         [](double l) { return l <= 1.0 / 12 ? std::sqrt(3 * l) : a * std::log(12 * l - b) + c; }},
        power(T::linear, 1)};
    return all;
}

const Function& function_of(T transfer) {
    return *std::ranges::find(functions(), transfer, &Function::transfer);
}

double odd(const std::function<double(double)>& f, double x) {
    return std::copysign(f(std::fabs(x)), x);
}

// One value per pixel.
struct Image {
    int width = 0, height = 0;
    std::vector<double> v;

    double& at(int x, int y) { return v[static_cast<std::size_t>(y * width + x)]; }
    double at(int x, int y) const { return v[static_cast<std::size_t>(y * width + x)]; }
};

int mirrored(int i, int n) {
    while (i < 0 || i >= n) i = i < 0 ? -i : 2 * n - 2 - i;
    return n == 1 ? 0 : i;
}

// The mean by the weights of a row and a column, around their middle.
Image filtered(const Image& in, const std::vector<double>& weights) {
    const int reach = static_cast<int>(weights.size()) / 2;
    Image across = in;
    Image out = in;
    for (int y = 0; y < in.height; ++y)
        for (int x = 0; x < in.width; ++x) {
            double sum = 0;
            for (int k = -reach; k <= reach; ++k)
                sum += weights[static_cast<std::size_t>(k + reach)] *
                       in.at(in.width == 1 ? 0 : mirrored(x + k, in.width), y);
            across.at(x, y) = sum;
        }
    for (int y = 0; y < in.height; ++y)
        for (int x = 0; x < in.width; ++x) {
            double sum = 0;
            for (int k = -reach; k <= reach; ++k)
                sum += weights[static_cast<std::size_t>(k + reach)] *
                       across.at(x, in.height == 1 ? 0 : mirrored(y + k, in.height));
            out.at(x, y) = sum;
        }
    return out;
}

std::vector<double> box_weights(int reach) {
    return std::vector<double>(static_cast<std::size_t>(2 * reach + 1), 1.0 / (2 * reach + 1));
}

std::vector<double> gaussian_weights(double sigma) {
    const int reach = static_cast<int>(std::ceil(5 * sigma));  // as for samples above 8 bits
    std::vector<double> weights;
    double sum = 0;
    for (int k = -reach; k <= reach; ++k) {
        weights.push_back(std::exp(-k * k / (2 * sigma * sigma)));
        sum += weights.back();
    }
    for (double& w : weights) w /= sum;
    return weights;
}

// ---- frames ------------------------------------------------------------------------------------

struct Format {
    std::string name;
    int depth = 8;
    std::vector<std::vector<C>> planes;
    int columns = 1, rows = 1;  // of chroma
    bool full_range = true;
};

const std::vector<Format>& formats() {
    static const std::vector<std::vector<C>> yuv = {{C::y}, {C::u}, {C::v}};
    static const std::vector<Format> all{
        {"gray", 8, {{C::y}}},
        {"ya8", 8, {{C::y, C::a}}},
        {"yuv420p", 8, yuv, 2, 2, false},
        {"yuv410p", 8, yuv, 4, 4, false},
        {"nv12", 8, {{C::y}, {C::u, C::v}}, 2, 2, false},
        {"yuvj422p", 8, yuv, 2, 1},
        {"yuva420p", 8, {{C::y}, {C::u}, {C::v}, {C::a}}, 2, 2, false},
        {"yuv420p10", 10, yuv, 2, 2, false},
        {"yuva444p12", 12, {{C::y}, {C::u}, {C::v}, {C::a}}, 1, 1, false},
        {"rgb24", 8, {{C::r, C::g, C::b}}},
        {"bgra", 8, {{C::b, C::g, C::r, C::a}}},
        {"gbrap10", 10, {{C::g}, {C::b}, {C::r}, {C::a}}},
        {"rgba64", 16, {{C::r, C::g, C::b, C::a}}},
        {"rgbaf32", 32, {{C::r, C::g, C::b, C::a}}},
    };
    return all;
}

FrameInfo info_of(const Format& format, int width, int height) {
    FrameInfo info;
    info.width = width;
    info.height = height;
    info.sample = format.depth == 32 ? SampleType::f32
                  : format.depth > 8 ? SampleType::u16
                                     : SampleType::u8;
    info.depth_bits = format.depth;
    info.full_range = format.full_range;
    for (const std::vector<C>& components : format.planes) {
        const bool chroma = components[0] == C::u || components[0] == C::v;
        info.planes.push_back({chroma ? (width + format.columns - 1) / format.columns : width,
                               chroma ? (height + format.rows - 1) / format.rows : height,
                               components});
    }
    return info;
}

bool has(const FrameInfo& info, C component) {
    for (const PlaneInfo& plane : info.planes)
        if (std::ranges::find(plane.components, component) != plane.components.end()) return true;
    return false;
}

// sample = zero + range * value, by H.273.
struct Scale {
    double zero = 0, range = 1;
};

Scale scale_of(C c, const FrameInfo& info) {
    if (info.sample == SampleType::f32) return {0, 1};
    const double max = std::pow(2, info.depth_bits) - 1;
    const double step = std::pow(2, info.depth_bits - 8);
    const bool chroma = c == C::u || c == C::v;
    if (c == C::a) return {0, max};
    if (info.full_range) return {chroma ? 128 * step : 0, max};
    return chroma ? Scale{128 * step, 224 * step} : Scale{16 * step, 219 * step};
}

struct Luma {
    double r = 0, g = 0, b = 0;
};

Luma luma_of(ColorMatrix matrix) {
    if (matrix == ColorMatrix::bt709) return {0.2126, 0.7152, 0.0722};
    return matrix == ColorMatrix::bt601 ? Luma{0.299, 0.587, 0.114} : Luma{0.2627, 0.678, 0.0593};
}

// The pixels that a sample covers: 1, 2 or 4, of which the last may lack some.
int covered(int pixels, int samples) {
    for (const int n : {1, 2})
        if ((pixels + n - 1) / n == samples) return n;
    return 4;
}

// Samples of a frame: one list per plane, row by row, channels interleaved.
using Frame = std::vector<std::vector<double>>;

// The values of one component for each pixel.
Image values_of(const Frame& frame, const FrameInfo& info, C component, bool scaled) {
    Image image{info.width, info.height,
                std::vector<double>(static_cast<std::size_t>(info.width * info.height))};
    for (std::size_t p = 0; p < info.planes.size(); ++p) {
        const PlaneInfo& plane = info.planes[p];
        for (std::size_t k = 0; k < plane.components.size(); ++k) {
            if (plane.components[k] != component) continue;
            const int columns = covered(info.width, plane.width);
            const int rows = covered(info.height, plane.height);
            const Scale scale = scaled ? scale_of(component, info) : Scale{};
            for (int y = 0; y < info.height; ++y)
                for (int x = 0; x < info.width; ++x) {
                    const int at = (y / rows) * plane.width + x / columns;
                    const double s =
                        frame[p][static_cast<std::size_t>(at) * plane.components.size() + k];
                    image.at(x, y) = (s - scale.zero) / scale.range;
                }
        }
    }
    return image;
}

// Colours of flat blocks with a little noise, some of them black, white or transparent.
Frame drawn_frame(const FrameInfo& info, Dice& dice) {
    const auto block = [&](int x, int y, int c) {
        Dice colour(static_cast<std::uint32_t>((x / 6) * 977 + (y / 6) * 31 + c * 7 + 1));
        const int kind = colour.below(6);
        return kind == 0 ? 0.0 : kind == 1 ? 1.0 : colour.fraction();
    };
    const Luma luma = luma_of(info.matrix);
    Frame frame;
    for (const PlaneInfo& plane : info.planes) {
        const int columns = covered(info.width, plane.width);
        const int rows = covered(info.height, plane.height);
        std::vector<double> samples;
        for (int y = 0; y < plane.height; ++y)
            for (int x = 0; x < plane.width; ++x)
                for (const C c : plane.components) {
                    std::array<double, 4> v{};
                    for (int k = 0; k < 4; ++k)
                        v[static_cast<std::size_t>(k)] = std::clamp(
                            block(x * columns, y * rows, k) + 0.02 * dice.fraction(), 0.0, 1.0);
                    const double y1 = luma.r * v[0] + luma.g * v[1] + luma.b * v[2];
                    const double value = c == C::y   ? y1
                                         : c == C::u ? (v[2] - y1) / (2 - 2 * luma.b)
                                         : c == C::v ? (v[0] - y1) / (2 - 2 * luma.r)
                                         : c == C::r ? v[0]
                                         : c == C::g ? v[1]
                                         : c == C::b ? v[2]
                                                     : v[3];
                    const Scale scale = scale_of(c, info);
                    const double s = scale.zero + scale.range * value;
                    samples.push_back(info.sample == SampleType::f32 ? static_cast<float>(s)
                                                                     : std::nearbyint(s));
                }
        frame.push_back(std::move(samples));
    }
    return frame;
}

// ---- the step in double ------------------------------------------------------------------------

struct Wanted {
    bool linear = false, weighted = false;
    std::vector<double> weights;
    bool alpha_filtered = false;  // planes=all leaves it alone
};

// The samples of the step's result before they are rounded, and where they are the source's.
struct Result {
    Frame samples;
    std::vector<std::vector<bool>> kept;
};

Result wanted_result(const Frame& source, const FrameInfo& info, const Wanted& how) {
    const bool yuv = has(info, C::u);
    const bool weighted = how.weighted && has(info, C::a);
    const Function& light = function_of(how.linear ? info.transfer : T::linear);
    const Luma luma = luma_of(info.matrix);
    std::vector<C> colours = yuv               ? std::vector{C::y, C::u, C::v}
                             : has(info, C::y) ? std::vector{C::y}
                                               : std::vector{C::r, C::g, C::b};
    std::vector<Image> v;
    for (const C c : colours) v.push_back(values_of(source, info, c, true));
    const std::size_t pixels = v[0].v.size();
    if (yuv)
        for (std::size_t i = 0; i < pixels; ++i) {
            const double y = v[0].v[i], u = v[1].v[i], w = v[2].v[i];
            v[0].v[i] = y + 2 * (1 - luma.r) * w;
            v[2].v[i] = y + 2 * (1 - luma.b) * u;
            v[1].v[i] = (y - luma.r * v[0].v[i] - luma.b * v[2].v[i]) / luma.g;
        }
    const Image alpha = weighted ? values_of(source, info, C::a, true) : Image{};
    const Image reach = weighted ? filtered(alpha, how.weights) : Image{};
    for (Image& image : v) {
        for (std::size_t i = 0; i < pixels; ++i)
            image.v[i] = odd(light.to_light, image.v[i]) * (weighted ? alpha.v[i] : 1);
        image = filtered(image, how.weights);
        for (std::size_t i = 0; i < pixels; ++i)
            image.v[i] = odd(light.from_light, image.v[i] / (weighted ? reach.v[i] : 1));
    }
    const auto visible = [&](std::size_t i) { return !weighted || reach.v[i] > 1e-5; };
    if (yuv)
        for (std::size_t i = 0; i < pixels; ++i) {
            const double r = v[0].v[i], g = v[1].v[i], b = v[2].v[i];
            const double y = luma.r * r + luma.g * g + luma.b * b;
            v[0].v[i] = y;
            v[1].v[i] = (b - y) / (2 - 2 * luma.b);
            v[2].v[i] = (r - y) / (2 - 2 * luma.r);
        }
    Result result{source, {}};
    for (std::size_t p = 0; p < info.planes.size(); ++p) {
        const PlaneInfo& plane = info.planes[p];
        const int columns = covered(info.width, plane.width);
        const int rows = covered(info.height, plane.height);
        result.kept.emplace_back(source[p].size(), true);
        for (std::size_t at = 0; at < source[p].size(); ++at) {
            const C c = plane.components[at % plane.components.size()];
            const auto found = std::ranges::find(colours, c);
            if (found == colours.end()) continue;
            const Image& image = v[static_cast<std::size_t>(found - colours.begin())];
            const int sample = static_cast<int>(at / plane.components.size());
            double sum = 0;
            int count = 0;
            for (int y = sample / plane.width * rows; y < sample / plane.width * rows + rows; ++y)
                for (int x = sample % plane.width * columns;
                     x < sample % plane.width * columns + columns; ++x) {
                    if (x >= info.width || y >= info.height) continue;
                    const auto i = static_cast<std::size_t>(y * info.width + x);
                    if (!visible(i)) continue;
                    sum += image.v[i];
                    ++count;
                }
            if (count == 0) continue;
            const Scale scale = scale_of(c, info);
            result.samples[p][at] = scale.zero + scale.range * sum / count;
            result.kept[p][at] = false;
        }
    }
    return result;
}

// ---- the product -------------------------------------------------------------------------------

Frame run(const std::string& step, const FrameInfo& info, const Frame& source, const Device& device,
          Sums sums = Sums::as_given) {
    StackRunner runner(plan_stack(parse_stack(step), info, device, {}, sums));
    auto in = blank_planes(info);
    auto out = blank_planes(info);
    for (std::size_t p = 0; p < source.size(); ++p) in[p].set(source[p]);
    runner.run(views_of(in), views_of(out));
    Frame result;
    for (const TestPlane& plane : out) {
        EXPECT_TRUE(plane.surroundings_untouched()) << step;
        result.push_back(plane.samples());
    }
    return result;
}

struct Case {
    std::string text, name;
    FrameInfo info;
    Frame source;
    Wanted wanted;
};

Case drawn_case(std::uint32_t seed) {
    Dice dice(seed);
    Case c;
    const Format& format = dice.of(formats());
    c.info = info_of(format, 1 + dice.below(75), 1 + dice.below(50));
    c.info.transfer = dice.of(functions()).transfer;
    c.info.matrix = std::array{ColorMatrix::bt601, ColorMatrix::bt709,
                               ColorMatrix::bt2020}[static_cast<std::size_t>(dice.below(3))];
    c.source = drawn_frame(c.info, dice);
    c.wanted.linear = !has(c.info, C::a) || dice.below(4) != 0;
    c.wanted.weighted = has(c.info, C::a) && (!c.wanted.linear || dice.below(2) == 0);
    const int reach = 1 + dice.below(4);
    const double sigma = 0.5 + dice.below(5) * 0.5;
    const bool box = dice.below(2) == 0;
    c.wanted.weights = box ? box_weights(reach) : gaussian_weights(sigma);
    c.text = box ? fmt::format("box={}", reach) : fmt::format("gaussian={}", sigma);
    if (c.wanted.linear) c.text += ":light=linear";
    if (c.wanted.weighted) c.text += ":alpha=weighted";
    c.name = fmt::format("case {}: {} on {} {}x{}, transfer {}", seed, c.text, format.name,
                         c.info.width, c.info.height, static_cast<int>(c.info.transfer));
    return c;
}

double max_of(const FrameInfo& info) {
    return info.sample == SampleType::f32 ? 1 : std::pow(2, info.depth_bits) - 1;
}

// The lines of the two curves err by up to 4e-6 of a value, and fp32 sums by less.
void expect_near(const Case& c, const Frame& got, double extra) {
    const Result want = wanted_result(c.source, c.info, c.wanted);
    const bool is_float = c.info.sample == SampleType::f32;
    const double allowed = (is_float ? 0 : 0.5) + extra * max_of(c.info);
    for (std::size_t p = 0; p < got.size(); ++p)
        for (std::size_t k = 0; k < got[p].size(); ++k) {
            double value = want.samples[p][k];
            if (!is_float) value = std::clamp(value, 0.0, max_of(c.info));
            const double most = want.kept[p][k] ? 0 : allowed;
            if (std::fabs(got[p][k] - value) <= most) continue;
            ADD_FAILURE() << c.name << "\n  plane " << p << ", sample " << k << ": " << got[p][k]
                          << ", expected " << value << " from " << c.source[p][k];
            return;
        }
}

constexpr double kLargestError = 6e-6;

class GpuWorking : public NeedsGpu<testing::Test> {};

void check_random_cases(const Device& device, int cases) {
    for (int k = 0; k < cases; ++k) {
        const Case c = drawn_case(static_cast<std::uint32_t>(k));
        expect_near(c, run(c.text, c.info, c.source, device), kLargestError);
    }
}

// ---- regions -----------------------------------------------------------------------------------

// A region that a step with exact sums filters has the bits of the whole picture's filter, and the
// others have the input's, for any crop.
void check_regions(const Device& device, int cases) {
    int checked = 0;
    for (int k = 0; k < cases; ++k) {
        Case c = drawn_case(static_cast<std::uint32_t>(10'000 + k));
        Dice dice(static_cast<std::uint32_t>(k));
        // Room for crops, also of even sizes, which are not taken whole.
        c.info = info_of(dice.of(formats()), 4 * (30 + dice.below(40)) + dice.below(2),
                         4 * (15 + dice.below(30)));
        c.info.transfer = dice.below(2) == 0 ? T::srgb : T::bt709;
        c.source = drawn_frame(c.info, dice);
        if (c.info.sample == SampleType::f32) continue;
        if (c.info.depth_bits == 8 && dice.below(2) == 0) c.text += ":dither=ordered";
        const int width = 1 + dice.below(30), height = 1 + dice.below(20);
        const int left = dice.below(c.info.width), top = dice.below(c.info.height);
        const std::string step =
            fmt::format("{}:region={}x{}+{}+{}", c.text, width, height, left, top);
        const Frame whole = run(c.text, c.info, c.source, device, Sums::exact);
        const Frame part = run(step, c.info, c.source, device, Sums::exact);
        for (std::size_t p = 0; p < c.info.planes.size(); ++p) {
            const PlaneInfo& plane = c.info.planes[p];
            const int columns = covered(c.info.width, plane.width);
            const int rows = covered(c.info.height, plane.height);
            Frame wanted = c.source;
            for (std::size_t at = 0; at < part[p].size(); ++at) {
                const int sample = static_cast<int>(at / plane.components.size());
                const int x = sample % plane.width * columns;
                const int y = sample / plane.width * rows;
                const bool inside =
                    x < left + width && x + columns > left && y < top + height && y + rows > top;
                if (inside) wanted[p][at] = whole[p][at];
            }
            EXPECT_EQ(part[p], wanted[p]) << step << " on " << c.name << ", plane " << p;
        }
        ++checked;
    }
    EXPECT_GT(checked, cases / 2);
}

// ---- dithering ---------------------------------------------------------------------------------

// (k + 1/2) / 256 for the place, from its definition: the fraction of x / a + y / a² with a³ =
// a + 1, in whole 2^-32ths.
double threshold(int x, int y) {
    const double a = 1.32471795724474602596;
    const auto in_words = [](double share) {
        return static_cast<std::uint32_t>(std::llround(share * 4294967296.0));
    };
    const std::uint32_t place = static_cast<std::uint32_t>(x) * in_words(1 / a) +
                                static_cast<std::uint32_t>(y) * in_words(1 / a / a);
    return (static_cast<double>(place >> 24U) + 0.5) / 256;
}

}  // namespace

TEST(PipelineWorking, RegionsHaveTheBitsOfTheWholePicture) {
    check_regions(cpu_device(), 20);
}

TEST_F(GpuWorking, RegionsHaveTheBitsOfTheWholePicture) {
    check_regions(first_gpu(), 30);
}

TEST_F(GpuWorking, ExactSumsHaveTheBitsOfTheCpu) {
    for (std::uint32_t k = 0; k < 400; ++k) {
        Case c = drawn_case(20'000 + k);
        if (c.info.sample == SampleType::f32) continue;
        c.info.transfer = std::array{T::srgb, T::bt709, T::linear}[k % 3];
        if (k % 2 == 0) c.text += ":dither=ordered";
        EXPECT_EQ(run(c.text, c.info, c.source, first_gpu(), Sums::exact),
                  run(c.text, c.info, c.source, cpu_device(), Sums::exact))
            << c.name;
    }
}

// What exact sums hold in 16 bits is a few levels of 65,535 away.
TEST(PipelineWorking, ExactSumsAreNearTheDefinition) {
    for (std::uint32_t k = 0; k < 100; ++k) {
        Case c = drawn_case(30'000 + k);
        if (!c.wanted.linear || c.info.transfer == T::linear) continue;
        c.info.transfer = k % 2 == 0 ? T::srgb : T::bt709;
        if (c.info.depth_bits != 8 || c.wanted.weighted) continue;
        if (has(c.info, C::u)) continue;               // may be out of range
        if (c.text.starts_with("gaussian")) continue;  // is cut off at 4 sigma
        expect_near(c, run(c.text, c.info, c.source, cpu_device(), Sums::exact), 4e-3);
    }
}

TEST(PipelineWorking, ExactSumsAreTooCoarseForHdr) {
    FrameInfo info = info_of(formats()[7], 8, 8);
    for (const T transfer : {T::pq, T::hlg, T::gamma22}) {
        info.transfer = transfer;
        EXPECT_THROW(
            plan_stack(parse_stack("box=1:light=linear"), info, cpu_device(), {}, Sums::exact),
            Error);
    }
}

// Red on transparent black stays red, whatever its share.
TEST(PipelineWorking, WeightedColoursHaveNoFringe) {
    const FrameInfo info = info_of(formats()[10], 9, 1);  // bgra
    Frame source(1);
    for (int x = 0; x < 9; ++x)
        for (const double v : {0.0, 0.0, x == 4 ? 200.0 : 0.0, x == 4 ? 255.0 : 0.0})
            source[0].push_back(v);
    const Frame got = run("box=2:alpha=weighted:planes=all+a", info, source, cpu_device());
    for (int x = 0; x < 9; ++x) {
        const bool near = x >= 2 && x <= 6;
        const auto at = static_cast<std::size_t>(4 * x);
        EXPECT_EQ(got[0][at + 2], near ? 200 : 0) << x;
        EXPECT_EQ(got[0][at + 3], near ? 51 : 0) << x;
    }
}

// White light of a pixel among black ones: a ninth of it, and not a ninth of its stored value.
TEST(PipelineWorking, LinearLightKeepsTheLightOfASpark) {
    FrameInfo info = info_of(formats()[0], 3, 3);
    info.transfer = T::srgb;
    Frame source{{0, 0, 0, 0, 255, 0, 0, 0, 0}};
    const double ninth = std::nearbyint(255 * (1.055 * std::pow(1 / 9.0, 1 / 2.4) - 0.055));
    EXPECT_EQ(run("box=1:light=linear:border=constant", info, source, cpu_device())[0],
              std::vector<double>(9, ninth));
    // Outside is the light of level 255.
    const Frame bright =
        run("box=1:light=linear:border=constant:border_value=255", info, source, cpu_device());
    EXPECT_EQ(bright[0][0], std::nearbyint(255 * (1.055 * std::pow(6 / 9.0, 1 / 2.4) - 0.055)));
}

TEST(PipelineWorking, DithersByThePlaceAlone) {
    const FrameInfo info = info_of(formats()[0], 40, 30);
    Dice dice(5);
    const Frame source = drawn_frame(info, dice);
    const Image want = filtered(values_of(source, info, C::y, false), box_weights(1));
    const Frame got = run("box=1:dither=ordered", info, source, cpu_device());
    EXPECT_EQ(got, run("box=1:dither=ordered", info, source, cpu_device(), Sums::exact));
    int up = 0;
    for (int y = 0; y < 30; ++y)
        for (int x = 0; x < 40; ++x) {
            const double expected = std::floor(want.at(x, y) + threshold(x, y));
            EXPECT_EQ(got[0][static_cast<std::size_t>(40 * y + x)], expected) << x << ", " << y;
            up += expected > std::nearbyint(want.at(x, y)) ? 1 : 0;
        }
    EXPECT_GT(up, 50);
}

// Over many pixels the pattern shows the fraction: levels of 100 and 101 in shares of 8.
TEST(PipelineWorking, DitheringShowsTheFraction) {
    const FrameInfo info = info_of(formats()[0], 64, 64);
    const Frame source{std::vector<double>(64 * 64, 10)};
    for (int eighths = 0; eighths <= 8; ++eighths) {
        const Frame got = run(fmt::format("convolve=matrix={}:dither=ordered", 10 + eighths / 80.0),
                              info, source, cpu_device());
        double sum = 0;
        for (const double v : got[0]) {
            EXPECT_TRUE(v == 100 || v == 101) << v;
            sum += v;
        }
        EXPECT_NEAR(sum / (64 * 64), 100 + eighths / 8.0, 0.01);
    }
}

TEST(PipelineWorking, DeeperSamplesAreNotDithered) {
    const FrameInfo info = info_of(formats()[7], 16, 8);
    const StackPlan plan = plan_stack(parse_stack("box=1:dither=ordered"), info, cpu_device());
    EXPECT_FALSE(plan.steps[0].working);
    EXPECT_THAT(plan.steps[0].notes, testing::Contains(testing::HasSubstr("8 bits")));
}

// Steps that compute other things than convolutions of planes: luma of RGB, neutral chroma, sums of
// r, g and b, magnitudes, and blends in time.
TEST(PipelineWorking, DitheringChangesALevelAtMost) {
    Dice dice(9);
    for (const Format& format : formats()) {
        if (format.depth != 8) continue;
        const FrameInfo info = info_of(format, 21, 14);
        const Frame source = drawn_frame(info, dice);
        for (const char* const step :
             {"sobel=scale=0.3", "sobel=planes=all", "unsharp=amount=0.7", "emboss",
              "temporal_average=3", "frame_difference", "fill=color=red", "gaussian=1:planes=luma",
              "laplacian=scale=0.21"}) {
            const std::string text(step);
            const std::string dithered =
                text + (text.find('=') == std::string::npos ? "=" : ":") + "dither=ordered";
            const Frame plain = run(text, info, source, cpu_device());
            const Frame got = run(dithered, info, source, cpu_device());
            for (std::size_t p = 0; p < got.size(); ++p)
                for (std::size_t k = 0; k < got[p].size(); ++k)
                    // Luma of RGB is not rounded before it is filtered, either, and edges gain.
                    ASSERT_LE(std::fabs(got[p][k] - plain[p][k]), has(info, C::r) ? 8 : 1)
                        << dithered << " on " << format.name << ", plane " << p << ", " << k;
        }
    }
}

TEST(PipelineWorking, IsTheDefinitionInDouble) {
    check_random_cases(cpu_device(), 150);
}

TEST_F(GpuWorking, IsTheDefinitionInDouble) {
    check_random_cases(first_gpu(), 100);
}

}  // namespace weft::test
