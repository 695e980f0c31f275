// The conversions to working values and back: samples survive a way there and back in any layout,
// and a GPU has the bits of the CPU, which tests/pipeline/stack/working_test.cpp holds to the
// definitions.
#include "kernels/pixels/working_ops.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/device/image_buffer.h"
#include "kernels/device/stream.h"
#include "kernels/pixels/pixel_ops.h"
#include "tests/kernels/device/gpu.h"
#include "tests/kernels/pixels/test_plane.h"

namespace weft::test {
namespace {

constexpr std::byte kPoison{0xFF};

// The layout of the components of a frame in its planes.
struct FrameLayout {
    const char* name = "";
    std::vector<int> channels;           // of each plane
    std::vector<int> plane, channel;     // of each component
    int columns = 1, rows = 1;           // that a sample of components 1 and 2 covers
    bool matrix = false, alpha = false;  // the last component
};

const std::vector<FrameLayout>& frame_layouts() {
    static const std::vector<FrameLayout> all{
        {.name = "gray", .channels = {1}, .plane = {0}, .channel = {0}},
        {.name = "gray and alpha",
         .channels = {2},
         .plane = {0, 0},
         .channel = {0, 1},
         .alpha = true},
        {.name = "rgb", .channels = {3}, .plane = {0, 0, 0}, .channel = {0, 1, 2}},
        {.name = "bgra",
         .channels = {4},
         .plane = {0, 0, 0, 0},
         .channel = {2, 1, 0, 3},
         .alpha = true},
        {.name = "planar rgb", .channels = {1, 1, 1}, .plane = {2, 0, 1}, .channel = {0, 0, 0}},
        {.name = "yuv444",
         .channels = {1, 1, 1},
         .plane = {0, 1, 2},
         .channel = {0, 0, 0},
         .matrix = true},
        {.name = "yuv422",
         .channels = {1, 1, 1},
         .plane = {0, 1, 2},
         .channel = {0, 0, 0},
         .columns = 2,
         .matrix = true},
        {.name = "yuv420",
         .channels = {1, 1, 1},
         .plane = {0, 1, 2},
         .channel = {0, 0, 0},
         .columns = 2,
         .rows = 2,
         .matrix = true},
        {.name = "nv12",
         .channels = {1, 2},
         .plane = {0, 1, 1},
         .channel = {0, 0, 1},
         .columns = 2,
         .rows = 2,
         .matrix = true},
        {.name = "yuv440",
         .channels = {1, 1, 1},
         .plane = {0, 1, 2},
         .channel = {0, 0, 0},
         .rows = 2,
         .matrix = true},
        {.name = "yuv411",
         .channels = {1, 1, 1},
         .plane = {0, 1, 2},
         .channel = {0, 0, 0},
         .columns = 4,
         .matrix = true},
        {.name = "yuv410",
         .channels = {1, 1, 1},
         .plane = {0, 1, 2},
         .channel = {0, 0, 0},
         .columns = 4,
         .rows = 4,
         .matrix = true},
        {.name = "yuva420",
         .channels = {1, 1, 1, 1},
         .plane = {0, 1, 2, 3},
         .channel = {0, 0, 0, 0},
         .columns = 2,
         .rows = 2,
         .matrix = true,
         .alpha = true},
    };
    return all;
}

struct WorkingCase {
    FrameLayout frame;
    int width = 1, height = 1;
    PixelType samples = PixelType::u8, values = PixelType::f32;
    Layout layout = Layout::tight;
    WorkingRule rule;  // without curves
    TransferFunction transfer = TransferFunction::linear;
    std::vector<bool> written;

