// Steps with regions against their definition: outside of the regions the input's bits, inside the
// bits of the filter of the whole picture, and between them the formula in double precision.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/media/libav/error.h"
#include "app/pipeline/stack/allowed_difference.h"
#include "app/pipeline/stack/stack_runner.h"
#include "kernels/pixels/pixel_ops.h"
#include "tests/kernels/device/gpu.h"
#include "tests/pipeline/stack/random_stack.h"
#include "tests/support/temporary_folder.h"

namespace weft::test {
namespace {

constexpr int kFrames = 3;

struct GivenRegion {
    int left = 0, top = 0, width = 1, height = 1;
};

// The parameters of a step, as numbers and as text.
struct GivenWhere {
    std::vector<GivenRegion> regions;  // as displayed
    bool ellipse = false;
    double feather = 0;
    int grow = 0;
    bool invert = false;
    std::vector<int> mask = {};  // the displayed pixels, in 255ths; replaces the regions
    std::string mask_file = {};

    std::string text() const {
        if (!mask.empty()) return fmt::format("mask='{}'{}", mask_file, invert ? ":invert=1" : "");
        std::string boxes;
        for (const GivenRegion& r : regions)
            boxes += fmt::format("{}{}x{}{:+}{:+}", boxes.empty() ? "" : "|", r.width, r.height,
                                 r.left, r.top);
        std::string all = "region=" + boxes;
        if (ellipse) all += ":shape=ellipse";
        if (feather > 0) all += fmt::format(":feather={}", feather);
        if (grow > 0) all += fmt::format(":grow={}", grow);
        if (invert) all += ":invert=1";
        return all;
    }
};

struct Point {
    double x = 0, y = 0;
};

// Where a player shows the centre of the coded pixel (x, y).
Point shown_at(int x, int y, const FrameInfo& info) {
    const Point centre{x + 0.5, y + 0.5};
    switch (info.rotation_degrees) {
        case 90:
            return {info.height - centre.y, centre.x};
        case 180:
            return {info.width - centre.x, info.height - centre.y};
        case 270:
            return {centre.y, info.width - centre.x};
        default:
            return centre;
    }
}

double distance(const GivenWhere& where, const GivenRegion& region, const Point& at) {
    const double left = region.left - where.grow;
    const double top = region.top - where.grow;
    const double width = region.width + 2 * where.grow;
    const double height = region.height + 2 * where.grow;
    if (!where.ellipse) {
        const double dx = std::max({left - at.x, at.x - left - width, 0.0});
        const double dy = std::max({top - at.y, at.y - top - height, 0.0});
        return std::sqrt(dx * dx + dy * dy);
    }
    const double x = at.x - left - width / 2;
    const double y = at.y - top - height / 2;
    const double scaled = std::sqrt(std::pow(2 * x / width, 2) + std::pow(2 * y / height, 2));
    return scaled <= 1 ? 0 : std::sqrt(x * x + y * y) * (1 - 1 / scaled);
}

// The share of the filter's result in the coded pixel, without `invert`.
double share_of(const GivenWhere& where, int x, int y, const FrameInfo& info) {
    if (!where.mask.empty()) {
        const Point at = shown_at(x, y, info);
        const int width = info.rotation_degrees % 180 != 0 ? info.height : info.width;
        const int pixel = static_cast<int>(at.y) * width + static_cast<int>(at.x);
        return where.mask[static_cast<std::size_t>(pixel)] / 255.0;
    }
    double most = 0;
    for (const GivenRegion& region : where.regions) {
        const double d = distance(where, region, shown_at(x, y, info));
        if (d == 0) return 1;
        if (d < where.feather) most = std::max(most, 1 - d / where.feather);
    }
    return most;
}

// The weight of each sample of a plane in 65,535ths.
std::vector<double> expected_weights(const GivenWhere& where, const FrameInfo& info,
                                     const PlaneInfo& plane) {
    const bool half = plane.width < info.width || plane.height < info.height;
    const int cover = half ? 2 : 1;
    std::vector<double> weights;
    for (int row = 0; row < plane.height; ++row)
        for (int column = 0; column < plane.width; ++column) {
            double most = 0;
            for (int y = row * cover; y < std::min((row + 1) * cover, info.height); ++y)
                for (int x = column * cover; x < std::min((column + 1) * cover, info.width); ++x)
                    most = std::max(most, std::round(65535 * share_of(where, x, y, info)));
            weights.push_back(where.invert ? 65535 - most : most);
        }
    return weights;
}

// One plane's samples.
using Samples = std::vector<double>;

double mixed(double from, double to, double weight, bool is_float) {
    if (weight == 0) return from;
    if (weight == 65535) return to;
    if (is_float) return from + (to - from) * (weight / 65535);
    return std::nearbyint((from * (65535 - weight) + to * weight) / 65535);
}

GivenWhere drawn_where(const FrameInfo& info, Dice& dice) {
    const bool turned = info.rotation_degrees % 180 != 0;
    const int width = turned ? info.height : info.width;
    const int height = turned ? info.width : info.height;
    GivenWhere where;
    for (int k = 1 + dice.below(3); k > 0; --k) {
        GivenRegion region{dice.below(width) - dice.below(5), dice.below(height) - dice.below(5),
                           1 + dice.below(width), 1 + dice.below(height)};
        if (dice.below(2) == 0) region.width = 1 + dice.below(5);
        if (dice.below(2) == 0) region.height = 1 + dice.below(5);
        // The pixel in its middle is in the frame.
        region.left = std::clamp(region.left, 1 - region.width, width - 1);
        region.top = std::clamp(region.top, 1 - region.height, height - 1);
        where.regions.push_back(region);
    }
    where.ellipse = dice.below(2) == 0;
    if (dice.below(2) == 0) where.feather = dice.below(12) + dice.below(4) * 0.25;
    if (dice.below(4) == 0) where.grow = dice.below(6);
    where.invert = dice.below(4) == 0;
    return where;
}

// A mask of black, white and gray blocks, as a PGM.
GivenWhere drawn_mask(const FrameInfo& info, Dice& dice, const TemporaryFolder& folder) {
    const bool turned = info.rotation_degrees % 180 != 0;
    const int width = turned ? info.height : info.width;
    const int height = turned ? info.width : info.height;
    GivenWhere where;
    where.invert = dice.below(4) == 0;
    std::string pgm = fmt::format("P5 {} {} 255\n", width, height);
    int level = 0;
    for (int k = 0; k < width * height; ++k) {
        if (dice.below(3) == 0) level = dice.below(2) == 0 ? 255 * dice.below(2) : dice.below(256);
        where.mask.push_back(level);
        pgm += static_cast<char>(level);
    }
    folder.write("mask.pgm", pgm);
    where.mask_file = (folder.path() / "mask.pgm").string();
    return where;
}

// A step of a random stack, with and without regions, on the same frames.
class RegionRun {
 public:
    RegionRun(const RandomStack& random, const GivenWhere& where, const Device& device)
        : random_(random), where_(where) {
        Step step = random.stack.front();
        for (const ParamDef& param : step_params()) step.params.unset(param.name);
        const std::string text = print_step(step);
        const bool bare = text.find('=') == std::string::npos;
        text_ = text + (bare ? "=" : ":") + where.text();
        const Sums sums = random.info.sample == SampleType::f32 ? Sums::as_given : Sums::exact;
        whole_.emplace(plan_stack({step}, random.info, device, {}, sums));
        const Stack stack = parse_stack(text_);
        regions_.emplace(plan_stack(stack, random.info, device, {}, sums));
        regions_->set_masks(open_masks(stack, {.width = random.info.width,
                                               .height = random.info.height,
                                               .rotation_degrees = random.info.rotation_degrees}));
        // Crops may take another kernel than the picture.
        allowed_ = 2 * stack_differences(regions_->plan()).back() + 1e-6;
        if (random.info.sample != SampleType::f32) allowed_ = 0;
    }

