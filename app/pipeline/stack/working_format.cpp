#include "app/pipeline/stack/working_format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "app/pipeline/stack/region_plan.h"
#include "filters/planes.h"
#include "kernels/device/inplace_vector.h"
#include "kernels/pixel_type.h"
#include "kernels/pixels/pixel_ops.h"
#include "kernels/pixels/transfer_curve.h"
#include "kernels/plane_views.h"

namespace weft {
namespace {

// Linear light in 16 bits: from -1/12 to 1.25 of white, so that levels above white and colours
// slightly out of range pass.
constexpr float kLightStep = 49'152;
constexpr float kLightZero = 4096;
// Levels of 8 bits in 16.
constexpr float kFineLevels = 256;

bool contains(const std::vector<Component>& list, Component c) {
    return std::ranges::find(list, c) != list.end();
}

ChannelIndex place_of(const FrameInfo& info, Component component) {
    for (std::size_t p = 0; p < info.planes.size(); ++p)
        for (std::size_t k = 0; k < info.planes[p].components.size(); ++k)
            if (info.planes[p].components[k] == component)
                return {static_cast<int>(p), static_cast<int>(k)};
    throw std::invalid_argument("the frame lacks a component");
}

const PlaneInfo& plane_of(const FrameInfo& info, Component component) {
    return info.planes[static_cast<std::size_t>(place_of(info, component).plane)];
}

// The components that the operation writes, in their order.
std::vector<Component> written_components(const ComponentSelection& selection,
                                          const FrameInfo& info) {
    std::vector<Component> written;
    for (const Component c : frame_components(info))
        if (contains(selection.filtered, c) || (selection.neutral_chroma && is_chroma(c)))
            written.push_back(c);
    return written;
}

// sample = value * range + zero.
struct Levels {
    float range = 1, zero = 0;
};

Levels levels_of(Component c, const FrameInfo& info) {
    if (info.sample == SampleType::f32) return {};
    const float eighth = static_cast<float>(1U << info.depth_bits) / 256;
    const float max = info.max_value();
    if (c == Component::a) return {max, 0};
    if (is_chroma(c)) return {info.full_range ? max : 224 * eighth, 128 * eighth};
    return info.full_range ? Levels{max, 0} : Levels{219 * eighth, 16 * eighth};
}

// ITU-T H.273, equations 38 to 40.
void set_matrix(WorkingRule& rule, ColorMatrix matrix) {
    const bool bt2020 = matrix == ColorMatrix::bt2020;
    const bool bt601 = matrix == ColorMatrix::bt601;
    const double r = bt601 ? 0.299 : bt2020 ? 0.2627 : 0.2126;
    const double b = bt601 ? 0.114 : bt2020 ? 0.0593 : 0.0722;
    const double g = 1 - r - b;
    rule.matrix = true;
    rule.r_of_v = static_cast<float>(2 * (1 - r));
    rule.b_of_u = static_cast<float>(2 * (1 - b));
    rule.g_of_u = static_cast<float>(-2 * (1 - b) * b / g);
    rule.g_of_v = static_cast<float>(-2 * (1 - r) * r / g);
    rule.luma_r = static_cast<float>(r);
    rule.luma_g = static_cast<float>(g);
    rule.luma_b = static_cast<float>(b);
    rule.u_of_b = static_cast<float>(0.5 / (1 - b));
    rule.v_of_r = static_cast<float>(0.5 / (1 - r));
}

// Adds groups, and their planes, to a format.
class FormatMaker {
 public:
    FormatMaker(const Working& how, const FrameInfo& info, bool exact) : how_(how), info_(info) {
        format_.info = info;
        format_.info.planes.clear();
        format_.info.matrix = luma_matrix(info);
        format_.info.sample = exact ? SampleType::u16 : SampleType::f32;
        format_.info.depth_bits = exact ? 16 : 32;
        if (how.linear_light) format_.transfer = light_transfer(info);
        format_.written.resize(info.planes.size());
        format_.copied.resize(info.planes.size());
    }

