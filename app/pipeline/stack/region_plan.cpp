#include "app/pipeline/stack/region_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace weft {
namespace {

constexpr int kAlignment = 64;  // samples
// Of regions that move, each frame may have another number, and the rest are filtered for nothing.
constexpr int kMostMoving = 8;

// As far to both sides: at an edge of the picture, taps that reach out of it read pixels inside of
// it that are as far away on the other side.
Halo halo_of(const Convolution& convolution) {
    Halo halo;
    for (const ComponentTaps& component : convolution.components)
        for (const Taps& taps : component.taps) {
            halo.x = std::max({halo.x, taps.anchor_x, taps.width - 1 - taps.anchor_x});
            halo.y = std::max({halo.y, taps.anchor_y, taps.height - 1 - taps.anchor_y});
        }
    return halo;
}

bool takes_means(const Operation& operation) {
    return std::holds_alternative<SampleMeans>(operation.compute);
}

// Nothing: the step needs the whole picture.
std::optional<Halo> halo_of(const Operation& operation) {
    if (takes_means(operation)) return Halo{};
    const auto* convolution = std::get_if<Convolution>(&operation.compute);
    if (convolution == nullptr) return std::nullopt;
    const Borders& border = convolution->border;
    if (border.x == Border::wrap || border.y == Border::wrap) return std::nullopt;
    return halo_of(*convolution);
}

// The plane's samples that a rectangle of pixels touches.
PixelRect samples_of(const PixelRect& pixels, const FrameInfo& info, const PlaneInfo& plane) {
    if (pixels.empty()) return {};
    const Coverage cover = coverage_of(info, plane);
    const int left = pixels.left / cover.columns;
    const int top = pixels.top / cover.rows;
    const int right = std::min((pixels.right() + cover.columns - 1) / cover.columns, plane.width);
    const int bottom = std::min((pixels.bottom() + cover.rows - 1) / cover.rows, plane.height);
    return {left, top, right - left, bottom - top};
}

std::vector<PixelRect> samples_of(const Where& where, std::span<const RegionRect> regions,
                                  Lines lines, const FrameInfo& info, const PlaneInfo& plane) {
    if (where.invert || where.masked) return {{0, 0, plane.width, plane.height}};
    std::vector<PixelRect> all;
    for (const RegionRect& region : regions)
        all.push_back(
            samples_of(reach_of(where, region, info.width, info.height, lines), info, plane));
    return all;
}

int aligned_down(int at) {
    return at - at % kAlignment;
}

PixelRect with_halo(const PixelRect& samples, const Halo& halo, const PlaneInfo& plane) {
    const int left = aligned_down(std::max(samples.left - halo.x, 0));
    const int top = std::max(samples.top - halo.y, 0);
    return {left, top, std::min(samples.right() + halo.x, plane.width) - left,
            std::min(samples.bottom() + halo.y, plane.height) - top};
}

int aligned_up(int size) {
    return (size + kAlignment - 1) / kAlignment * kAlignment;
}

// The size that is enough for all crops of the plane.
void set_size(PlaneInfo& crop, const std::vector<PixelRect>& parts, const RegionPlan& plan) {
    const PlaneInfo plane = crop;
    crop.width = crop.height = 1;
    for (const PixelRect& part : parts) {
        if (part.empty()) continue;
        const PixelRect needed = with_halo(part, plan.halo, plane);
        const int height = plan.at_once > 1 ? part.height + 2 * plan.halo.y : needed.height;
        crop.width = std::max(crop.width, needed.width);
        crop.height = std::max(crop.height, height);
    }
    crop.width = std::min(aligned_up(crop.width), plane.width);
}

// The same for regions that move: a side of them may lie within a pixel, and that of a part within
// a sample, at either end.
void set_moving_size(PlaneInfo& crop, const RegionPlan& plan) {
    const BoxSize largest = plan.where.moving->largest();
    const Coverage cover = coverage_of(plan.picture, crop);
    const double feather = 2 * std::ceil(plan.where.feather);
    const auto samples = [&](double pixels, int covered, int halo, int most) {
        const double wanted = std::ceil((pixels + 2 + feather) / covered) + 1 + 2 * halo;
        return static_cast<int>(std::min(wanted, static_cast<double>(most)));
    };
    const int tallest = crop.height + (plan.at_once > 1 ? 2 * plan.halo.y : 0);
    crop.height = samples(largest.height, cover.rows, plan.halo.y, tallest);
    crop.width = std::min(
        aligned_up(samples(largest.width, cover.columns, plan.halo.x, crop.width) + kAlignment - 1),
        crop.width);
}

// Pixels that a sample of any plane covers, at most; 1, 2 and 4 divide it.
constexpr int kCovered = 4;

// Whether all samples of each plane cover equally many pixels.
bool is_even(const FrameInfo& info) {
    return std::ranges::all_of(info.planes, [&](const PlaneInfo& plane) {
        const Coverage cover = coverage_of(info, plane);
        return info.width % cover.columns == 0 && info.height % cover.rows == 0;
    });
}

// The pixels of the samples that these pixels touch.
PixelRect covered(const PixelRect& pixels, const FrameInfo& info) {
    const auto down = [](int at) { return at - at % kCovered; };
    const int left = down(pixels.left);
    const int top = down(pixels.top);
    return {left, top, std::min(down(pixels.right() + kCovered - 1), info.width) - left,
            std::min(down(pixels.bottom() + kCovered - 1), info.height) - top};
}

PlaneInfo pixels_of(const FrameInfo& info) {
    return {info.width, info.height, {}};
}

// A part's crop in a plane that is filtered on its own.
PixelRect own_crop(const PixelRect& samples, const RegionPlan& plan, const PlaneInfo& whole,
                   const PlaneInfo& crop) {
    const PixelRect needed = with_halo(samples, plan.halo, whole);
    const int top = plan.at_once > 1 ? samples.top - plan.halo.y
                                     : std::min(needed.top, whole.height - crop.height);
    return {std::min(needed.left, whole.width - crop.width), top, crop.width, crop.height};
}

// The same where all planes of the crop show the same pixels: the samples of each plane touch the
// same multiples of kCovered pixels.
PixelRect joined_crop(const PixelRect& samples, const RegionPlan& plan, const PlaneInfo& crop) {
    const FrameInfo& picture = plan.picture;
    const int columns = plan.crop.width / crop.width;
    const int rows = plan.crop.height / crop.height;
    const PixelRect touched = covered({samples.left * columns, samples.top * rows,
                                       samples.width * columns, samples.height * rows},
                                      picture);
    const PixelRect needed = covered(with_halo(touched, plan.halo, pixels_of(picture)), picture);
    return {std::min(needed.left, picture.width - plan.crop.width) / columns,
            std::min(needed.top, picture.height - plan.crop.height) / rows, crop.width,
            crop.height};
}

// One size in pixels for the crops of all planes.
void set_joined_size(RegionPlan& plan) {
    PlaneInfo crop = pixels_of(plan.picture);
    RegionPlan wider = plan;
    wider.halo = {plan.halo.x + 2 * kCovered, plan.halo.y + 2 * kCovered};
    if (plan.where.moving)
        set_moving_size(crop, wider);
    else
        set_size(crop, samples_of(plan.where, plan.where.regions, plan.lines, plan.picture, crop),
                 wider);
    crop.height = std::min((crop.height + kCovered - 1) / kCovered * kCovered, plan.picture.height);
    for (PlaneInfo& plane : plan.crop.planes) {
        const Coverage cover = coverage_of(plan.picture, plane);
        plane.width = crop.width / cover.columns;
        plane.height = crop.height / cover.rows;
    }
}

double samples_in(const FrameInfo& info) {
    double samples = 0;
    for (const PlaneInfo& plane : info.planes)
        samples += static_cast<double>(plane.width) * plane.height *
                   static_cast<double>(plane.components.size());
    return samples;
}

void set_crops(RegionPlan& plan) {
    plan.crop.planes = plan.picture.planes;
    for (PlaneInfo& plane : plan.crop.planes)
        if (plan.where.moving)
            set_moving_size(plane, plan);
        else
            set_size(plane,
                     samples_of(plan.where, plan.where.regions, plan.lines, plan.picture, plane),
                     plan);
}

// The number of crops that are filtered at once is that for which the picture has room. Kernels
// fill a halo on their own, from a single crop, by a constant or by more than one reflection.
int at_once(const RegionPlan& plan, const Operation& operation, int most) {
    const auto* convolution = std::get_if<Convolution>(&operation.compute);
    if (convolution == nullptr || convolution->border.y == Border::constant) return 1;
    for (const PlaneInfo& plane : plan.picture.planes)
        if (plan.halo.y >= plane.height) return 1;
    const double room = samples_in(plan.picture) / samples_in(plan.crop);
    const double crops =
        plan.where.moving
            ? std::min<double>(kMostMoving, static_cast<double>(plan.where.moving->boxes.objects()))
            : static_cast<double>(plan.where.regions.size());
    return static_cast<int>(std::clamp(std::min(room, crops), 1.0, static_cast<double>(most)));
}

}  // namespace

