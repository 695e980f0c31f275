// Steps that put means in the place of samples, pixelate and fill=color=edge, against plain loops
// over the pixels of the frame.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/pipeline/stack/allowed_difference.h"
#include "app/pipeline/stack/stack_runner.h"
#include "tests/kernels/device/gpu.h"
#include "tests/pipeline/stack/random_stack.h"

namespace weft::test {
namespace {

using Samples = std::vector<double>;

struct Box {
    int left = 0, top = 0, width = 1, height = 1;

    bool has(int x, int y) const {
        return x >= left && x < left + width && y >= top && y < top + height;
    }
    Box grown(int by) const { return {left - by, top - by, width + 2 * by, height + 2 * by}; }
};

struct Given {
    std::optional<int> size;  // of pixelate; nothing: fill=color=edge
    std::vector<Box> regions;
    bool ellipse = false;
    int feather = 0;
    bool invert = false;
    bool fields = false;

    std::string text() const {
        std::string text = size ? fmt::format("pixelate=size={}", *size) : "fill=color=edge";
        for (std::size_t k = 0; k < regions.size(); ++k)
            text += fmt::format("{}{}x{}{:+}{:+}", k == 0 ? ":region=" : "|", regions[k].width,
                                regions[k].height, regions[k].left, regions[k].top);
        if (ellipse) text += ":shape=ellipse";
        if (feather > 0) text += fmt::format(":feather={}", feather);
        if (invert) text += ":invert=1";
        return text;
    }
};

// The largest weight that a region gives the pixel, in 65,535ths.
double weight_of_pixel(const Given& given, int x, int y) {
    double most = 0;
    for (const Box& box : given.regions) {
        const double half_width = box.width / 2.0;
        const double half_height = box.height / 2.0;
        const double dx = x + 0.5 - box.left - half_width;
        const double dy = y + 0.5 - box.top - half_height;
        double distance = std::hypot(std::max(std::fabs(dx) - half_width, 0.0),
                                     std::max(std::fabs(dy) - half_height, 0.0));
        if (given.ellipse) {
            const double reach = std::hypot(dx / half_width, dy / half_height);
            distance = reach <= 1 ? 0 : std::hypot(dx, dy) * (1 - 1 / reach);
        }
        if (distance == 0) return 65535;
        if (distance < given.feather)
            most = std::max(most, std::round(65535 * (1 - distance / given.feather)));
    }
    return most;
}

// One plane of a frame or of a field, in samples; a sample knows its pixels in the frame.
class Plane {
 public:
    Plane(const Given& given, const FrameInfo& frame, std::size_t plane, int field)
        : given_(given), frame_(frame), field_(field) {
        const PlaneInfo& info = frame.planes[plane];
        step_ = given.fields ? 2 : 1;
        cover_ = info.width < frame.width || info.height < frame.height ? 2 : 1;
        width_ = info.width;
        height_ = given.fields ? (info.height + 1 - field) / 2 : info.height;
        lines_ = given.fields ? (frame.height + 1 - field) / 2 : frame.height;
    }

    int width() const { return width_; }
    int height() const { return height_; }
    int frame_row(int row) const { return field_ + row * step_; }

    double weight(int column, int row) const {
        double most = 0;
        for_each_pixel(column, row,
                       [&](int x, int y) { most = std::max(most, weight_of_pixel(given_, x, y)); });
        return given_.invert || given_.regions.empty() ? 65535 - most : most;
    }

    // Whether the region can change the sample.
    bool in_reach(const Box& region, int column, int row) const {
        bool any = false;
        for_each_pixel(column, row,
                       [&](int x, int y) { any = any || region.grown(given_.feather).has(x, y); });
        return any;
    }

    // The numbers of the sample's block, from the corner of the region.
    std::pair<int, int> block(const Box& region, int column, int row) const {
        const int pitch = cover_ * step_;
        return {block_on_axis(column * cover_, cover_, region.left),
                block_on_axis(field_ + row * pitch, pitch, region.top)};
    }

