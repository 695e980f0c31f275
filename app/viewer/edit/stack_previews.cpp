#include "app/viewer/edit/stack_previews.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "app/pipeline/stack/stack_runner.h"
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

StackPlan plan_of(const Stack& stack, const Thumbnail& picture) {
    return plan_stack(stack, info_of(picture), cpu_device());
}

bool is_like(const ThumbnailPtr& picture, const Thumbnail& other) {
    return picture && picture->width == other.width && picture->height == other.height;
}

// Thumbnails of up to `count` frames before `played`, oldest first. Decodes from the key frame
// before them; returns early, with fewer, once `superseded` is stopped. Keeps no frame, because a
// stack may need hundreds of them.
std::deque<ThumbnailPtr> frames_before(const PlayedFrame& played, const MediaInfo& media, int count,
                                       const std::stop_token& superseded) {
    FrameSource source(media.path, {}, media.wanted_rate);
    const std::int64_t pts = played.frame->pts;
    const double ticks = std::max(played.duration / av_q2d(source.time_base()), 1.0);
    std::deque<ThumbnailPtr> found;
    // One frame more, for rounding; further back where frames are longer than this one.
    for (double back = count + 1; std::ssize(found) < count; back *= 4) {
        const std::int64_t from = pts - std::llround(back * ticks);
        source.seek(from);
        found.clear();
        for (auto frame = source.next(); frame && frame->pts < pts && !superseded.stop_requested();
             frame = source.next()) {
            found.push_back(make_thumbnail(*frame->av, media, 0, StackPreviews::kMaxSide));
            if (std::ssize(found) > count) found.pop_front();
        }
        if (from <= source.first_pts() || superseded.stop_requested()) break;
    }
    return found;
}

}  // namespace

ThumbnailPtr stack_preview(const Stack& stack, std::span<const ThumbnailPtr> frames) {
    try {
        const Thumbnail& shown = *frames.back();
        StackRunner runner(plan_of(stack, shown));
        runner.set_masks(open_masks(stack, {.width = shown.width, .height = shown.height}));
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
        return nullptr;  // the stack shows the reason next to its step
    }
}

int frames_before_preview(const Stack& stack) {
    Thumbnail small;
    small.width = small.height = 16;
    try {
        return plan_of(stack, small).frames_before();
    } catch (const std::exception&) {
        return 0;
    }
}

StackPreviews::StackPreviews(Device device, std::function<void()> changed)
    : task_(
          [this, device = std::move(device)](const Request& request, const auto& superseded) {
              use_device(device);  // a lost device is reported by the filter thread
              make_all(request, superseded);
          },
          std::move(changed)) {}

void StackPreviews::ask(ShownFramePtr shown, std::shared_ptr<const MediaInfo> media,
                        std::vector<Stack> stacks) {
    if (!shown || !media) return;
    const bool other = last_.lock() != shown;
    last_ = shown;
    task_.ask({std::move(shown), std::move(media), std::move(stacks)}, [other](Pictures& made) {
        if (other) made.clear();
    });
}

ThumbnailPtr StackPreviews::of(const Stack& stack) const {
    return task_.read([&](const Pictures& made) {
        const auto found = std::ranges::find(made, stack, &Pictures::value_type::first);
        return found == made.end() ? nullptr : found->second;
    });
}

void StackPreviews::make_all(const Request& request, const std::stop_token& superseded) {
    std::vector<Stack> missing = request.stacks;
    std::erase_if(missing, [this](const Stack& stack) { return of(stack) != nullptr; });
    if (missing.empty()) return;
    const ThumbnailPtr small =
        make_thumbnail(*frame_of(*request.shown, 0), *request.media, 0, kMaxSide);
    if (!small) return;
    const auto in_time = std::ranges::stable_partition(
        missing, [](const Stack& stack) { return frames_before_preview(stack) == 0; });
    for (const Stack& stack : std::span(missing.begin(), in_time.begin()))
        if (!make(stack, {{small}}, superseded)) return;
    make_in_time(request, {in_time.begin(), in_time.end()}, small, superseded);
}

void StackPreviews::make_in_time(const Request& request, const std::vector<Stack>& stacks,
                                 ThumbnailPtr shown, const std::stop_token& superseded) {
    int count = 0;
    for (const Stack& stack : stacks) count = std::max(count, frames_before_preview(stack));
    std::vector<ThumbnailPtr> frames;
    if (count > 0 && !request.media->still)
        for (ThumbnailPtr& frame :
             frames_before(request.shown->played, *request.media, count, superseded)) {
            frames.push_back(std::move(frame));
            if (!is_like(frames.back(), *shown)) frames.clear();  // the size changes after it
        }
    frames.push_back(std::move(shown));
    for (const Stack& stack : stacks) {
        const auto needed = static_cast<std::size_t>(frames_before_preview(stack)) + 1;
        if (!make(stack, std::span(frames).last(std::min(frames.size(), needed)), superseded))
            return;
    }
}

bool StackPreviews::make(const Stack& stack, std::span<const ThumbnailPtr> frames,
                         const std::stop_token& superseded) {
    ThumbnailPtr picture = stack_preview(stack, frames);
    if (!picture) return !superseded.stop_requested();  // another request tries again
    return task_.publish(superseded,
                         [&](Pictures& made) { made.emplace_back(stack, std::move(picture)); });
}

}  // namespace weft
