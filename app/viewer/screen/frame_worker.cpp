#include "app/viewer/screen/frame_worker.h"

#include <mutex>
#include <optional>
#include <thread>

#include "app/viewer/screen/screen_filter.h"
#include "kernels/device/stream.h"

namespace weft {

struct FrameWorker::Impl {
    Impl(Player& from, Presenter& to, FrameWorkerOptions given)
        : player(from),
          presenter(to),
          options(std::move(given)),
          filter(options.device, options.race, options.times) {
        thread = std::jthread([this](const std::stop_token& stop) { run(stop); });
    }
    ~Impl() { thread.request_stop(); }

    void run(const std::stop_token& stop) {
        try {
            use_device(options.device);
        } catch (const std::exception& error) {
            fail(error.what());
        }
        while (std::optional<PlayedFrame> played = player.next(stop)) {
            take_stacks();
            show(*played, stop);
        }
    }

    void take_stacks() {
        const std::scoped_lock lock(mutex);
        if (!wanted) return;
        filter.set_stacks(std::move(*wanted));
        wanted.reset();
        revision_in_work = revision;
    }

    void show(const PlayedFrame& played, const std::stop_token& stop) {
        if (played.serial != player.serial()) return;
        std::optional<ShownFrame> shown = filtered(played, stop);
        if (!shown) return;
        shown->revision = revision_in_work;
        presenter.push(std::make_shared<const ShownFrame>(std::move(*shown)), stop);
        options.on_change();
    }

    std::optional<ShownFrame> filtered(const PlayedFrame& played, const std::stop_token& stop) {
        try {
            const int turn = rotation();
            const int count = filter.past_wanted(played, turn);
            const PastFrames past = player.before(played, count, stop);
            if (played.serial != player.serial()) return std::nullopt;
            ShownFrame shown = filter.filter(played, turn, past);
            publish(filter.status());
            return shown;
        } catch (const std::exception& error) {
            fail(error.what());
        }
        try {
            return filter.unfiltered(played, rotation());
        } catch (const std::exception& error) {
            fail(error.what());
            return std::nullopt;
        }
    }

    int rotation() const {
        const std::shared_ptr<const MediaInfo> media = player.status().media;
        return media ? media->rotation_degrees : 0;
    }

    void publish(WorkerStatus now) {
        const std::scoped_lock lock(mutex);
        now.revision = revision_in_work;
        status = std::move(now);
    }
    void fail(const std::string& sentence) {
        {
            const std::scoped_lock lock(mutex);
            status.error = sentence;
        }
        options.on_change();
    }

    Player& player;
    Presenter& presenter;
    FrameWorkerOptions options;
    ScreenFilter filter;                 // used by the thread only
    std::uint64_t revision_in_work = 0;  // used by the thread only
    mutable std::mutex mutex;
    std::optional<std::vector<StackRequest>> wanted;
    std::uint64_t revision = 0;
    WorkerStatus status;
    std::jthread thread;  // last: it uses all of the above
};

FrameWorker::FrameWorker(Player& player, Presenter& presenter, FrameWorkerOptions options)
    : impl_(std::make_unique<Impl>(player, presenter, std::move(options))) {}

FrameWorker::~FrameWorker() = default;

std::uint64_t FrameWorker::set_stacks(std::vector<StackRequest> stacks) {
    const std::scoped_lock lock(impl_->mutex);
    impl_->wanted = std::move(stacks);
    return ++impl_->revision;
}

WorkerStatus FrameWorker::status() const {
    const std::scoped_lock lock(impl_->mutex);
    return impl_->status;
}

}  // namespace weft