 private:
    template <class Visit>
    void for_each_pixel(int column, int row, const Visit& visit) const {
        for (int line = row * cover_; line < std::min((row + 1) * cover_, lines_); ++line)
            for (int x = column * cover_; x < std::min((column + 1) * cover_, frame_.width); ++x)
                visit(x, field_ + line * step_);
    }

    // The block of the first pixel of a sample, or of the corner if it is in the sample.
    int block_on_axis(int pixel, int pitch, int corner) const {
        if (corner >= pixel && corner < pixel + pitch) return 0;
        return static_cast<int>(
            std::floor(static_cast<double>(pixel - corner) / given_.size.value_or(1)));
    }

    const Given& given_;
    const FrameInfo& frame_;
    int field_ = 0, step_ = 1, cover_ = 1;
    int width_ = 0, height_ = 0, lines_ = 0;
};

double black(Component component, const FrameInfo& info) {
    const double level = std::ldexp(1.0, info.depth_bits - 8);
    const bool is_float = info.sample == SampleType::f32;
    if (component == Component::a) return info.max_value();
    if (is_chroma(component)) return is_float ? 0 : 128 * level;
    if (is_float || component != Component::y || info.full_range) return 0;
    return 16 * level;
}

// What a naive program makes of one plane of the frame.
class Expected {
 public:
    Expected(const Given& given, const FrameInfo& frame, std::size_t plane)
        : given_(given), frame_(frame), plane_(plane) {}

    Samples of(const Samples& source) const {
        Samples out = source;
        const bool fields =
            given_.fields &&
            std::ranges::all_of(frame_.planes, [](const PlaneInfo& p) { return p.height > 1; });
        Given given = given_;
        given.fields = fields;
        for (int field = 0; field < (fields ? 2 : 1); ++field)
            take(Plane(given, frame_, plane_, field), source, out);
        return out;
    }

 private:
    std::size_t components() const { return frame_.planes[plane_].components.size(); }

    std::size_t index(const Plane& plane, int column, int row, std::size_t component) const {
        return (static_cast<std::size_t>(plane.frame_row(row)) *
                    static_cast<std::size_t>(plane.width()) +
                static_cast<std::size_t>(column)) *
                   components() +
               component;
    }

    void take(const Plane& plane, const Samples& source, Samples& out) const {
        for (std::size_t c = 0; c < components(); ++c) {
            for (int row = 0; row < plane.height(); ++row)
                for (int column = 0; column < plane.width(); ++column) {
                    const double weight = plane.weight(column, row);
                    if (weight == 0) continue;
                    const std::size_t k = index(plane, column, row, c);
                    out[k] = mixed(source[k], mean(plane, source, column, row, c), weight);
                }
        }
    }

    double mixed(double from, double to, double weight) const {
        if (weight == 65535) return to;
        if (frame_.sample == SampleType::f32) return from + (to - from) * (weight / 65535);
        return std::nearbyint((from * (65535 - weight) + to * weight) / 65535);
    }

    // The mean of the samples that `counts` accepts; nothing if it accepts none.
    template <class Counts>
    std::optional<double> mean_where(const Plane& plane, const Samples& source,
                                     std::size_t component, const Counts& counts) const {
        double sum = 0;
        double count = 0;
        for (int row = 0; row < plane.height(); ++row)
            for (int column = 0; column < plane.width(); ++column) {
                if (!counts(column, row)) continue;
                sum += source[index(plane, column, row, component)];
                ++count;
            }
        if (count == 0) return std::nullopt;
        const bool is_float = frame_.sample == SampleType::f32;
        return is_float ? sum / count : std::nearbyint(sum / count);
    }