    void check() {
        for (int frame = 0; frame < kFrames; ++frame) {
            const auto source = random_planes(random_, frame, {});
            auto filtered = blank_planes(random_.info);
            auto out = blank_planes(random_.info);
            whole_->run(views_of(source), views_of(filtered));
            regions_->run(views_of(source), views_of(out));
            for (std::size_t p = 0; p < source.size(); ++p) {
                check_plane(p, source[p].samples(), filtered[p].samples(), out[p].samples());
                EXPECT_TRUE(out[p].surroundings_untouched()) << name();
            }
        }
    }

 private:
    std::string name() const {
        return fmt::format("case {}: {} on {}x{} {} turned by {}", random_.number, text_,
                           random_.info.width, random_.info.height, random_.format,
                           random_.info.rotation_degrees);
    }

    void check_plane(std::size_t p, const Samples& source, const Samples& filtered,
                     const Samples& out) const {
        const PlaneInfo& plane = random_.info.planes[p];
        const Samples weights = expected_weights(where_, random_.info, plane);
        const bool is_float = random_.info.sample == SampleType::f32;
        for (std::size_t k = 0; k < out.size(); ++k) {
            const double weight = weights[k / plane.components.size()];
            const double want = mixed(source[k], filtered[k], weight, is_float);
            const double allowed = weight == 0 ? 0 : allowed_ * std::max(std::fabs(want), 1.0);
            if (std::fabs(out[k] - want) <= allowed) continue;
            ADD_FAILURE() << name() << "\n  plane " << p << ", sample " << k << ": " << out[k]
                          << ", expected " << want << " of " << source[k] << " and " << filtered[k]
                          << " by the weight " << weight;
            return;
        }
    }