    std::string text() const {
        return fmt::format("{} of {}x{}, {} bytes a sample, {} a value, {}{}{}", frame.name, width,
                           height, bytes_per_sample(samples), bytes_per_sample(values),
                           name_of(layout), rule.weighted ? ", weighted" : "",
                           rule.dither ? ", dithered" : "");
    }
};

float max_of(PixelType type) {
    return type == PixelType::u8 ? 255.0F : type == PixelType::u16 ? 1023.0F : 1.0F;
}

// Values that the rule of BT.709 gives; no test asks for a matrix in particular.
void set_matrix(WorkingRule& rule) {
    rule.matrix = true;
    rule.r_of_v = 1.5748F;
    rule.g_of_u = -0.187324F;
    rule.g_of_v = -0.468124F;
    rule.b_of_u = 1.8556F;
    rule.luma_r = 0.2126F;
    rule.luma_g = 0.7152F;
    rule.luma_b = 0.0722F;
    rule.u_of_b = 1 / 1.8556F;
    rule.v_of_r = 1 / 1.5748F;
}

WorkingRule rule_of(const FrameLayout& frame, PixelType samples) {
    WorkingRule rule;
    const float max = max_of(samples);
    rule.components = static_cast<int>(frame.plane.size());
    rule.max_value = max;
    rule.step = 49'152;
    rule.zero = 4096;
    rule.back_step = 1 / rule.step;
    rule.back_zero = -rule.zero / rule.step;
    for (int c = 0; c < rule.components; ++c) {
        const bool chroma = frame.matrix && (c == 1 || c == 2);
        const float zero = !chroma ? 0 : samples == PixelType::f32 ? 0.5F : (max + 1) / 2;
        rule.unit[c] = 1 / max;
        rule.origin[c] = -zero / max;
        rule.back_unit[c] = max;
        rule.back_origin[c] = zero;
    }
    if (frame.matrix) set_matrix(rule);
    return rule;
}

int covered(int size, int by) {
    return (size + by - 1) / by;
}

std::vector<TestPlane> frame_planes(const WorkingCase& c, std::mt19937* random) {
    std::vector<TestPlane> planes;
    for (std::size_t p = 0; p < c.frame.channels.size(); ++p) {
        const bool chroma = std::max(c.frame.columns, c.frame.rows) > 1 && (p == 1 || p == 2);
        const Shape shape{covered(c.width, chroma ? c.frame.columns : 1),
                          covered(c.height, chroma ? c.frame.rows : 1), c.frame.channels[p],
                          c.samples};
        planes.emplace_back(shape, c.layout, kPoison);
        if (random == nullptr) continue;
        std::vector<double> samples(static_cast<std::size_t>(shape.width) * shape.height *
                                    shape.channels);
        const float max = max_of(c.samples);
        // Alpha is often 0, and colours are rarely outside of their range.
        for (double& v : samples) {
            const double share = static_cast<double>((*random)() >> 8) * 0x1p-24;
            v = c.samples == PixelType::f32 ? static_cast<float>(share * 1.2 - 0.1)
                                            : std::floor(share * (max + 1));
            if ((*random)() % 8 == 0) v = 0;
        }
        planes.back().set(samples);
    }
    return planes;
}

std::vector<TestPlane> value_planes(const WorkingCase& c) {
    std::vector<TestPlane> planes;
    for (int k = 0; k < c.rule.components; ++k)
        planes.emplace_back(Shape{c.width, c.height, 1, c.values}, c.layout, kPoison);
    return planes;
}

// All planes of a case, after both conversions.
struct Converted {
    std::vector<TestPlane> source, values, result;
};

Converted planes_of_case(const WorkingCase& c, std::uint32_t seed) {
    std::mt19937 random(seed);
    return {frame_planes(c, &random), value_planes(c), frame_planes(c, nullptr)};
}

std::vector<WorkingComponent> components_of(const WorkingCase& c,
                                            const std::vector<ImageView>& planes) {
    std::vector<WorkingComponent> components;
    for (std::size_t k = 0; k < c.frame.plane.size(); ++k) {
        const bool chroma = k == 1 || k == 2;
        components.push_back({planes[static_cast<std::size_t>(c.frame.plane[k])],
                              c.frame.channel[k], chroma ? c.frame.columns : 1,
                              chroma ? c.frame.rows : 1});
    }
    return components;
}

void convert(const WorkingCase& c, const WorkingRule& rule, const std::vector<ImageView>& source,
             const std::vector<ImageView>& values, const std::vector<ImageView>& result,
             StreamView stream) {
    to_working(rule, components_of(c, source), values, stream);
    std::vector<WorkingTarget> targets;
    for (const WorkingComponent& to : components_of(c, result))
        targets.push_back({to, c.written[targets.size()], 3, 5});
    from_working(rule, values, components_of(c, source), targets, stream);
}

std::vector<ImageView> views_of(const std::vector<TestPlane>& planes) {
    std::vector<ImageView> views;
    for (const TestPlane& plane : planes) views.push_back(plane.view());
    return views;
}

void convert_on_cpu(const WorkingCase& c, const Converted& planes) {
    WorkingRule rule = c.rule;
    const Curve light = to_light(c.transfer);
    const Curve value = from_light(c.transfer);
    rule.to_light = view_of(light, light.lines.data());
    rule.from_light = view_of(value, value.lines.data());
    convert(c, rule, views_of(planes.source), views_of(planes.values), views_of(planes.result),
            nullptr);
}

// A copy of the curve's lines in the device's memory.
ImageBuffer on_device(const Curve& curve, StreamView stream) {
    const auto count = static_cast<int>(curve.lines.size());
    ImageBuffer buffer(std::max(count, 1), 1, 1, PixelType::f32, Allocation::device);
    if (count == 0) return buffer;
    ImageBuffer host(count, 1, 1, PixelType::f32, Allocation::host);
    std::memcpy(host.view().data, curve.lines.data(), curve.lines.size() * sizeof(float));
    copy_image(host.view(), buffer.view(), stream);
    return buffer;
}

void convert_on_gpu(const WorkingCase& c, Converted& planes) {
    use_device(first_gpu());
    const Stream stream;
    const auto copies_of = [&](std::vector<TestPlane>& host) {
        std::vector<DevicePlane> copies;
        for (TestPlane& plane : host) copies.emplace_back(plane, stream.view());
        return copies;
    };
    const auto views = [](const std::vector<DevicePlane>& copies) {
        std::vector<ImageView> all;
        for (const DevicePlane& copy : copies) all.push_back(copy.view());
        return all;
    };
    std::vector<DevicePlane> source = copies_of(planes.source);
    std::vector<DevicePlane> values = copies_of(planes.values);
    std::vector<DevicePlane> result = copies_of(planes.result);
    const Curve light = to_light(c.transfer);
    const Curve value = from_light(c.transfer);
    const ImageBuffer light_lines = on_device(light, stream.view());
    const ImageBuffer value_lines = on_device(value, stream.view());
    WorkingRule rule = c.rule;
    rule.to_light = view_of(light, static_cast<const float*>(light_lines.view().data));
    rule.from_light = view_of(value, static_cast<const float*>(value_lines.view().data));
    convert(c, rule, views(source), views(values), views(result), stream.view());
    for (DevicePlane& copy : values) copy.download(stream.view());
    for (DevicePlane& copy : result) copy.download(stream.view());
    stream.synchronize();
}

class GpuWorkingOps : public NeedsGpu<::testing::Test> {};

}  // namespace

// Rows of several pieces and of one, bands of rows and none, in each layout.
TEST(KernelsWorking, SamplesComeBack) {
    int turn = 0;
    for (const FrameLayout& frame : frame_layouts())
        for (const auto& [width, height] : {std::pair{1, 1}, {3, 2}, {1021, 5}, {514, 131}})
            for (const PixelType samples : {PixelType::u8, PixelType::u16}) {
                const WorkingCase c{.frame = frame,
                                    .width = width,
                                    .height = height,
                                    .samples = samples,
                                    .layout = kLayouts[turn++ % 4],
                                    .rule = rule_of(frame, samples),
                                    .transfer = TransferFunction::srgb,
                                    .written = std::vector<bool>(frame.plane.size(), true)};
                SCOPED_TRACE(c.text());
                const Converted planes = planes_of_case(c, 7);
                convert_on_cpu(c, planes);
                for (std::size_t p = 0; p < planes.source.size(); ++p) {
                    EXPECT_EQ(planes.source[p].samples(), planes.result[p].samples());
                    EXPECT_TRUE(planes.result[p].surroundings_untouched());
                }
                for (const TestPlane& plane : planes.values)
                    EXPECT_TRUE(plane.surroundings_untouched());
            }
}

TEST_F(GpuWorkingOps, HasTheBitsOfTheCpu) {
    std::mt19937 random(20);
    const auto below = [&](int n) { return static_cast<int>(random() % n); };
    constexpr TransferFunction kTransfers[] = {TransferFunction::linear, TransferFunction::srgb,
                                               TransferFunction::bt709, TransferFunction::pq,
                                               TransferFunction::hlg};
    for (const FrameLayout& frame : frame_layouts())
        for (int k = 0; k < 24; ++k) {
            WorkingCase c;
            c.frame = frame;
            c.width = 1 + below(k % 3 == 0 ? 9 : 300);
            c.height = 1 + below(k % 3 == 1 ? 9 : 70);
            c.samples = k % 3 == 0 ? PixelType::u8 : k % 3 == 1 ? PixelType::u16 : PixelType::f32;
            if (c.samples != PixelType::f32 && below(2) == 0) c.values = PixelType::u16;
            c.layout = kLayouts[k % 4];
            c.rule = rule_of(frame, c.samples);
            c.rule.weighted = frame.alpha && below(2) == 0;
            c.rule.dither = c.samples == PixelType::u8 && below(2) == 0;
            c.transfer = kTransfers[below(5)];
            for (std::size_t p = 0; p < frame.plane.size(); ++p) c.written.push_back(below(4) > 0);
            SCOPED_TRACE(c.text());
            const auto seed = static_cast<std::uint32_t>(random());
            const Converted cpu = planes_of_case(c, seed);
            Converted gpu = planes_of_case(c, seed);
            convert_on_cpu(c, cpu);
            convert_on_gpu(c, gpu);
            for (std::size_t p = 0; p < cpu.values.size(); ++p)
                ASSERT_TRUE(cpu.values[p].bytes() == gpu.values[p].bytes()) << "values " << p;
            for (std::size_t p = 0; p < cpu.result.size(); ++p)
                ASSERT_TRUE(cpu.result[p].bytes() == gpu.result[p].bytes()) << "samples " << p;
        }
}

}  // namespace weft::test