// The last samples may cover fewer pixels: 6 pixels are 2 samples of 4.
Coverage coverage_of(const FrameInfo& info, const PlaneInfo& plane) {
    const auto covered = [](int pixels, int samples) {
        return static_cast<int>(
            std::bit_ceil(static_cast<unsigned>((pixels + samples - 1) / samples)));
    };
    return {covered(info.width, plane.width), covered(info.height, plane.height), info.width,
            info.height};
}

FrameInfo RegionPlan::filtered() const {
    FrameInfo info = crop;
    info.height *= at_once;
    for (PlaneInfo& plane : info.planes) plane.height *= at_once;
    return info;
}

RegionPlan plan_region(const Where& where, const Operation& operation, const FrameInfo& info,
                       Lines lines, const CropRules& rules) {
    const bool joined = rules.joined;
    RegionPlan plan{
        .where = where, .lines = lines, .picture = info, .crop = info, .joined = joined};
    plan.crop.matrix = luma_matrix(info);  // from the picture's height, not the crop's
    const bool cuts = !where.invert && !where.masked && (!joined || is_even(info));
    const std::optional<Halo> halo = cuts ? halo_of(operation) : std::nullopt;
    plan.halo = halo.value_or(Halo{});
    if (!joined)
        set_crops(plan);
    else if (halo)
        set_joined_size(plan);
    const double crops = where.moving ? 1 : static_cast<double>(where.regions.size());
    // Regions that overlap have means of their own, which need places of their own.
    plan.whole =
        !halo || (!takes_means(operation) && crops * samples_in(plan.crop) >= samples_in(info));
    if (plan.whole) plan.crop.planes = info.planes;
    if (!plan.whole) plan.at_once = at_once(plan, operation, rules.most_at_once);
    if (plan.at_once > 1) {
        plan.border = std::get<Convolution>(operation.compute).border.y;
        set_crops(plan);
    }
    // Of RGB, whose planes are alike, luma has the picture's size.
    plan.crop.width = plan.crop.planes.front().width;
    plan.crop.height = plan.crop.planes.front().height;
    return plan;
}

std::vector<PlanePart> parts_of(const RegionPlan& plan, std::span<const RegionRect> regions,
                                std::size_t plane) {
    const PlaneInfo& whole = plan.picture.planes[plane];
    const PlaneInfo& crop = plan.crop.planes[plane];
    std::vector<PlanePart> parts;
    for (const PixelRect& samples :
         samples_of(plan.where, regions, plan.lines, plan.picture, whole))
        parts.push_back({samples, plan.joined ? joined_crop(samples, plan, crop)
                                              : own_crop(samples, plan, whole, crop)});
    return parts;
}

}  // namespace weft
