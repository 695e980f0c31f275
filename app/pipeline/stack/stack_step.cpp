#include "app/pipeline/stack/stack_step.h"

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "kernels/pixels/pixel_ops.h"

namespace weft {
namespace {

ImageBuffer buffer_like(const ImageView& view) {
    const auto where = view.space == MemorySpace::device ? Allocation::device : Allocation::host;
    return {view.width, view.height, view.channels, view.type, where};
}

ImageView view_of(ImageView picture, const PixelRect& part) {
    picture.data = picture.row(part.top) + static_cast<std::size_t>(part.left) *
                                               static_cast<std::size_t>(picture.channels) *
                                               bytes_per_sample(picture.type);
    picture.width = part.width;
    picture.height = part.height;
    return picture;
}

// Empty if they have none.
PixelRect common_part(const PixelRect& a, const PixelRect& b) {
    const int left = std::max(a.left, b.left);
    const int top = std::max(a.top, b.top);
    return {left, top, std::max(std::min(a.right(), b.right()) - left, 0),
            std::max(std::min(a.bottom(), b.bottom()) - top, 0)};
}

// The weights of a plane's samples, row by row, of which each takes the largest of the pixels that
// it covers, before `invert`.
void take_mask(std::span<const std::uint16_t> mask, bool invert, const Coverage& cover, Lines lines,
               const ImageView& weights) {
    for (int row = 0; row < weights.height; ++row) {
        auto* const out = reinterpret_cast<std::uint16_t*>(weights.row(row));
        std::fill_n(out, weights.width, std::uint16_t{0});
        const int bottom = std::min((row + 1) * cover.rows, cover.height);
        for (int y = row * cover.rows; y < bottom; ++y) {
            const std::size_t line = static_cast<std::size_t>(lines.first + y * lines.step);
            const std::uint16_t* const in = &mask[line * static_cast<std::size_t>(cover.width)];
            for (int x = 0; x < cover.width; ++x)
                out[x / cover.columns] = std::max(out[x / cover.columns], in[x]);
        }
        if (!invert) continue;
        for (int x = 0; x < weights.width; ++x)
            out[x] = static_cast<std::uint16_t>(kFullWeight - out[x]);
    }
}

// Whether the border repeats the outermost row, above the picture or below it.
bool repeats_edge(Border border, bool above) {
    if (border == Border::ffmpeg) return !above;
    if (border == Border::ffmpeg_backwards) return above;
    return border == Border::reflect || border == Border::replicate;
}

unsigned all_channels(const ImageView& view) {
    return (1U << view.channels) - 1U;
}

}  // namespace

PlaneHistory::PlaneHistory(std::size_t count, const ImageView& like) : frames_(count) {
    for (std::size_t k = 1; k < count; ++k) slots_.push_back(buffer_like(like));
}

std::span<const ImageView> PlaneHistory::frames(const ImageView& current, std::size_t past) {
    frames_[0] = current;
    for (std::size_t age = 1; age < frames_.size(); ++age) {
        if (past == 0) {
            frames_[age] = current;
            continue;
        }
        const std::size_t number = past - std::min(age, past);
        frames_[age] = slots_[number % slots_.size()].view();
    }
    return frames_;
}

void PlaneHistory::remember(const ImageView& current, std::size_t past, StreamView stream) {
    if (!slots_.empty()) copy_image(current, slots_[past % slots_.size()].view(), stream);
}

PlaneRunner::PlaneRunner(const PlaneWork& work, const Plan& plan, const ImageView& like,
                         const Device& device)
    : work_(&work) {
    if (const auto* problem = std::get_if<ConvProblem>(&work.compute))
        conv_ = plan.kernel->prepare(*problem, device);
    if (const auto* blend = std::get_if<PlaneBlend>(&work.compute))
        history_ = std::make_unique<PlaneHistory>(blend->blend.weights.size(), like);
}

int PlaneRunner::run(const ImageView& in, const ImageView& out, std::size_t past,
                     StreamView stream) {
    int launches = 0;
    if (conv_) {
        conv_->launch(in, out, stream);
        ++launches;
    } else if (history_) {
        launches += blend(in, out, past, stream);
    }
    return launches + fill(in, out, stream);
}

void PlaneRunner::pass(const ImageView& in, std::size_t past, StreamView stream) {
    if (history_) history_->remember(in, past, stream);
}

int PlaneRunner::blend(const ImageView& in, const ImageView& out, std::size_t past,
                       StreamView stream) {
    const auto& work = std::get<PlaneBlend>(work_->compute);
    int launches = 0;
    if (work.blend.black_first && past == 0) {
        copy_image(in, out, stream);
        for (std::size_t k = 0; k < work.black.size(); ++k) {
            const unsigned bit = 1U << k;
            if ((work.channel_mask & bit) == 0) continue;
            fill_channels(out, work.black[k], bit, stream);
            ++launches;
        }
    } else {
        blend_frames(work.blend, history_->frames(in, past), out, work.max_value, work.channel_mask,
                     stream);
        ++launches;
    }
    history_->remember(in, past, stream);
    return launches;
}

int PlaneRunner::fill(const ImageView& in, const ImageView& out, StreamView stream) const {
    if (work_->fill_mask == 0) return 0;
    if (!work_->computes() && work_->fill_mask != all_channels(out)) copy_image(in, out, stream);
    fill_channels(out, work_->fill_value, work_->fill_mask, stream);
    return 1;
}

StepRegions::StepRegions(const RegionPlan& plan, const LoweredStep& lowered,
                         std::span<const ImageView> planes, std::vector<std::size_t> written)
    : plan_(&plan),
      lowered_(&lowered),
      planes_(planes.begin(), planes.end()),
      written_(std::move(written)),
      gathered_(planes.size()) {
    if (!plan.changes()) set({plan.where.regions, {}}, nullptr);
}

void StepRegions::set(const FramePlace& place, MaskSource* mask, StreamView stream) {
    if (plan_->where.moving) return set({plan_->where.moving->at(place), {}}, stream);
    if (!plan_->where.masked) return;
    if (mask == nullptr) throw std::logic_error("a step with a mask was not given it");
    const std::int64_t number = mask->move_to(place);
    if (mask_number_ == number) return;
    set({{}, mask->weights()}, stream);
    mask_number_ = number;
}

void StepRegions::set(const Places& places, StreamView stream) {
    parts_.clear();
    pictures_ = 0;
    for (const std::size_t p : written_) add_plane(places, p, stream);
    set_weights(places, stream);
}

// Each picture has so many crops, the last one perhaps fewer.
void StepRegions::add_plane(const Places& places, std::size_t plane, StreamView stream) {
    const std::vector<PlanePart> parts = parts_of(*plan_, places.regions, plane);
    const auto at_once = static_cast<std::size_t>(plan_->at_once);
    pictures_ = plan_->whole ? std::min<std::size_t>(parts.size(), 1)
                             : (parts.size() + at_once - 1) / at_once;
    results_.resize(std::max(results_.size(), pictures_), std::vector<ImageView>(planes_.size()));
    for (std::size_t k = 0; k < pictures_; ++k)
        if (results_[k][plane].data == nullptr) results_[k][plane] = buffer_for(plane);
    if (at_once > 1 && gathered_[plane].data == nullptr) {
        gathered_[plane] = buffer_for(plane);
        // Rows that no crop has are filtered, too.
        fill_channels(gathered_[plane], 0, all_channels(gathered_[plane]), stream);
    }
    for (std::size_t r = 0; r < parts.size(); ++r) {
        const auto& [samples, crop] = parts[r];
        if (samples.empty()) continue;
        const PixelRect in_picture{samples.left - crop.left,
                                   samples.top - crop.top + slot_of(r) * crop.height, samples.width,
                                   samples.height};
        const ImageView& result = results_[plan_->whole ? 0 : r / at_once][plane];
        parts_.push_back({plane,
                          r,
                          samples,
                          crop,
                          view_of(result, in_picture),
                          {},
                          means_of(places.regions, r, samples, plane, stream)});
    }
}

ImageView StepRegions::buffer_for(std::size_t plane) {
    ImageView like = planes_[plane];
    like.width = plan_->crop.planes[plane].width;
    like.height = plan_->crop.planes[plane].height * plan_->at_once;
    buffers_.push_back(buffer_like(like));
    return buffers_.back().view();
}

// All weights are one row, for a single copy. Those of a part begin as far past a multiple of 16
// as its samples do in the frame, so that words of both begin at the same sample.
void StepRegions::set_weights(const Places& places, StreamView stream) {
    constexpr int kRow = 16;
    std::size_t size = 0;
    std::vector<std::size_t> begins;
    for (Part& part : parts_) {
        const int past = part.samples.left % kRow;
        begins.push_back(size + static_cast<std::size_t>(past));
        if (is_full(part)) continue;
        const int pitch = (past + part.samples.width + kRow - 1) / kRow * kRow;
        part.weights = {.width = part.samples.width,
                        .height = part.samples.height,
                        .pitch_bytes = pitch * std::ptrdiff_t{2},
                        .type = PixelType::u16};
        size += static_cast<std::size_t>(pitch) * static_cast<std::size_t>(part.samples.height);
    }
    if (size == 0) return;
    computed_.resize(size);
    const MemorySpace space = planes_.front().space;
    if (static_cast<std::size_t>(weights_.view().width) < size)
        weights_ = {static_cast<int>(size), 1, 1, PixelType::u16,
                    space == MemorySpace::device ? Allocation::device : Allocation::host};
    auto* const uploaded = static_cast<std::uint16_t*>(weights_.view().data);
    for (std::size_t k = 0; k < parts_.size(); ++k) {
        ImageView& weights = parts_[k].weights;
        if (weights.width == 0) continue;
        weights.data = &computed_[begins[k]];
        compute_weights(parts_[k], places);
        weights.data = uploaded + begins[k];
        weights.space = space;
    }
    ImageView row = weights_.view();
    row.width = static_cast<int>(size);
    copy_image({.data = computed_.data(), .width = row.width, .height = 1, .type = row.type}, row,
               stream);
}

// A rectangle touches all samples of its part, unless an earlier region has some of them.
bool StepRegions::is_full(const Part& part) const {
    const Where& where = plan_->where;
    if (where.masked || where.invert || where.feather > 0 || where.shape != RegionShape::rectangle)
        return false;
    return std::ranges::none_of(parts_, [&](const Part& other) {
        return other.plane == part.plane && other.region < part.region &&
               !common_part(other.samples, part.samples).empty();
    });
}

// A sample that an earlier region mixes keeps that result.
void StepRegions::compute_weights(const Part& part, const Places& places) const {
    const Coverage cover = coverage_of(plan_->picture, plan_->picture.planes[part.plane]);
    if (plan_->where.masked)
        return take_mask(places.mask, plan_->where.invert, cover, plan_->lines, part.weights);
    Where where = plan_->where;
    where.regions.assign(places.regions.begin(), places.regions.end());
    fill_weights(where, part.samples, cover, plan_->lines,
                 {reinterpret_cast<std::uint16_t*>(part.weights.data),
                  part.weights.pitch_bytes / std::ptrdiff_t{2}});
    for (const Part& other : parts_) {
        if (other.plane != part.plane || other.region >= part.region) continue;
        const PixelRect shared = common_part(other.samples, part.samples);
        for (int y = shared.top; y < shared.bottom(); ++y)
            std::fill_n(reinterpret_cast<std::uint16_t*>(part.weights.row(y - part.samples.top)) +
                            (shared.left - part.samples.left),
                        shared.width, std::uint16_t{0});
    }
}

int StepRegions::slot_of(std::size_t region) const {
    return static_cast<int>(region % static_cast<std::size_t>(plan_->at_once));
}

int StepRegions::gather(std::size_t number, std::span<const ImageView> frame, StreamView stream) {
    if (plan_->at_once == 1) return 0;
    copied_.clear();
    for (const Part& part : parts_)
        if (part.region / static_cast<std::size_t>(plan_->at_once) == number)
            copy_crop(part, frame[part.plane]);
    return copy_images(copied_, stream);
}

// The rows of the crop that its samples need, of which those outside of the frame are reflected.
void StepRegions::copy_crop(const Part& part, const ImageView& frame) {
    const int first = slot_of(part.region) * part.crop.height;
    const ImageView into = view_of(gathered_[part.plane], {0, first, part.crop.width, 0});
    const int top = part.crop.top;
    const int bottom = part.samples.bottom() + plan_->halo.y;
    // Copies the rows from `from` on, in steps of `step`, to the rows of the frame at `to`.
    const auto copy = [&](int to, int rows, int from, int step) {
        if (rows <= 0) return;
        CopiedImage image{view_of(frame, {part.crop.left, from, part.crop.width, rows}),
                          view_of(into, {0, to - top, part.crop.width, rows})};
        image.src.pitch_bytes *= step;
        copied_.push_back(image);
    };
    const int above = std::max(-top, 0);
    const int below = std::max(bottom - frame.height, 0);
    const bool repeats = plan_->border == Border::replicate;
    const int step = repeats ? 0 : -1;
    copy(top, above, repeats ? 0 : above - (repeats_edge(plan_->border, true) ? 1 : 0), step);
    copy(top + above, bottom - below - top - above, top + above, 1);
    copy(frame.height, below, frame.height - (repeats_edge(plan_->border, false) ? 1 : 2), step);
}

ImageView StepRegions::uploaded(std::vector<ImageBuffer>& rooms, const ImageView& computed,
                                StreamView stream) {
    const std::size_t number = parts_.size();
    if (rooms.size() <= number) rooms.resize(number + 1);
    ImageView room = rooms[number].view();
    if (room.width < computed.width || room.height < computed.height) {
        const bool on_gpu = planes_.front().space == MemorySpace::device;
        rooms[number] = {std::max(room.width, computed.width),
                         std::max(room.height, computed.height), 1, PixelType::u16,
                         on_gpu ? Allocation::device : Allocation::host};
        room = rooms[number].view();
    }
    room.width = computed.width;
    room.height = computed.height;
    copy_image(computed, room, stream);
    return room;
}

// Blocks begin at the corner of the region, also where the picture cuts it.
MeanPart StepRegions::means_of(std::span<const RegionRect> regions, std::size_t region,
                               const PixelRect& samples, std::size_t plane, StreamView stream) {
    if (lowered_->means() == nullptr) return {};
    const auto& work = std::get<PlaneMeans>(lowered_->planes[plane].compute);
    MeanPart part;
    part.channel_mask = work.channel_mask;
    part.otherwise = work.otherwise;
    if (work.block_px == 0) {
        part.edge = select_edge(regions, samples, plane, stream);
        return part;
    }
    PixelRect corner;
    if (!plan_->whole) corner = touched_pixels(regions[region]);
    const Coverage cover = coverage_of(plan_->picture, plan_->picture.planes[plane]);
    const Lines& lines = plan_->lines;
    const int pitch = cover.rows * lines.step;
    part.x = {work.block_px, cover.columns, corner.left - samples.left * cover.columns};
    part.y = {work.block_px, pitch, corner.top - lines.first - samples.top * pitch};
    return part;
}

// Those of the picture that no region changes.
ImageView StepRegions::select_edge(std::span<const RegionRect> regions, const PixelRect& samples,
                                   std::size_t plane, StreamView stream) {
    Where where = plan_->where;
    where.regions.assign(regions.begin(), regions.end());
    const PlaneInfo& info = plan_->picture.planes[plane];
    const PixelRect sides[] = {{samples.left - 1, samples.top - 1, samples.width + 2, 1},
                               {samples.left - 1, samples.bottom(), samples.width + 2, 1},
                               {samples.left - 1, samples.top, 1, samples.height},
                               {samples.right(), samples.top, 1, samples.height}};
    computed_.assign(static_cast<std::size_t>(around(samples.width, samples.height)), 0);
    std::uint16_t* selected = computed_.data();
    std::vector<std::uint16_t> weights;
    for (const PixelRect& side : sides) {
        const PixelRect inside = common_part(side, {0, 0, info.width, info.height});
        const int before = (inside.left - side.left) + (inside.top - side.top);
        weights.resize(static_cast<std::size_t>(inside.width) *
                       static_cast<std::size_t>(inside.height));
        fill_weights(where, inside, coverage_of(plan_->picture, info), plan_->lines,
                     {weights.data(), inside.width});
        for (std::size_t k = 0; k < weights.size(); ++k)
            selected[static_cast<std::size_t>(before) + k] = weights[k] == 0 ? 1 : 0;
        selected += side.width * side.height;
    }
    const ImageView view{.data = computed_.data(),
                         .width = static_cast<int>(computed_.size()),
                         .height = 1,
                         .pitch_bytes = static_cast<std::ptrdiff_t>(computed_.size()) * 2,
                         .type = PixelType::u16};
    return uploaded(edges_, view, stream);
}

std::span<const ImageView> StepRegions::source(std::size_t number,
                                               std::span<const ImageView> frame) {
    views_.assign(frame.begin(), frame.end());
    places_.assign(frame.size(), {});
    if (plan_->whole) return views_;
    for (const std::size_t p : written_) {
        const PlaneInfo& crop = plan_->crop.planes[p];
        views_[p] =
            plan_->at_once > 1 ? gathered_[p] : view_of(frame[p], {0, 0, crop.width, crop.height});
    }
    for (const Part& part : parts_)
        if (plan_->at_once == 1 && part.region == number) {
            views_[part.plane] = view_of(frame[part.plane], part.crop);
            places_[part.plane] = part.crop;
        }
    return views_;
}

int StepRegions::take_means(std::span<const ImageView> frame, StreamView stream) {
    means_.clear();
    for (const Part& part : parts_) {
        means_.push_back(part.means);
        means_.back().src = view_of(frame[part.plane], part.samples);
        means_.back().dst = part.filtered;
    }
    return weft::take_means(means_, stream);
}

int StepRegions::mix(std::span<const ImageView> frame, StreamView stream) {
    mixed_.clear();
    for (const Part& part : parts_)
        mixed_.push_back({part.filtered, part.weights, view_of(frame[part.plane], part.samples)});
    return mix_images(mixed_, stream);
}

StackStep::StackStep(const StepPlan& plan, std::span<const ImageView> planes, const Device& device)
    : plan_(&plan) {
    for (std::size_t p = 0; p < planes.size(); ++p)
        if (writes(p)) written_.push_back(p);
    if (plan.region) regions_.emplace(*plan.region, plan.lowered, planes, written_);
    std::vector<ImageView> shapes(planes.begin(), planes.end());
    const FrameInfo filtered = regions_ ? plan.region->filtered() : FrameInfo{};
    for (std::size_t p = 0; regions_ && p < shapes.size(); ++p) {
        shapes[p].width = filtered.planes[p].width;
        shapes[p].height = filtered.planes[p].height;
    }
    for (const ImageView& shape : shapes) whole_.push_back({0, 0, shape.width, shape.height});
    if (plan.working) {
        working_.emplace(*plan.working, shapes);
        shapes.assign(working_->source().begin(), working_->source().end());
    }
    for (std::size_t p = 0; p < shapes.size(); ++p) {
        is_computed_.push_back(plan.lowered.writes(p));
        if (is_computed_.back()) computed_.push_back(p);
    }
    if (const std::optional<GrayRoute>& gray = plan.lowered.gray) {
        ImageView like = shapes[static_cast<std::size_t>(gray->r.plane)];
        like.channels = gray->luma ? 1 : 3;
        if (gray->luma || gray->planar()) gray_in_ = buffer_like(like);
        like.channels = 1;
        gray_out_ = buffer_like(like);
        runners_.emplace_back(gray->work, plan.plans.front(), like, device);
        return;
    }
    for (std::size_t p = 0; p < shapes.size(); ++p)
        runners_.emplace_back(plan.lowered.planes[p], plan.plans[p], shapes[p], device);
}

int StackStep::run(std::span<const ImageView> in, std::span<const ImageView> out, std::size_t past,
                   StreamView stream, StreamFork& fork) {
    if (!regions_) return run_crop(in, out, whole_, past, stream, fork);
    if (!acts()) {
        pass(in, out, past, stream);
        return 0;
    }
    copy_moved(in, out, stream);
    if (plan_->lowered.means() != nullptr)
        return regions_->take_means(in, stream) + regions_->mix(out, stream);
    int launches = 0;
    for (std::size_t k = 0; k < regions_->pictures(); ++k) {
        launches += regions_->gather(k, in, stream);
        const std::span<const ImageView> source = regions_->source(k, in);
        launches += run_crop(source, regions_->result(k), regions_->places(), past, stream, fork);
    }
    return launches + regions_->mix(out, stream);
}

void StackStep::move_to(const FramePlace& place, MaskSource* mask, StreamView stream) {
    if (regions_) regions_->set(place, mask, stream);
}

void StackStep::forget_mask() {
    if (regions_) regions_->forget_mask();
}

void StackStep::pass(std::span<const ImageView> in, std::span<const ImageView> out,
                     std::size_t past, StreamView stream) {
    copy_moved(in, out, stream);
    const auto remembers = [](const PlaneRunner& runner) { return runner.remembers(); };
    if (std::ranges::none_of(runners_, remembers)) return;
    if (working_) {
        working_->convert(in, stream);
        in = working_->source();
    }
    if (plan_->lowered.gray) {
        make_gray_source(in, stream);
        return runners_.front().pass(gray_source(in), past, stream);
    }
    for (std::size_t p = 0; p < in.size(); ++p) runners_[p].pass(in[p], past, stream);
}

// A step with regions changes a plane in place, or else begins with a copy.
void StackStep::copy_moved(std::span<const ImageView> in, std::span<const ImageView> out,
                           StreamView stream) const {
    for (const std::size_t p : written_)
        if (in[p].data != out[p].data) copy_image(in[p], out[p], stream);
}

int StackStep::run_crop(std::span<const ImageView> in, std::span<const ImageView> out,
                        std::span<const PixelRect> places, std::size_t past, StreamView stream,
                        StreamFork& fork) {
    if (!working_) return compute(in, out, past, stream, fork);
    int launches = working_->convert(in, stream);
    launches += compute(working_->source(), working_->result(), past, stream, fork);
    return launches + working_->finish(in, out, is_computed_, places, stream);
}

int StackStep::compute(std::span<const ImageView> in, std::span<const ImageView> out,
                       std::size_t past, StreamView stream, StreamFork& fork) {
    if (plan_->lowered.gray) return run_gray(in, out, past, stream);
    int launches = 0;
    const auto filter = [&](std::size_t branch, StreamView side) {
        const std::size_t p = computed_[branch];
        launches += runners_[p].run(in[p], out[p], past, side);
    };
    fork.run(stream, computed_.size(), std::cref(filter));  // by reference: nothing is allocated
    return launches;
}

std::vector<ImageView> StackStep::conv_sources(std::span<const ImageView> in) {
    if (regions_ && regions_->pictures() > 0) in = regions_->source(0, in);
    if (working_) in = working_->source();
    if (plan_->lowered.gray) return {gray_source(in)};
    return {in.begin(), in.end()};
}

ImageView StackStep::gray_source(std::span<const ImageView> in) const {
    const GrayRoute& route = *plan_->lowered.gray;
    if (route.luma || route.planar()) return gray_in_.view();
    return in[static_cast<std::size_t>(route.r.plane)];
}

// Returns the number of launches.
int StackStep::make_gray_source(std::span<const ImageView> in, StreamView stream) const {
    const GrayRoute& route = *plan_->lowered.gray;
    const auto channel = [&](const ChannelIndex& c) {
        return ChannelView{in[static_cast<std::size_t>(c.plane)], c.channel};
    };
    if (route.luma) {
        extract_luma(channel(route.r), channel(route.g), channel(route.b), *route.luma,
                     gray_in_.view(), stream);
        return 1;
    }
    if (!route.planar()) return 0;
    int launches = 0;
    for (const ChannelIndex& c : {route.r, route.g, route.b})
        spread_luma(in[static_cast<std::size_t>(c.plane)], gray_in_.view(), 1U << launches++,
                    stream);
    return launches;
}

int StackStep::run_gray(std::span<const ImageView> in, std::span<const ImageView> out,
                        std::size_t past, StreamView stream) {
    const GrayRoute& route = *plan_->lowered.gray;
    int launches = make_gray_source(in, stream);
    launches += runners_.front().run(gray_source(in), gray_out_.view(), past, stream);
    for (std::size_t p = 0; p < out.size(); ++p) {
        const unsigned mask = route.spread_masks[p];
        if (mask == 0) continue;
        if (mask != all_channels(out[p])) copy_image(in[p], out[p], stream);
        spread_luma(gray_out_.view(), out[p], mask, stream);
        ++launches;
    }
    return launches;
}

}  // namespace weft
