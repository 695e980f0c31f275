#include "tests/filters/frames.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <unistd.h>

#include "filters/stack.h"

namespace weft::test {
namespace {

using C = Component;
constexpr int kWidth = 64;
constexpr int kHeight = 48;

PlaneInfo plane(int shift_x, int shift_y, std::vector<Component> components) {
    return {.width = kWidth >> shift_x,
            .height = kHeight >> shift_y,
            .components = std::move(components)};
}

FrameInfo info(int depth, std::vector<PlaneInfo> planes) {
    FrameInfo out;
    out.width = kWidth;
    out.height = kHeight;
    out.sample = depth == 32 ? SampleType::f32 : depth > 8 ? SampleType::u16 : SampleType::u8;
    out.depth_bits = depth;
    out.planes = std::move(planes);
    return out;
}

}  // namespace

const std::vector<NamedFrame>& frames() {
    static const std::vector<NamedFrame> all{
        {"gray", info(8, {plane(0, 0, {C::y})})},
        {"ya8", info(8, {plane(0, 0, {C::y, C::a})})},
        {"gray10", info(10, {plane(0, 0, {C::y})})},
        {"grayf32", info(32, {plane(0, 0, {C::y})})},
        {"yuv420p", info(8, {plane(0, 0, {C::y}), plane(1, 1, {C::u}), plane(1, 1, {C::v})})},
        {"yuv411p", info(8, {plane(0, 0, {C::y}), plane(2, 0, {C::u}), plane(2, 0, {C::v})})},
        {"yuva420p", info(8, {plane(0, 0, {C::y}), plane(1, 1, {C::u}), plane(1, 1, {C::v}),
                              plane(0, 0, {C::a})})},
        {"yuv444p10", info(10, {plane(0, 0, {C::y}), plane(0, 0, {C::u}), plane(0, 0, {C::v})})},
        {"yuv420p16", info(16, {plane(0, 0, {C::y}), plane(1, 1, {C::u}), plane(1, 1, {C::v})})},
        {"nv12", info(8, {plane(0, 0, {C::y}), plane(1, 1, {C::u, C::v})})},
        {"rgb24", info(8, {plane(0, 0, {C::r, C::g, C::b})})},
        {"rgba", info(8, {plane(0, 0, {C::r, C::g, C::b, C::a})})},
        {"bgra", info(8, {plane(0, 0, {C::b, C::g, C::r, C::a})})},
        {"gbrp", info(8, {plane(0, 0, {C::g}), plane(0, 0, {C::b}), plane(0, 0, {C::r})})},
        {"gbrp12", info(12, {plane(0, 0, {C::g}), plane(0, 0, {C::b}), plane(0, 0, {C::r})})},
        {"gbrapf32", info(32, {plane(0, 0, {C::g}), plane(0, 0, {C::b}), plane(0, 0, {C::r}),
                               plane(0, 0, {C::a})})},
    };
    return all;
}

FrameInfo frame(std::string_view name) {
    for (const NamedFrame& named : frames())
        if (named.name == name) return named.info;
    std::abort();
}

Operation make(std::string_view step, const FrameInfo& on) {
    const Stack stack = parse_stack(step);
    return stack.at(0).filter->make(stack.at(0).params, on);
}

Convolution convolution(std::string_view step, const FrameInfo& on) {
    return std::get<Convolution>(make(step, on).compute);
}

std::string bank_file() {
    struct File {
        File() { std::ofstream(path) << "1 0 -2; 3 1 0; 0 0 1 | 0.5 0.25\n0.125 1 | 1 2 1"; }
        ~File() { std::filesystem::remove(path); }
        std::filesystem::path path = std::filesystem::temp_directory_path() /
                                     ("weft-bank-" + std::to_string(getpid()) + ".txt");
    };
    static const File file;
    return file.path.string();
}

double sum(const Taps& taps) {
    const auto total = [](const std::vector<float>& v) {
        return std::accumulate(v.begin(), v.end(), 0.0);
    };
    return taps.dense() ? total(taps.weights) : total(taps.row) * total(taps.column);
}

double at(const Taps& taps, int dx, int dy) {
    const int x = dx + taps.anchor_x;
    const int y = dy + taps.anchor_y;
    if (x < 0 || y < 0 || x >= taps.width || y >= taps.height) return 0;
    if (!taps.dense()) return static_cast<double>(taps.row[x]) * taps.column[y];
    return taps.weights[y * taps.width + x];
}

}  // namespace weft::test
