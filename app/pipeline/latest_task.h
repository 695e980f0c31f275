// A thread that works on the newest of many requests.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

namespace weft {

// For a window, whose requests may change faster than they are answered. A request supersedes the
// previous one; those that were not begun are dropped. The thread is the last member: declare the
// task after everything that its work uses.
template <class Request, class Result>
class LatestTask {
 public:
    // Called in the thread for one request at a time. The token is stopped once another request is
    // made or the task is destroyed. An exception ends the work on its request and keeps the
    // result: work whose errors are reported nowhere else catches them and publishes them.
    using Work = std::function<void(const Request&, const std::stop_token& superseded)>;

    // `changed` is called from the thread after each publish().
    explicit LatestTask(Work work, std::function<void()> changed = {})
        : work_(std::move(work)), changed_(std::move(changed)) {
        thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
    }
    // Waits until the work returns.
    ~LatestTask() {
        const std::scoped_lock lock(mutex_);
        waiting_.reset();
        current_.request_stop();
    }
    LatestTask(const LatestTask&) = delete;
    LatestTask& operator=(const LatestTask&) = delete;

    // Both return immediately. `change` is applied to the result at once; nothing is published for
    // earlier requests after it.
    void ask(Request request) {
        ask(std::move(request), [](Result&) {});
    }
    template <class Change>
    void ask(Request request, const Change& change) {
        const std::scoped_lock lock(mutex_);
        current_.request_stop();
        current_ = {};
        waiting_ = std::move(request);
        change(result_);
        asked_.notify_all();
    }

    // Returns a copy of that part of the result: a member, or the value of a function.
    template <class Part>
    auto read(const Part& part) const {
        const std::scoped_lock lock(mutex_);
        return std::invoke(part, result_);
    }

    // For the work. Changes the result; returns false, without a change, if it is superseded. An
    // empty token publishes in any case.
    template <class Change>
    bool publish(const std::stop_token& superseded, const Change& change) {
        {
            const std::scoped_lock lock(mutex_);
            if (superseded.stop_requested()) return false;
            change(result_);
        }
        if (changed_) changed_();
        return true;
    }

    // For the work. Returns false as soon as it is superseded.
    bool wait(const std::stop_token& superseded, std::chrono::milliseconds duration) {
        std::unique_lock lock(mutex_);
        asked_.wait_for(lock, superseded, duration, [] { return false; });
        return !superseded.stop_requested();
    }

 private:
    void run(const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        while (asked_.wait(lock, stop, [this] { return waiting_.has_value(); })) {
            std::optional<Request> request = std::exchange(waiting_, std::nullopt);
            const std::stop_token superseded = current_.get_token();
            lock.unlock();
            try {
                work_(*request, superseded);
            } catch (const std::exception&) {
                // Work reports its errors itself, as required above.
            }
            request.reset();  // may free much memory: not under the lock
            lock.lock();
        }
    }

    const Work work_;
    const std::function<void()> changed_;
    mutable std::mutex mutex_;
    std::condition_variable_any asked_;
    std::optional<Request> waiting_;  // not begun yet
    std::stop_source current_;        // of the last request
    Result result_{};
    std::jthread thread_;  // last: it uses all of the above
};

}  // namespace weft
