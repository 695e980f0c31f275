#include "app/viewer/edit/filter_previews.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "app/pipeline/stack/stack_runner.h"
#include "app/viewer/edit/filter_search.h"
#include "app/viewer/edit/stack_editor.h"
#include "app/viewer/play/frame_source.h"
#include "kernels/device/image_buffer.h"
#include "kernels/device/stream.h"

namespace weft {
namespace {

constexpr int kChannels = 3;

FrameInfo info_of(const Thumbnail& picture) {
    FrameInfo info;
    info.width = picture.width;
    info.height = picture.height;
    info.planes = {{picture.width, picture.height, {Component::r, Component::g, Component::b}}};
    info.full_range = true;
    return info;
}

ImageBuffer buffer_like(const Thumbnail& picture) {
    return {picture.width, picture.height, kChannels, PixelType::u8, Allocation::host};
}

StackPlan plan_of(const FilterDef& filter, const Thumbnail& picture) {
    const Stack stack = {{.filter = &filter, .params = starting_params(filter)}};
    return plan_stack(stack, info_of(picture), cpu_device());
}

bool is_like(const ThumbnailPtr& picture, const Thumbnail& other) {
    return picture && picture->width == other.width && picture->height == other.height;
}

// Up to `count` frames before `pts`, oldest first. Decodes from the key frame before them; returns
// early, with fewer, once `superseded` is stopped.
std::deque<Frame> frames_before(FrameSource& source, std::int64_t pts, int count, double duration,
                                const std::stop_token& superseded) {
    const double ticks = std::max(duration / av_q2d(source.time_base()), 1.0);
    std::deque<Frame> found;
    // One frame more, for rounding; further back where frames are longer than this one.
    for (double back = count + 1; std::ssize(found) < count; back *= 4) {
        const std::int64_t from = pts - std::llround(back * ticks);
        source.seek(from);
        found.clear();
        for (auto frame = source.next(); frame && frame->pts < pts && !superseded.stop_requested();
             frame = source.next()) {
            found.push_back(std::move(*frame));
            if (std::ssize(found) > count) found.pop_front();
        }
        if (from <= source.first_pts() || superseded.stop_requested()) break;
    }
    return found;
}

}  // namespace

ThumbnailPtr filter_preview(const FilterDef& filter, std::span<const ThumbnailPtr> frames) {
    try {
        const Thumbnail& shown = *frames.back();
        StackRunner runner(plan_of(filter, shown));
        const ImageBuffer in = buffer_like(shown);
        const ImageBuffer out = buffer_like(shown);
        const std::size_t row = in.view().row_bytes();
        for (const ThumbnailPtr& frame : frames) {
            for (int y = 0; y < shown.height; ++y)
                std::memcpy(in.view().row(y), frame->rgb.data() + static_cast<std::size_t>(y) * row,
                            row);
            runner.run({{in.view()}}, {{out.view()}});
        }
        auto made = std::make_shared<Thumbnail>(shown);
        for (int y = 0; y < shown.height; ++y)
            std::memcpy(made->rgb.data() + static_cast<std::size_t>(y) * row, out.view().row(y),
                        row);
        return made;
    } catch (const std::exception&) {
        return nullptr;  // adding the filter shows the reason next to its step
    }
}

int frames_before_preview(const FilterDef& filter) {
    Thumbnail small;
    small.width = small.height = 16;
    try {
        return plan_of(filter, small).frames_before();
    } catch (const std::exception&) {
        return 0;
    }
}

FilterPreviews::FilterPreviews(Device device, std::function<void()> changed)
    : task_(
          [this, device = std::move(device)](const Request& request, const auto& superseded) {
              use_device(device);  // a lost device is reported by the filter thread
              make_all(request, superseded);
          },
          std::move(changed)) {}

void FilterPreviews::ask(ShownFramePtr shown, std::shared_ptr<const MediaInfo> media) {
    if (!shown || !media || last_.lock() == shown) return;
    last_ = shown;
    task_.ask({std::move(shown), std::move(media)}, [](Pictures& made) { made.clear(); });
}

ThumbnailPtr FilterPreviews::of(const FilterDef& filter) const {
    return task_.read([&](const Pictures& made) {
        const auto found = made.find(&filter);
        return found == made.end() ? nullptr : found->second;
    });
}

void FilterPreviews::make_all(const Request& request, const std::stop_token& superseded) {
    const ThumbnailPtr small =
        make_thumbnail(*frame_of(*request.shown, 0), *request.media, 0, kMaxSide);
    if (!small) return;
    for (const FilterDef* filter : found_filters("")) {
        if (frames_before_preview(*filter) > 0) continue;
        if (!keep(*filter, filter_preview(*filter, {{small}}), superseded)) return;
    }
    make_in_time(request, small, superseded);
}

void FilterPreviews::make_in_time(const Request& request, ThumbnailPtr shown,
                                  const std::stop_token& superseded) {
    int count = 0;
    for (const FilterDef* filter : found_filters(""))
        count = std::max(count, frames_before_preview(*filter));
    std::vector<ThumbnailPtr> frames;
    if (!request.media->still) {
        const PlayedFrame& played = request.shown->played;
        FrameSource source(request.media->path, {}, request.media->wanted_rate);
        for (const Frame& frame :
             frames_before(source, played.frame->pts, count, played.duration, superseded)) {
            frames.push_back(make_thumbnail(*frame.av, *request.media, 0, kMaxSide));
            if (!is_like(frames.back(), *shown)) frames.clear();  // the size changes after it
        }
    }
    frames.push_back(std::move(shown));
    for (const FilterDef* filter : found_filters("")) {
        const int before = frames_before_preview(*filter);
        if (before == 0) continue;
        const std::size_t used = std::min(frames.size(), static_cast<std::size_t>(before) + 1);
        if (!keep(*filter, filter_preview(*filter, std::span(frames).last(used)), superseded))
            return;
    }
}

bool FilterPreviews::keep(const FilterDef& filter, ThumbnailPtr picture,
                          const std::stop_token& superseded) {
    return task_.publish(superseded, [&](Pictures& made) { made[&filter] = std::move(picture); });
}

}  // namespace weft
