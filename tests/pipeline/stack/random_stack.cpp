#include "tests/pipeline/stack/random_stack.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "app/pipeline/stack/stack_plan.h"
#include "filters/filter.h"
#include "kernels/pixel_type.h"

namespace weft::test {
namespace {

constexpr std::byte kPoison{0xFF};

struct Format {
    std::string_view name;
    SampleType sample = SampleType::u8;
    int depth = 8;
    std::vector<std::vector<Component>> planes;
    bool half_chroma = false;  // planes after the first have half the width and height
};

const std::vector<Format>& formats() {
    using C = Component;
    using S = SampleType;
    static const std::vector<std::vector<C>> yuv = {{C::y}, {C::u}, {C::v}};
    static const std::vector<Format> list = {
        {"gray", S::u8, 8, {{C::y}}},
        {"yuv420p", S::u8, 8, yuv, true},
        {"nv12", S::u8, 8, {{C::y}, {C::u, C::v}}, true},
        {"yuva444p", S::u8, 8, {{C::y}, {C::u}, {C::v}, {C::a}}},
        {"rgb24", S::u8, 8, {{C::r, C::g, C::b}}},
        {"rgba", S::u8, 8, {{C::r, C::g, C::b, C::a}}},
        {"gbrp", S::u8, 8, {{C::g}, {C::b}, {C::r}}},
        {"gray10", S::u16, 10, {{C::y}}},
        {"yuv420p10", S::u16, 10, yuv, true},
        {"gray12", S::u16, 12, {{C::y}}},
        {"gbrp12", S::u16, 12, {{C::g}, {C::b}, {C::r}}},
        {"gray16", S::u16, 16, {{C::y}}},
        {"rgba64", S::u16, 16, {{C::r, C::g, C::b, C::a}}},
        {"grayf32", S::f32, 32, {{C::y}}},
        {"gbrpf32", S::f32, 32, {{C::g}, {C::b}, {C::r}}},
        {"rgbaf32", S::f32, 32, {{C::r, C::g, C::b, C::a}}},
    };
    return list;
}

FrameInfo info_of(const Format& format, int width, int height) {
    FrameInfo info;
    info.width = width;
    info.height = height;
    info.sample = format.sample;
    info.depth_bits = format.depth;
    for (const std::vector<Component>& components : format.planes) {
        const bool half = format.half_chroma && !info.planes.empty();
        info.planes.push_back(
            {half ? (width + 1) / 2 : width, half ? (height + 1) / 2 : height, components});
    }
    return info;
}

// ---- parameters --------------------------------------------------------------------------------

double drawn_number(const ParamDef& param, Dice& dice) {
    switch (dice.below(8)) {
        case 0:
            return param.min;
        case 1:
            return param.max;
        case 2:
        case 3:
            return param.min + (param.max - param.min) * dice.fraction();
        case 4:
        case 5: {  // by its magnitude: most ranges are used near zero
            const double most = std::max(std::fabs(param.min), std::fabs(param.max));
            const double size = std::max(most, 1e-3) * std::pow(10.0, -5.0 * dice.fraction());
            return std::clamp(dice.below(3) == 0 ? -size : size, param.min, param.max);
        }
        default:
            return std::clamp(param.def * (0.5 + 1.5 * dice.fraction()), param.min, param.max);
    }
}

// Numbers of a matrix: whole or fractional, of one sign or both, many zeros or all the same. Half
// of the matrices get the scale that keeps results in range, where saturation does not hide errors.
std::string drawn_matrix(Dice& dice) {
    constexpr std::array kSides = {1, 2, 3, 3, 3, 4, 5, 5, 7, 9, 11, 15, 17, 25, 31, 45, 63};
    const int width = dice.of(kSides);
    const int height = dice.below(2) == 0 ? width : dice.of(kSides);
    const int kind = dice.below(6);
    const int limit = std::array{1, 9, 127, 400}[static_cast<std::size_t>(dice.below(4))];
    const auto whole = [&] { return dice.below(2 * limit + 1) - limit; };
    const double same = dice.fraction() * 4 - 1;
    const std::function<std::string()> draw = [&]() -> std::string {
        switch (kind) {
            case 0:
                return fmt::format("{}", whole());
            case 1:
                return fmt::format("{}", std::abs(whole()));
            case 2:
                return fmt::format("{}", dice.below(5) == 0 ? whole() : 0);
            case 3:
                return fmt::format("{:.5f}", same);
            case 4:
                return fmt::format("{:.5f}", dice.fraction());
            default:
                return fmt::format("{:.5f}", dice.fraction() * 3 - 1.5);
        }
    };
    std::string text;
    double sum = 0;
    for (int y = 0; y < height; ++y) {
        if (y > 0) text += "; ";
        for (int x = 0; x < width; ++x) {
            const std::string number = draw();
            sum += std::fabs(std::stod(number));
            text += (x > 0 ? " " : "") + number;
        }
    }
    if (dice.below(2) == 0 || sum == 0) return "'" + text + "'";
    return fmt::format("'{}':scale={:.9g}", text, 1.0 / sum);
}

std::string drawn_value(const ParamDef& param, Dice& dice) {
    constexpr std::array kPlanes = {"all", "luma", "yrgb", "0", "1", "2", "0+1", "yuv", "a", "15"};
    switch (param.kind) {
        case ParamKind::number:
            return fmt::format("{:.7g}", drawn_number(param, dice));
        case ParamKind::integer:
            return fmt::format("{}", std::lround(drawn_number(param, dice)));
        case ParamKind::boolean:
            return dice.below(2) == 0 ? "0" : "1";
        case ParamKind::choice:
            return std::string(dice.of(param.choices));
        case ParamKind::matrix:
            return drawn_matrix(dice);
        case ParamKind::planes:
            return dice.of(kPlanes);
        case ParamKind::text:
            return param.name == "color" ? "edge" : "";
        case ParamKind::file:
            return {};
    }
    return {};
}

// Where and when the step filters: sometimes, and in parts of the frame.
std::string drawn_where(const FrameInfo& info, Dice& dice) {
    std::string text;
    if (dice.below(8) == 0) text += ":enable='mod(n,2)'";
    if (dice.below(3) != 0) return text;
    for (int k = 0; k <= dice.below(3); ++k)
        text += fmt::format("{}{}x{}+{}+{}", k == 0 ? ":region=" : "|", 1 + dice.below(info.width),
                            1 + dice.below(info.height), dice.below(info.width),
                            dice.below(info.height));
    if (dice.below(2) == 0) text += ":shape=ellipse";
    if (dice.below(2) == 0) text += fmt::format(":feather={:.4g}", 20 * dice.fraction());
    if (dice.below(4) == 0) text += fmt::format(":grow={}%", dice.below(50));
    if (dice.below(5) == 0) text += ":invert=1";
    return text;
}

std::string drawn_step(const FrameInfo& info, Dice& dice) {
    const FilterDef& filter = dice.of(filters());
    std::string text(filter.name);
    std::string_view before = "=";
    for (const ParamDef& param : filter.params) {
        const bool needed = param.kind == ParamKind::matrix && param.inherits.empty();
        if (text.find(fmt::format(":{}=", param.name)) != std::string::npos) continue;
        if (!needed && dice.below(5) < 3) continue;
        const std::string value = drawn_value(param, dice);
        if (value.empty()) continue;
        text += fmt::format("{}{}={}", before, param.name, value);
        before = ":";
    }
    std::string where = drawn_where(info, dice);
    if (!where.empty() && before == "=") where[0] = '=';
    return text + where;
}

// ---- pictures ----------------------------------------------------------------------------------

// Values from 0 to 1 of one channel of a plane.
using Painter = std::function<double(int x, int y)>;

Painter signs_of(const ConvProblem& problem, int channel, bool inverse) {
    const Taps& t = problem.channel(channel).taps.front();
    return [&t, inverse](int x, int y) {
        const int i = x % t.width;
        const int j = y % t.height;
        const double w = t.dense() ? t.weights[static_cast<std::size_t>(j * t.width + i)]
                                   : static_cast<double>(t.row[static_cast<std::size_t>(i)]) *
                                         t.column[static_cast<std::size_t>(j)];
        return (w > 0) != inverse ? 1.0 : 0.0;
    };
}

Painter painter(Picture picture, const PlaneInfo& plane, Dice& dice) {
    const double low = dice.below(3) == 0 ? 0.0 : dice.fraction();
    const double high = dice.below(3) == 0 ? 1.0 : dice.fraction();
    const int x0 = dice.below(plane.width + 1);
    const int y0 = dice.below(plane.height + 1);
    const auto two = [low, high](bool first) { return first ? low : high; };
    switch (picture) {
        case Picture::flat:
            return [=](int, int) { return high; };
        case Picture::step_across:
            return [=](int x, int) { return two(x < x0); };
        case Picture::step_down:
            return [=](int, int y) { return two(y < y0); };
        case Picture::ramp: {
            const double dx = dice.fraction();
            const double dy = dice.fraction();
            const double span = std::max(dx * plane.width + dy * plane.height, 1.0);
            return [=](int x, int y) { return (dx * x + dy * y) / span; };
        }
        case Picture::disc: {
            const double radius = 1 + dice.fraction() * std::max(plane.width, plane.height) / 2;
            return [=](int x, int y) { return two(std::hypot(x - x0, y - y0) <= radius); };
        }
        case Picture::checker: {
            const int side = 1 + dice.below(9);
            return [=](int x, int y) { return two((x / side + y / side) % 2 == 0); };
        }
        case Picture::impulses:
            return [=, &dice](int, int) { return two(dice.below(40) != 0); };
        case Picture::saturated_noise:
            return [&dice](int, int) { return static_cast<double>(dice.below(2)); };
        case Picture::noise:
        case Picture::signs_of_taps:  // when the plane is not convolved
            return [&dice](int, int) { return dice.fraction(); };
    }
    return {};
}

void paint(TestPlane& plane, const RandomStack& random, const PlaneInfo& info,
           const ConvProblem* problem, Dice& dice) {
    const int channels = static_cast<int>(info.components.size());
    const bool is_float = random.info.sample == SampleType::f32;
    const double most = static_cast<double>(random.info.max_value());
    std::vector<Painter> painters;
    for (int c = 0; c < channels; ++c)
        painters.push_back(
            random.picture == Picture::signs_of_taps && problem != nullptr
                ? signs_of(*problem, std::min(c, problem->channels - 1), dice.below(2) == 0)
                : painter(random.picture, info, dice));
    std::vector<double> samples;
    for (int y = 0; y < info.height; ++y)
        for (int x = 0; x < info.width; ++x)
            for (const Painter& at : painters) {
                const double v = at(x, y) * most;
                samples.push_back(is_float ? static_cast<float>(v) : std::floor(v + 0.5));
            }
    plane.set(samples);
}

Shape shape_of(const PlaneInfo& plane, const FrameInfo& info) {
    return {plane.width, plane.height, static_cast<int>(plane.components.size()),
            pixel_type(info.sample)};
}

RandomStack drawn(std::uint32_t number, Dice& dice) {
    constexpr std::array kWidths = {1, 2, 3, 7, 16, 17, 31, 32, 33, 64, 65, 100, 257, 300};
    constexpr std::array kHeights = {1, 2, 3, 5, 8, 16, 17, 24, 33};
    const Format& format = dice.of(formats());
    RandomStack random;
    random.number = number;
    random.format = format.name;
    random.info = info_of(format, dice.of(kWidths), dice.of(kHeights));
    random.info.matrix = dice.below(2) == 0 ? ColorMatrix::bt709 : ColorMatrix::unspecified;
    random.info.full_range = dice.below(2) == 0;
    random.info.rotation_degrees = dice.below(4) == 0 ? 90 * dice.below(4) : 0;
    random.picture = static_cast<Picture>(dice.below(static_cast<int>(Picture::signs_of_taps) + 1));
    const int steps = 1 + std::max(dice.below(5) - 1, 0);
    for (int k = 0; k < steps; ++k)
        random.text += (k > 0 ? "," : "") + drawn_step(random.info, dice);
    random.stack = parse_stack(random.text);
    return random;
}

}  // namespace

std::string_view name_of(Picture picture) {
    switch (picture) {
        case Picture::flat:
            return "flat";
        case Picture::step_across:
            return "a step across";
        case Picture::step_down:
            return "a step down";
        case Picture::ramp:
            return "a ramp";
        case Picture::disc:
            return "a disc";
        case Picture::checker:
            return "a checker";
        case Picture::impulses:
            return "impulses";
        case Picture::saturated_noise:
            return "saturated noise";
        case Picture::noise:
            return "noise";
        case Picture::signs_of_taps:
            return "the signs of the taps";
    }
    return "unknown";
}

RandomStack random_stack(std::uint32_t number) {
    Dice dice(number);
    for (;;) {
        try {
            RandomStack random = drawn(number, dice);
            (void)plan_stack(random.stack, random.info, cpu_device());
            return random;
        } catch (const std::runtime_error&) {
            continue;  // parameters that conflict, or that do not suit such frames
        }
    }
}

std::string describe(const RandomStack& random) {
    std::string text = random.text;
    if (text.size() > 600) text = text.substr(0, 600) + "…";
    return fmt::format("case {}: {} on {}x{} {}, {}", random.number, text, random.info.width,
                       random.info.height, random.format, name_of(random.picture));
}

std::vector<TestPlane> random_planes(const RandomStack& random, int frame,
                                     const std::vector<const ConvProblem*>& first_problems) {
    Dice dice(random.number * 7 + static_cast<std::uint32_t>(frame) + 1);
    std::vector<TestPlane> planes;
    for (std::size_t p = 0; p < random.info.planes.size(); ++p) {
        const PlaneInfo& plane = random.info.planes[p];
        planes.emplace_back(shape_of(plane, random.info), dice.of(kLayouts), kPoison);
        paint(planes.back(), random, plane, p < first_problems.size() ? first_problems[p] : nullptr,
              dice);
    }
    return planes;
}

std::vector<TestPlane> blank_planes(const FrameInfo& info) {
    std::vector<TestPlane> planes;
    for (const PlaneInfo& plane : info.planes)
        planes.emplace_back(shape_of(plane, info), Layout::padded, kPoison);
    return planes;
}

std::vector<ImageView> views_of(const std::vector<TestPlane>& planes) {
    std::vector<ImageView> views;
    views.reserve(planes.size());
    for (const TestPlane& plane : planes) views.push_back(plane.view());
    return views;
}

}  // namespace weft::test
