// The queue between two stages: first in, first out, bounded by the weight of its items.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

namespace weft {

// For one producer and one consumer. Weights are bytes, so that a queue of large frames holds few
// of them; an item heavier than the capacity still passes, alone. Waiting ends immediately when the
// stop token given to the call is triggered.
template <class T>
class BoundedQueue {
 public:
    explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

    // Blocks while the queue is full. Returns false and drops the item when a stop was requested.
    bool push(T item, std::size_t weight, const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        const auto has_room = [&] { return items_.empty() || weight_ + weight <= capacity_; };
        if (!changed_.wait(lock, stop, has_room) || stop.stop_requested()) return false;
        append(std::move(item), weight);
        weight_ += weight;
        changed_.notify_all();
        return true;
    }

    // No more items follow, so pop() returns the remaining ones, then nothing.
    void close() {
        const std::scoped_lock lock(mutex_);
        closed_ = true;
        changed_.notify_all();
    }

    // Blocks while the queue is empty. Returns nothing when it is closed and empty, or a stop was
    // requested.
    std::optional<T> pop(const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        const auto has_news = [&] { return !items_.empty() || closed_; };
        if (!changed_.wait(lock, stop, has_news) || stop.stop_requested()) return std::nullopt;
        if (items_.empty()) return std::nullopt;
        return take_front();
    }

    // Never blocks: returns nothing while the queue is empty.
    std::optional<T> try_pop() {
        const std::scoped_lock lock(mutex_);
        return items_.empty() ? std::nullopt : std::optional<T>(take_front());
    }

    std::size_t weight() const {
        const std::scoped_lock lock(mutex_);
        return weight_;
    }

 private:
    struct Weighed {
        T item;
        std::size_t weight;
    };

    void append(T item, std::size_t weight) {
        if (spare_.empty()) {
            items_.push_back({std::move(item), weight});
            return;
        }
        spare_.front() = {std::move(item), weight};
        items_.splice(items_.end(), spare_, spare_.begin());
    }

    T take_front() {
        Weighed& front = items_.front();
        weight_ -= front.weight;
        spare_.splice(spare_.begin(), items_, items_.begin());
        changed_.notify_all();
        return std::move(front.item);
    }

    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::list<Weighed> items_;
    std::list<Weighed> spare_;  // nodes of popped items: a full queue allocates no more
    std::size_t weight_ = 0;
    const std::size_t capacity_;
    bool closed_ = false;
};

}  // namespace weft
