#include "app/viewer/screen/scope_worker.h"

#include <utility>

#include "kernels/device/stream.h"

namespace weft {

Scopes make_scopes(const ShownFrame& shown, Side side, int columns) {
    const AVFramePtr frame = frame_of(shown, side);
    const PlaneViews planes = plane_views(*frame);
    Scopes scopes;
    scopes.info = shown.info;
    scopes.row_step = sampled_row_step(shown.info);
    scopes.histograms = histograms(planes, shown.info, scopes.row_step);
    scopes.waveforms = waveforms(planes, shown.info, columns, scopes.row_step);
    for (const Waveform& waveform : scopes.waveforms)
        scopes.brightness.push_back(log_brightness(waveform.counts));
    scopes.vectorscope = vectorscope(planes, shown.info, scopes.row_step);
    if (scopes.vectorscope) scopes.vectorscope_brightness = dot_brightness(*scopes.vectorscope);
    if (&shown.side(side) != &shown.original) {
        const AVFramePtr original = frame_of(shown, 0);
        scopes.errors = picture_error(plane_views(*original), planes, shown.info, scopes.row_step);
    }
    return scopes;
}

ScopeWorker::ScopeWorker(Device device, std::function<void()> changed)
    : changed_(std::move(changed)), thread_([this, device = std::move(device)] { run(device); }) {}

ScopeWorker::~ScopeWorker() {
    {
        const std::scoped_lock lock(mutex_);
        closing_ = true;
    }
    asked_.notify_all();
    thread_.join();
}

void ScopeWorker::ask(ShownFramePtr shown, Side side, int columns) {
    Question question{std::move(shown), side, columns};
    {
        const std::scoped_lock lock(mutex_);
        if (question == last_) return;
        last_ = question;
        waiting_ = std::move(question);
    }
    asked_.notify_all();
}

std::shared_ptr<const Scopes> ScopeWorker::result() const {
    const std::scoped_lock lock(mutex_);
    return result_;
}

void ScopeWorker::run(const Device& device) {
    std::unique_lock lock(mutex_);
    while (true) {
        asked_.wait(lock, [this] { return closing_ || waiting_; });
        if (closing_) return;
        const Question question = *std::exchange(waiting_, std::nullopt);
        lock.unlock();
        std::shared_ptr<const Scopes> made;
        try {
            use_device(device);
            made = std::make_shared<const Scopes>(
                make_scopes(*question.shown, question.side, question.columns));
        } catch (const std::exception&) {
            made.reset();  // a lost device is reported by the filter thread
        }
        lock.lock();
        if (!made) continue;
        result_ = std::move(made);
        lock.unlock();
        changed_();
        lock.lock();
    }
}

}  // namespace weft
