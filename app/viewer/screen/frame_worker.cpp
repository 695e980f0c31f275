#include "app/viewer/screen/frame_worker.h"

#include <exception>
#include <memory>
#include <utility>

namespace weft {

FrameWorker::FrameWorker(Player& player, Presenter& presenter, FrameWorkerOptions options)
    : player_(player),
      presenter_(presenter),
      options_(std::move(options)),
      filter_(options_.device, options_.race, options_.times) {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

std::uint64_t FrameWorker::set_stacks(std::vector<StackRequest> stacks) {
    const std::scoped_lock lock(mutex_);
    wanted_ = std::move(stacks);
    return ++revision_;
}

WorkerStatus FrameWorker::status() const {
    const std::scoped_lock lock(mutex_);
    return status_;
}

void FrameWorker::run(const std::stop_token& stop) {
    try {
        use_device(options_.device);
    } catch (const std::exception& error) {
        fail(error.what());
    }
    while (std::optional<PlayedFrame> played = player_.next(stop)) {
        take_stacks();
        show(*played, stop);
    }
}

void FrameWorker::take_stacks() {
    const std::scoped_lock lock(mutex_);
    if (!wanted_) return;
    filter_.set_stacks(std::move(*wanted_));
    wanted_.reset();
    revision_in_work_ = revision_;
}

void FrameWorker::show(const PlayedFrame& played, const std::stop_token& stop) {
    if (played.serial != player_.serial()) return;
    std::optional<ShownFrame> shown = filtered(played, stop);
    if (!shown) return;
    shown->revision = revision_in_work_;
    presenter_.push(std::make_shared<const ShownFrame>(std::move(*shown)), stop);
    options_.on_change();
}

std::optional<ShownFrame> FrameWorker::filtered(const PlayedFrame& played,
                                                const std::stop_token& stop) {
    try {
        const int turn = rotation();
        const int count = filter_.earlier_frames_needed(played, turn);
        const EarlierFrames past = player_.before(played, count, stop);
        if (played.serial != player_.serial()) return std::nullopt;
        ShownFrame shown = filter_.filter(played, turn, past);
        publish(filter_.status());
        return shown;
    } catch (const std::exception& error) {
        fail(error.what());
    }
    try {
        return filter_.unfiltered(played, rotation());
    } catch (const std::exception& error) {
        fail(error.what());
        return std::nullopt;
    }
}

int FrameWorker::rotation() const {
    const std::shared_ptr<const MediaInfo> media = player_.status().media;
    return media ? media->rotation_degrees : 0;
}

void FrameWorker::publish(WorkerStatus now) {
    const std::scoped_lock lock(mutex_);
    now.revision = revision_in_work_;
    status_ = std::move(now);
}

void FrameWorker::fail(const std::string& sentence) {
    {
        const std::scoped_lock lock(mutex_);
        status_.error = sentence;
    }
    options_.on_change();
}

}  // namespace weft