    const RandomStack& random_;
    const GivenWhere& where_;
    std::string text_;
    std::optional<StackRunner> whole_, regions_;
    double allowed_ = 0;
};

// Means depend on the place of the region, see means_test.cpp.
bool takes_means(const RandomStack& random) {
    const Step& step = random.stack.front();
    return std::holds_alternative<SampleMeans>(step.filter->make(step.params, random.info).compute);
}

// Filters that take no exact sums are left out.
void check_random_regions(const Device& device, std::uint32_t seed, int cases) {
    int checked = 0;
    const TemporaryFolder folder;
    for (int k = 0; k < cases; ++k) {
        const RandomStack random = random_stack(seed + static_cast<std::uint32_t>(k));
        if (takes_means(random)) continue;
        Dice dice(random.number);
        const GivenWhere where =
            k % 4 == 3 ? drawn_mask(random.info, dice, folder) : drawn_where(random.info, dice);
        std::optional<RegionRun> run;
        try {
            run.emplace(random, where, device);
        } catch (const Error&) {
            continue;
        }
        run->check();
        ++checked;
    }
    EXPECT_GT(checked, cases * 3 / 4);
}

class GpuRegion : public NeedsGpu<testing::Test> {};

// Boxes of two objects that come, go and cross, in frames of which one has none, against a step
// with the same regions that stand still.
class MovingRun {
 public:
    MovingRun(std::string filter, FrameInfo info, const Device& device)
        : filter_(std::move(filter)), info_(std::move(info)), device_(device) {
        folder_.write("boxes.txt",
                      "1,1,2,1,9,5\n1,2,20,8,4,4\n2,1,4,2,9,5\n3,1,6,3,11,7\n3,2,10,4,6,6\n"
                      "5,2,-3,-2,8,6\n6,2,28,14,40,40\n");
    }

    void check() {
        const std::string boxes = (folder_.path() / "boxes.txt").string();
        StackRunner moving(plan_stack(
            parse_stack(fmt::format("{}:boxes='{}':gap=off:feather=3:grow=1", filter_, boxes)),
            info_, device_, {}, Sums::exact));
        const char* const regions[] = {
            "9x5+2+1|4x4+20+8", "9x5+4+2", "11x7+6+3|6x6+10+4", "", "8x6-3-2", "40x40+28+14", ""};
        for (int frame = 0; frame < 7; ++frame) {
            const std::string_view region = regions[frame];
            const std::vector<TestPlane> source = noise(frame);
            auto got = blank_planes(info_);
            auto want = blank_planes(info_);
            moving.run(views_of(source), views_of(got), {}, {frame, frame / 25.0, 0.04});
            if (!region.empty())
                StackRunner(plan_stack(parse_stack(fmt::format("{}:region={}:feather=3:grow=1",
                                                               filter_, region)),
                                       info_, device_, {}, Sums::exact))
                    .run(views_of(source), views_of(want));
            for (std::size_t p = 0; p < source.size(); ++p)
                EXPECT_EQ(got[p].samples(),
                          region.empty() ? source[p].samples() : want[p].samples())
                    << filter_ << ", frame " << frame << ", plane " << p;
        }
    }