    // A component that keeps its levels, and its size unless `in_pixels`.
    void add_plain(Component c, bool written) {
        const PlaneInfo& plane = plane_of(info_, c);
        format_.info.planes.push_back({plane.width, plane.height, {c}});
        if (!written) return;
        WorkingGroup group = begin_group();
        if (format_.info.sample == SampleType::u16 && info_.sample == SampleType::u8) {
            group.rule.unit[0] = kFineLevels;
            group.rule.back_unit[0] = 1 / kFineLevels;
        }
        group.components = {place_of(info_, c)};
        group.written = {true};
        group.first_plane = format_.info.planes.size() - 1;
        format_.groups.push_back(std::move(group));
    }

    // Colours that are converted, with alpha as the last component if it weighs.
    void add_colours(const std::vector<Component>& components,
                     const std::vector<Component>& written, bool matrix) {
        WorkingGroup group = begin_group();
        group.first_plane = format_.info.planes.size();
        group.converted = true;
        WorkingRule& rule = group.rule;
        rule.weighted = how_.weighted_alpha;
        rule.components = static_cast<int>(components.size());
        constexpr std::array<Component, 3> kRgb{Component::r, Component::g, Component::b};
        for (std::size_t k = 0; k < components.size(); ++k) {
            const Component c = components[k];
            group.components.push_back(place_of(info_, c));
            group.written.push_back(contains(written, c));
            const bool colour = c != Component::a;
            format_.info.planes.push_back(
                {info_.width, info_.height, {matrix && colour ? kRgb[k] : c}});
            // A weighted mean needs no zero of its own.
            const Levels levels =
                how_.linear_light ? levels_of(c, info_) : Levels{info_.max_value(), 0};
            rule.unit[k] = 1 / levels.range;
            rule.origin[k] = -levels.zero / levels.range;
            rule.back_unit[k] = levels.range;
            rule.back_origin[k] = levels.zero;
        }
        if (matrix) set_matrix(rule, luma_matrix(info_));
        if (format_.info.sample == SampleType::u16) {
            rule.step = how_.linear_light ? kLightStep : 65'535;
            rule.zero = how_.linear_light ? kLightZero : 0;
            rule.back_step = 1 / rule.step;
            rule.back_zero = -rule.zero / rule.step;
        }
        format_.groups.push_back(std::move(group));
    }

    WorkingFormat take() {
        std::vector<unsigned> taken(info_.planes.size());
        for (const WorkingGroup& group : format_.groups)
            for (const ChannelIndex& c : group.components)
                taken[static_cast<std::size_t>(c.plane)] |= 1U << c.channel;
        for (std::size_t p = 0; p < info_.planes.size(); ++p) {
            format_.written[p] = taken[p] != 0;
            format_.copied[p] =
                taken[p] != 0 && taken[p] != (1U << info_.planes[p].components.size()) - 1U;
        }
        return std::move(format_);
    }

 private:
    WorkingGroup begin_group() const {
        WorkingGroup group;
        group.rule.dither = how_.dither;
        group.rule.max_value = info_.max_value();
        return group;
    }

