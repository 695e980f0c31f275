#include "app/batch/work_list.h"

#include <algorithm>

namespace weft {

WorkList::WorkList(std::size_t files, const BatchRoom& room)
    : most_running_(room.jobs),
      failed_on_(files),
      places_(room.devices.size() + (room.fallback ? 1 : 0)),
      fallback_(room.devices.size()) {
    for (std::size_t file = 0; file < files; ++file) pending_.push_back(file);
    const auto count = static_cast<int>(room.devices.size());
    for (Place& place : places_) place.most_running = std::max(1, (room.jobs + count - 1) / count);
}

// True if no other device is left for it.
bool WorkList::wants_fallback(std::size_t file) const {
    for (std::size_t device = 0; open_ && device < fallback_; ++device)
        if (!places_[device].lost && failed_on_[file] != device) return false;
    return true;
}

bool WorkList::may_take(std::size_t device, std::size_t file) const {
    if (is_fallback(device)) return wants_fallback(file);
    return open_ && !places_[device].lost && failed_on_[file] != device;
}

void WorkList::open() {
    const std::scoped_lock lock(mutex_);
    open_ = true;
    changed_.notify_all();
}

void WorkList::end() {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    changed_.notify_all();
}

std::size_t WorkList::files_left() {
    const std::scoped_lock lock(mutex_);
    return pending_.size();
}

bool WorkList::any_may_take(std::size_t file) const {
    for (std::size_t device = 0; device < places_.size(); ++device)
        if (may_take(device, file)) return true;
    return false;
}

std::optional<std::size_t> WorkList::freest(std::size_t file) const {
    std::optional<std::size_t> best;
    for (std::size_t device = 0; device < places_.size(); ++device) {
        const Place& place = places_[device];
        if (!may_take(device, file) || place.running >= place.most_running) continue;
        if (!best || place.running < places_[*best].running) best = device;
    }
    return best;
}

// Workers whose files were syncing ask in vain, which must not take longer with more files.
std::optional<Assignment> WorkList::next() {
    if (running_ >= most_running_) return std::nullopt;
    for (auto next = pending_.begin(); next != pending_.end(); ++next) {
        Assignment work{*next, freest(*next)};
        if (!work.device && any_may_take(work.file)) continue;
        if (work.device) {
            work.alone = places_[*work.device].running++ == 0;
            ++running_;
        }
        pending_.erase(next);
        return work;
    }
    return std::nullopt;
}

// A worker that has finished a file takes the next one by itself, so that finish() wakes none.
std::optional<Assignment> WorkList::take() {
    std::unique_lock lock(mutex_);
    std::optional<Assignment> work;
    changed_.wait(lock, [&] { return ended_ || pending_.empty() || (work = next()); });
    if (pending_.empty()) changed_.notify_all();
    return work;
}

void WorkList::begin_sync(const Assignment& work) {
    const std::scoped_lock lock(mutex_);
    if (!syncing_.insert(work.file).second) return;
    free_place(work);
    changed_.notify_one();
}

void WorkList::free_place(const Assignment& work) {
    --places_[*work.device].running;
    --running_;
}

bool WorkList::finish_in_use(const Assignment& work) {
    Place& place = places_[*work.device];
    if (work.alone && place.running == 0) return false;
    place.most_running = std::max(1, place.running);
    pending_.push_front(work.file);
    return true;
}

bool WorkList::finish(const Assignment& work, DeviceFailure failure, bool again) {
    const std::scoped_lock lock(mutex_);
    if (syncing_.erase(work.file) == 0) free_place(work);
    if (failure == DeviceFailure::lost) places_[*work.device].lost = true;
    if (failure == DeviceFailure::none || !again) return false;
    if (failure == DeviceFailure::in_use) return finish_in_use(work);
    if (failed_on_[work.file]) return false;
    failed_on_[work.file] = work.device;
    if (!any_may_take(work.file)) return false;
    pending_.push_front(work.file);
    return true;
}

}  // namespace weft
