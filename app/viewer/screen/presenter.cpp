#include "app/viewer/screen/presenter.h"

#include <algorithm>

namespace weft {

bool Presenter::push(ShownFramePtr frame, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const bool room = taken_.wait(lock, stop, [this] { return waiting_.size() < kAhead; });
    if (!room || stop.stop_requested()) return false;
    waiting_.push_back(std::move(frame));
    return true;
}

bool Presenter::is_due(const ShownFrame& frame, double clock) const {
    return shown_serial_ != frame.played.serial || frame.played.seconds <= clock ||
           frame.played.seconds == shown_seconds_;
}

Presented Presenter::take(std::uint64_t serial, double clock) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(waiting_, [&](const ShownFramePtr& f) { return f->played.serial != serial; });
    Presented out;
    while (!waiting_.empty() && is_due(*waiting_.front(), clock)) {
        // A refiltered version replaces the older one.
        const double seconds = waiting_.front()->played.seconds;
        if (out.frame && out.frame->played.seconds != seconds) ++out.late;
        out.first_of_serial = out.first_of_serial || shown_serial_ != serial;
        out.frame = std::move(waiting_.front());
        waiting_.pop_front();
        shown_serial_ = serial;
        shown_seconds_ = out.frame->played.seconds;
    }
    taken_.notify_all();
    return out;
}

std::optional<double> Presenter::next_due(std::uint64_t serial) const {
    const std::scoped_lock lock(mutex_);
    for (const ShownFramePtr& frame : waiting_)
        if (frame->played.serial == serial) return frame->played.seconds;
    return std::nullopt;
}

}  // namespace weft
