#include "app/viewer/edit/filter_previews.h"

#include <cstring>
#include <utility>

#include "app/pipeline/stack/stack_runner.h"
#include "app/viewer/edit/stack_editor.h"
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

}  // namespace

ThumbnailPtr filter_preview(const FilterDef& filter, const Thumbnail& of) {
    try {
        const Stack stack = {{.filter = &filter, .params = starting_params(filter)}};
        const StackPlan plan = plan_stack(stack, info_of(of), cpu_device());
        if (plan.frames_before() > 0) return nullptr;
        const ImageBuffer in = buffer_like(of);
        const ImageBuffer out = buffer_like(of);
        const std::size_t row = in.view().row_bytes();
        for (int y = 0; y < of.height; ++y)
            std::memcpy(in.view().row(y), of.rgb.data() + static_cast<std::size_t>(y) * row, row);
        StackRunner(plan).run({{in.view()}}, {{out.view()}});
        auto made = std::make_shared<Thumbnail>(of);
        for (int y = 0; y < of.height; ++y)
            std::memcpy(made->rgb.data() + static_cast<std::size_t>(y) * row, out.view().row(y),
                        row);
        return made;
    } catch (const std::exception&) {
        return nullptr;  // adding the filter shows the reason next to its step
    }
}

FilterPreviews::FilterPreviews(Device device, std::function<void()> changed)
    : changed_(std::move(changed)), thread_([this, device = std::move(device)] { run(device); }) {}

FilterPreviews::~FilterPreviews() {
    {
        const std::scoped_lock lock(mutex_);
        closing_ = true;
    }
    asked_.notify_all();
    thread_.join();
}

void FilterPreviews::ask(ShownFramePtr shown, std::shared_ptr<const MediaInfo> media) {
    if (!shown || !media) return;
    {
        const std::scoped_lock lock(mutex_);
        if (last_.lock() == shown) return;
        last_ = shown;
        made_.clear();
        waiting_ = {std::move(shown), std::move(media)};
    }
    asked_.notify_all();
}

ThumbnailPtr FilterPreviews::of(const FilterDef& filter) const {
    const std::scoped_lock lock(mutex_);
    const auto found = made_.find(&filter);
    return found == made_.end() ? nullptr : found->second;
}

void FilterPreviews::run(const Device& device) {
    while (true) {
        Question question;
        {
            std::unique_lock lock(mutex_);
            asked_.wait(lock, [this] { return closing_ || waiting_; });
            if (closing_) return;
            question = *std::exchange(waiting_, std::nullopt);
        }
        try {
            use_device(device);
            make_all(question);
        } catch (const std::exception&) {
            // A lost device is reported by the filter thread; the list has no pictures then.
        }
    }
}

void FilterPreviews::make_all(const Question& question) {
    const ThumbnailPtr small =
        make_thumbnail(*frame_of(*question.shown, 0), *question.media, 0, kMaxSide);
    if (!small) return;
    for (const FilterDef& filter : filters())
        if (!keep(filter, filter_preview(filter, *small))) return;
}

bool FilterPreviews::keep(const FilterDef& filter, ThumbnailPtr picture) {
    {
        const std::scoped_lock lock(mutex_);
        if (closing_ || waiting_) return false;
        made_[&filter] = std::move(picture);
    }
    changed_();
    return true;
}

}  // namespace weft