    const Working& how_;
    const FrameInfo& info_;
    WorkingFormat format_;
};

// Whether steps of 16 bits are finer than those of the frame, also where the function is steepest.
bool fits_16_bits(TransferFunction transfer) {
    return transfer == TransferFunction::srgb || transfer == TransferFunction::bt709 ||
           transfer == TransferFunction::linear;
}

float mid_value(const FrameInfo& info) {
    return info.sample == SampleType::f32 ? 0.5F : static_cast<float>(1U << (info.depth_bits - 1));
}

// The samples of the working planes of a group for a frame whose samples all have this level.
std::vector<float> working_samples(const WorkingFormat& format, const WorkingGroup& group,
                                   const FrameInfo& info, float level) {
    const auto one_sample = [](PixelType type) {
        return ImageBuffer(1, 1, 1, type, Allocation::host);
    };
    const ImageBuffer given = one_sample(pixel_type(info.sample));
    fill_channels(given.view(), level, 1, nullptr);
    std::vector<ImageBuffer> buffers;
    std::vector<ImageView> planes;
    for (int k = 0; k < group.rule.components; ++k) {
        buffers.push_back(one_sample(pixel_type(format.info.sample)));
        planes.push_back(buffers.back().view());
    }
    WorkingRule rule = group.rule;
    const Curve curve = to_light(format.transfer);
    rule.to_light = view_of(curve, curve.lines.data());
    to_working(rule, std::vector<WorkingComponent>(planes.size(), {given.view()}), planes, nullptr);
    std::vector<float> samples;
    for (const ImageView& plane : planes)
        samples.push_back(plane.type == PixelType::f32
                              ? *static_cast<const float*>(plane.data)
                              : static_cast<float>(*static_cast<const std::uint16_t*>(plane.data)));
    return samples;
}

bool has_constant_border(const PlaneWork& work) {
    const auto* problem = std::get_if<ConvProblem>(&work.compute);
    return problem != nullptr &&
           (problem->border.x == Border::constant || problem->border.y == Border::constant);
}

bool has_constant_border(const LoweredStep& step) {
    if (step.gray) return has_constant_border(step.gray->work);
    return std::ranges::any_of(step.planes,
                               [](const PlaneWork& work) { return has_constant_border(work); });
}

}  // namespace

FrameInfo working_levels(const Working& how, const FrameInfo& info) {
    FrameInfo levels = info;
    if (!how.converts()) return levels;
    levels.sample = SampleType::f32;
    levels.depth_bits = 32;
    return levels;
}

WorkingFormat plan_working(const Working& how, Operation& operation, const FrameInfo& info,
                           bool exact_sums) {
    const bool exact = exact_sums && info.sample != SampleType::f32 &&
                       std::holds_alternative<Convolution>(operation.compute);
    if (how.linear_light && exact && !fits_16_bits(light_transfer(info)))
        throw std::invalid_argument(
            "exact sums hold linear light in 16 bits, which is too coarse in dark places for all "
            "but sRGB, BT.709 (BT.601, BT.2020) and linear frames");
    ComponentSelection& selection = operation.selection;
    const std::vector<Component> written = written_components(selection, info);
    FormatMaker maker(how, info, exact);
    if (how.weighted_alpha && selection.rgb_luma)
        throw std::invalid_argument(
            "alpha weighs the colours and not their luma: leave out planes=luma or alpha=weighted");
    if (!how.converts()) {
        for (const Component c : frame_components(info)) maker.add_plain(c, contains(written, c));
        return maker.take();
    }
    const bool yuv = contains(frame_components(info), Component::u);
    // Luma with neutral chroma is a gray picture.
    const bool matrix = how.linear_light && yuv && !selection.neutral_chroma;
    std::vector<Component> colours;
    for (const Component c : frame_components(info)) {
        const bool neutral = selection.neutral_chroma && is_chroma(c);
        if (c != Component::a && !neutral && (matrix || contains(written, c))) colours.push_back(c);
    }
    if (written == std::vector{Component::a}) colours.clear();
    std::vector<Component> filtered;
    if (!colours.empty() && (matrix || how.weighted_alpha)) {
        if (how.weighted_alpha) colours.push_back(Component::a);
        maker.add_colours(colours, written, matrix);
        if (matrix) filtered = {Component::r, Component::g, Component::b};
        if (matrix && how.weighted_alpha) filtered.push_back(Component::a);
        if (!matrix) filtered = colours;
    } else {
        for (const Component c : colours) maker.add_colours({c}, written, false);
        filtered = colours;
    }
    if (contains(written, Component::a) && !contains(filtered, Component::a)) {
        maker.add_plain(Component::a, true);
        filtered.push_back(Component::a);
    }
    if (selection.neutral_chroma)
        for (const Component c : {Component::u, Component::v}) maker.add_plain(c, true);
    selection.filtered = filtered;
    return maker.take();
}

void set_working_levels(LoweredStep& step, const WorkingFormat& working, const FrameInfo& info,
                        float border) {
    const bool fine = working.info.sample == SampleType::u16 && info.sample == SampleType::u8;
    const float levels = fine ? kFineLevels : 1;
    const auto set_plain = [&](PlaneWork& work) {
        work.fill_value = mid_value(info) * levels;
        if (auto* problem = std::get_if<ConvProblem>(&work.compute)) {
            problem->border_value = border * levels;
            for (ChannelConv& channel : problem->conv) channel.bias *= levels;
        }
        if (auto* blend = std::get_if<PlaneBlend>(&work.compute))
            for (float& black : blend->black) black = black > 0 ? mid_value(info) : 0;
    };
    if (step.gray) set_plain(step.gray->work);
    for (PlaneWork& work : step.planes) set_plain(work);
    for (const WorkingGroup& group : working.groups) {
        if (!group.converted || !has_constant_border(step)) continue;
        const std::vector<float> samples = working_samples(working, group, info, border);
        for (std::size_t k = 0; k < samples.size(); ++k) {
            PlaneWork& work = step.gray ? step.gray->work : step.planes[group.first_plane + k];
            if (auto* problem = std::get_if<ConvProblem>(&work.compute))
                problem->border_value = samples[k];
        }
    }
}

WorkingPicture::WorkingPicture(const WorkingFormat& format, std::span<const ImageView> planes)
    : format_(&format), source_(format.info.planes.size()), result_(format.info.planes.size()) {
    const auto where =
        planes[0].space == MemorySpace::device ? Allocation::device : Allocation::host;
    const auto make = [&](int width, int height, PixelType type) {
        buffers_.emplace_back(width, height, 1, type, where);
        return buffers_.back().view();
    };
    const auto curve_in_memory = [&](Curve curve) -> CurveView {
        if (curve.lines.empty()) return {};
        const auto count = static_cast<int>(curve.lines.size());
        const ImageView memory = make(count, 1, PixelType::f32);
        const ImageView lines{.data = curve.lines.data(),
                              .width = count,
                              .height = 1,
                              .pitch_bytes = count * std::ptrdiff_t{sizeof(float)},
                              .type = PixelType::f32};
        copy_image(lines, memory, nullptr);
        return view_of(curve, static_cast<const float*>(memory.data));
    };
    const PixelType type = pixel_type(format.info.sample);
    const CurveView light = curve_in_memory(to_light(format.transfer));
    const CurveView values = curve_in_memory(from_light(format.transfer));
    for (const WorkingGroup& group : format.groups) {
        rules_.push_back(group.rule);
        if (group.converted) {
            rules_.back().to_light = light;
            rules_.back().from_light = values;
        }
        for (std::size_t k = 0; k < group.components.size(); ++k) {
            const PlaneInfo& plane = format.info.planes[group.first_plane + k];
            source_[group.first_plane + k] = make(plane.width, plane.height, type);
            result_[group.first_plane + k] = make(plane.width, plane.height, type);
        }
    }
}

namespace {

using Components = InplaceVector<WorkingComponent, 4>;

Components components_of(const WorkingFormat& format, const WorkingGroup& group,
                         std::span<const ImageView> planes) {
    Components components;
    const PlaneInfo& pixels = format.info.planes[group.first_plane];
    FrameInfo info;
    info.width = pixels.width;
    info.height = pixels.height;
    for (const ChannelIndex& c : group.components) {
        const ImageView& image = planes[static_cast<std::size_t>(c.plane)];
        const Coverage cover = coverage_of(info, {image.width, image.height, {}});
        components.push_back({image, c.channel, cover.columns, cover.rows});
    }
    return components;
}

}  // namespace

int WorkingPicture::convert(std::span<const ImageView> in, StreamView stream) const {
    for (std::size_t g = 0; g < rules_.size(); ++g) {
        const WorkingGroup& group = format_->groups[g];
        to_working(rules_[g], components_of(*format_, group, in),
                   source().subspan(group.first_plane, group.components.size()), stream);
    }
    return static_cast<int>(rules_.size());
}

int WorkingPicture::finish(std::span<const ImageView> in, std::span<const ImageView> out,
                           const std::vector<bool>& computed, std::span<const PixelRect> places,
                           StreamView stream) const {
    for (std::size_t p = 0; p < out.size(); ++p)
        if (format_->copied[p]) copy_image(in[p], out[p], stream);
    for (std::size_t g = 0; g < rules_.size(); ++g) {
        const WorkingGroup& group = format_->groups[g];
        const Components from = components_of(*format_, group, in);
        const Components to = components_of(*format_, group, out);
        PlaneViews planes;
        InplaceVector<WorkingTarget, 4> targets;
        for (std::size_t k = 0; k < to.size(); ++k) {
            const std::size_t plane = group.first_plane + k;
            planes.push_back(computed[plane] ? result_[plane] : source_[plane]);
            const PixelRect& place = places[static_cast<std::size_t>(group.components[k].plane)];
            targets.push_back({to[k], group.written[k], place.left, place.top});
        }
        from_working(rules_[g], planes, from, targets, stream);
    }
    return static_cast<int>(rules_.size());
}

}  // namespace weft