 private:
    std::vector<TestPlane> noise(int frame) const {
        RandomStack random;
        random.number = static_cast<std::uint32_t>(frame);
        random.info = info_;
        return random_planes(random, frame, {});
    }

    TemporaryFolder folder_;
    std::string filter_;
    FrameInfo info_;
    Device device_;
};

void check_moving_regions(const Device& device) {
    for (const int rotation : {0, 90}) {
        FrameInfo info;
        info.width = rotation == 0 ? 33 : 19;
        info.height = rotation == 0 ? 19 : 33;
        info.rotation_degrees = rotation;
        const auto half = [](int side) { return (side + 1) / 2; };
        info.planes = {{info.width, info.height, {Component::y}},
                       {half(info.width), half(info.height), {Component::u, Component::v}}};
        for (const char* const filter : {"box=2", "convolve=matrix='1 2 3; 4 5 6'", "sobel=scale=1",
                                         "pixelate=size=5", "fill=color=edge"})
            MovingRun(filter, info, device).check();
        info.planes = {{info.width, info.height, {Component::r, Component::g, Component::b}}};
        MovingRun("sobel=planes=luma", info, device).check();
    }
}

// The samples of a gray frame of 4×2 pixels after a step, for each of six frames.
std::vector<std::vector<double>> filtered_frames(const std::string& stack, const Device& device) {
    FrameInfo info;
    info.width = 4;
    info.height = 2;
    info.planes = {{4, 2, {Component::y}}};
    StackRunner runner(plan_stack(parse_stack(stack), info, device));
    std::vector<std::vector<double>> results;
    for (int frame = 0; frame < 6; ++frame) {
        TestPlane source({4, 2, 1, PixelType::u8}, Layout::padded, std::byte{0});
        source.set(std::vector<double>(8, 10 * frame));
        TestPlane out({4, 2, 1, PixelType::u8}, Layout::padded, std::byte{0});
        runner.run({{source.view()}}, {{out.view()}}, {}, {frame, frame / 10.0});
        results.push_back(out.samples());
    }
    return results;
}

// frame_difference=signed of frames that are 10 levels apart is 128 + 10.
void check_enabled_frames(const Device& device) {
    const auto flat = [](double level) { return std::vector<double>(8, level); };
    EXPECT_THAT(filtered_frames("frame_difference=signed:enable='between(n,2,3)'", device),
                testing::ElementsAre(flat(0), flat(10), flat(138), flat(138), flat(40), flat(50)));
    EXPECT_THAT(filtered_frames("frame_difference=signed:enable='gte(t,0.4)*eq(w,4)'", device),
                testing::ElementsAre(flat(0), flat(10), flat(20), flat(30), flat(138), flat(138)));
    // The first step makes every second frame black; the second acts on the right half.
    const auto rows = filtered_frames(
        "convolve=matrix=0:bias=0:enable='mod(n,2)',frame_difference=signed:region=2x2+2+0:"
        "enable='gt(n,4)'",
        device);
    EXPECT_THAT(rows[3], testing::ElementsAreArray(flat(0)));
    EXPECT_THAT(rows[4], testing::ElementsAreArray(flat(40)));
    // Black after 40.
    EXPECT_THAT(rows[5], testing::ElementsAre(0, 0, 88, 88, 0, 0, 88, 88));
}

}  // namespace

TEST(PipelineRegion, FiltersTheEnabledFrames) {
    check_enabled_frames(cpu_device());
}

TEST(PipelineRegion, FollowsBoxes) {
    check_moving_regions(cpu_device());
}

TEST_F(GpuRegion, FollowsBoxes) {
    check_moving_regions(first_gpu());
}

TEST_F(GpuRegion, FiltersTheEnabledFrames) {
    check_enabled_frames(first_gpu());
}

// Fields are pictures of their own, but a region's place is in the frame.
TEST(PipelineRegion, KeepsItsPlaceInFields) {
    FrameInfo info;
    info.width = 3;
    info.height = 6;
    info.planes = {{3, 6, {Component::y}}};
    StackRunner runner(plan_frames(parse_stack("convolve=matrix=0:bias=9:region=1x3+1+2"), info,
                                   cpu_device(), {}, Fields::split));
    TestPlane source({3, 6, 1, PixelType::u8}, Layout::padded, std::byte{0});
    source.set(std::vector<double>(18, 1));
    TestPlane out({3, 6, 1, PixelType::u8}, Layout::padded, std::byte{0});
    runner.run({{source.view()}}, {{out.view()}});
    EXPECT_THAT(out.samples(),
                testing::ElementsAre(1, 1, 1, 1, 1, 1, 1, 9, 1, 1, 9, 1, 1, 9, 1, 1, 1, 1));
}

// A chroma sample of a field takes the largest weight of the pixels that it covers in the field.
TEST(PipelineRegion, KeepsThePlacesOfAMaskInFields) {
    const TemporaryFolder folder;
    std::string pgm(24, '\0');
    pgm[1 * 4 + 1] = pgm[5 * 4 + 3] = '\xff';
    folder.write("mask.pgm", "P5 4 6 255\n" + pgm);
    FrameInfo info;
    info.width = 4;
    info.height = 6;
    info.planes = {{4, 6, {Component::y}}, {2, 3, {Component::u}}};
    const Stack stack = parse_stack(fmt::format("convolve=matrix=0:bias=9:planes=all:mask='{}'",
                                                (folder.path() / "mask.pgm").string()));
    StackRunner runner(plan_frames(stack, info, cpu_device(), {}, Fields::split));
    runner.set_masks(open_masks(stack, {.width = 4, .height = 6}));
    std::vector<TestPlane> source, out;
    for (const PlaneInfo& plane : info.planes) {
        source.emplace_back(Shape{plane.width, plane.height, 1, PixelType::u8}, Layout::padded,
                            std::byte{0});
        source.back().set(std::vector<double>(
            static_cast<std::size_t>(plane.width) * static_cast<std::size_t>(plane.height), 1));
        out.emplace_back(Shape{plane.width, plane.height, 1, PixelType::u8}, Layout::padded,
                         std::byte{0});
    }
    runner.run(views_of(source), views_of(out));
    EXPECT_THAT(out[0].samples(), testing::ElementsAre(1, 1, 1, 1, 1, 9, 1, 1, 1, 1, 1, 1,  //
                                                       1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 9));
    // Lines 1 and 3 of the frame are the first two of the lower field, whose chroma is line 1.
    EXPECT_THAT(out[1].samples(), testing::ElementsAre(1, 1, 9, 9, 1, 1));
}

TEST(PipelineRegion, ComputesTheRegionAndItsHaloAlone) {
    FrameInfo info;
    info.width = 1920;
    info.height = 1080;
    info.planes = {{1920, 1080, {Component::y}}, {960, 540, {Component::u}}};
    const StackPlan plan =
        plan_stack(parse_stack("box=3:region=100x50+1000+500|90x20+10+10"), info, cpu_device());
    const RegionPlan& region = *plan.steps[0].region;
    EXPECT_FALSE(region.whole);
    // 997 to 1103 and its halo of 3 begins at 960; the chroma samples 497 to 552 begin at 448.
    EXPECT_EQ(region.crop.planes[0].width, 192);
    EXPECT_EQ(region.crop.planes[0].height, 56);
    EXPECT_EQ(region.crop.planes[1].width, 128);
    EXPECT_EQ(region.crop.planes[1].height, 31);
    EXPECT_THAT(plan.steps[0].explanation(),
                testing::Contains("2 crops are filtered of 192×56 and 128×31 samples"));
    const auto whole = [&](const std::string& stack) {
        return plan_stack(parse_stack(stack), info, cpu_device()).steps[0].region->whole;
    };
    EXPECT_TRUE(whole("box=3:region=1900x1080+20+0"));
    EXPECT_TRUE(whole("box=3:region=10x10+0+0:invert=1"));
    EXPECT_TRUE(whole("box=3:border=wrap:region=10x10+0+0"));
    EXPECT_TRUE(whole("temporal_average=3:region=10x10+0+0"));
}

TEST(PipelineRegion, ChangesNothingElse) {
    check_random_regions(cpu_device(), 2'000'000, 400);
}

TEST_F(GpuRegion, ChangesNothingElse) {
    check_random_regions(first_gpu(), 2'000'000, 1000);
}

}  // namespace weft::test
