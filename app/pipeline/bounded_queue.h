// The queue between two stages: first in, first out, bounded by what its items weigh.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

namespace weft {

// One thread pushes, one pops. Weights are bytes, so that a queue of large frames holds few of
// them; an item heavier than the capacity still passes, alone. Waiting ends at once when the stop
// token given to the call is triggered.
template <class T>
class BoundedQueue {
 public:
    explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

    // Blocks while the queue is full. False, and the item is dropped, when a stop was requested.
    bool push(T item, std::size_t weight, const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        const auto has_room = [&] { return items_.empty() || weight_ + weight <= capacity_; };
        if (!changed_.wait(lock, stop, has_room) || stop.stop_requested()) return false;
        items_.emplace_back(std::move(item), weight);
        weight_ += weight;
        changed_.notify_all();
        return true;
    }

    // No more items will come: pop() gives what is left, then nothing.
    void close() {
        const std::scoped_lock lock(mutex_);
        closed_ = true;
        changed_.notify_all();
    }

    // Blocks while the queue is empty. Nothing when it is closed and empty, or a stop was
    // requested.
    std::optional<T> pop(const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        const auto has_news = [&] { return !items_.empty() || closed_; };
        if (!changed_.wait(lock, stop, has_news) || stop.stop_requested()) return std::nullopt;
        if (items_.empty()) return std::nullopt;
        return take_front();
    }

    // Nothing, at once, while the queue is empty.
    std::optional<T> try_pop() {
        const std::scoped_lock lock(mutex_);
        return items_.empty() ? std::nullopt : std::optional<T>(take_front());
    }

    std::size_t weight() const {
        const std::scoped_lock lock(mutex_);
        return weight_;
    }

 private:
    T take_front() {
        auto [item, weight] = std::move(items_.front());
        items_.pop_front();
        weight_ -= weight;
        changed_.notify_all();
        return std::move(item);
    }

    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<std::pair<T, std::size_t>> items_;
    std::size_t weight_ = 0;
    const std::size_t capacity_;
    bool closed_ = false;
};

}  // namespace weft