    // The mean for the first region that reaches the sample, or for everything without regions.
    double mean(const Plane& plane, const Samples& source, int column, int row,
                std::size_t component) const {
        const Box frame{0, 0, frame_.width, frame_.height};
        Box region = frame;
        const bool all = given_.invert || given_.regions.empty();
        if (!all)
            region = *std::ranges::find_if(
                given_.regions, [&](const Box& box) { return plane.in_reach(box, column, row); });
        const auto reaches = [&](int x, int y) { return all || plane.in_reach(region, x, y); };
        if (given_.size) {
            const auto block = plane.block(region, column, row);
            return *mean_where(plane, source, component, [&](int x, int y) {
                return reaches(x, y) && plane.block(region, x, y) == block;
            });
        }
        const auto on_edge = [&](int x, int y) {
            if (reaches(x, y) || plane.weight(x, y) > 0) return false;
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx) {
                    const bool inside = x + dx >= 0 && x + dx < plane.width() && y + dy >= 0 &&
                                        y + dy < plane.height();
                    if (inside && reaches(x + dx, y + dy)) return true;
                }
            return false;
        };
        const double otherwise = black(frame_.planes[plane_].components[component], frame_);
        return mean_where(plane, source, component, on_edge).value_or(otherwise);
    }

    const Given& given_;
    const FrameInfo& frame_;
    std::size_t plane_;
};

Given drawn(const FrameInfo& info, Dice& dice) {
    Given given;
    if (dice.below(2) == 0) given.size = 2 + dice.below(dice.below(2) == 0 ? 4 : 40);
    const int regions = given.size ? dice.below(4) : 1 + dice.below(3);
    for (int k = 0; k < regions; ++k) {
        Box box{dice.below(info.width) - dice.below(5), dice.below(info.height) - dice.below(5),
                1 + dice.below(info.width), 1 + dice.below(info.height)};
        box.left = std::max(box.left, 1 - box.width);
        box.top = std::max(box.top, 1 - box.height);
        given.regions.push_back(box);
    }
    given.fields = dice.below(3) == 0;
    if (regions == 0) return given;
    given.ellipse = dice.below(3) == 0;
    if (dice.below(3) == 0) given.feather = 1 + dice.below(6);
    given.invert = given.size && dice.below(5) == 0;
    return given;
}

void check_case(const RandomStack& random, const Given& given, const Device& device) {
    const std::string text = given.text();
    SCOPED_TRACE(fmt::format("case {}: {}{} on {}x{} {}", random.number, text,
                             given.fields ? " of fields" : "", random.info.width,
                             random.info.height, random.format));
    const Fields fields = given.fields ? Fields::split : Fields::together;
    StackRunner runner(plan_frames(parse_stack(text), random.info, device, {}, fields));
    EXPECT_TRUE(same_on_every_device(runner.plan()));
    const auto source = random_planes(random, 0, {});
    auto out = blank_planes(random.info);
    runner.run(views_of(source), views_of(out));
    for (std::size_t p = 0; p < source.size(); ++p) {
        const Samples before = source[p].samples();
        const Samples want = Expected(given, random.info, p).of(before);
        const Samples got = out[p].samples();
        EXPECT_TRUE(out[p].surroundings_untouched());
        for (std::size_t k = 0; k < want.size(); ++k) {
            // The mean, the weight, the difference from the source and the result are rounded to
            // float: 2^-24 of each, and none of them adds more than the result and the source have.
            const double size = std::fabs(want[k]) + std::fabs(before[k]);
            const double allowed = random.info.sample == SampleType::f32 ? 0x1p-22 * size : 0;
            if (std::fabs(got[k] - want[k]) <= allowed) continue;
            ADD_FAILURE() << "plane " << p << ", sample " << k << ": " << got[k] << ", expected "
                          << want[k];
            return;
        }
    }
}

void check_random_means(const Device& device, std::uint32_t seed, int cases) {
    for (int k = 0; k < cases; ++k) {
        RandomStack random = random_stack(seed + static_cast<std::uint32_t>(k));
        random.info.rotation_degrees = 0;
        if (random.picture == Picture::signs_of_taps) random.picture = Picture::noise;
        Dice dice(random.number);
        // The naive program is slow.
        if (random.info.width * random.info.height > 4000) continue;
        check_case(random, drawn(random.info, dice), device);
    }
}

class GpuMeans : public NeedsGpu<testing::Test> {};

}  // namespace

TEST(PipelineMeans, AreThoseOfANaiveProgram) {
    check_random_means(cpu_device(), 5'000'000, 400);
}

TEST_F(GpuMeans, AreThoseOfANaiveProgram) {
    check_random_means(first_gpu(), 5'000'000, 2000);
}

}  // namespace weft::test
