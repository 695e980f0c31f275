// Threads of one pipeline that fail and stop together.
#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace weft {

// The first exception of any stage stops all of them and is rethrown; later ones, which it causes,
// are dropped.
class StageThreads {
 public:
    using Stage = std::function<void(const std::stop_token&)>;

    // Also stops when `outer` is triggered.
    explicit StageThreads(const std::stop_token& outer)
        : on_outer_(outer, [this] { stop_.request_stop(); }) {}
    ~StageThreads() {
        stop_.request_stop();
        for (std::thread& thread : threads_)
            if (thread.joinable()) thread.join();
    }
    StageThreads(const StageThreads&) = delete;
    StageThreads& operator=(const StageThreads&) = delete;

    void start(Stage stage) {
        threads_.emplace_back([this, stage = std::move(stage)] { guard(stage); });
    }
    // Runs a stage on the calling thread, with the same handling of exceptions.
    void run_here(const Stage& stage) { guard(stage); }
    // Waits for all threads, then rethrows the first exception.
    void join() {
        for (std::thread& thread : threads_) thread.join();
        threads_.clear();
        if (first_) std::rethrow_exception(first_);
    }

 private:
    void guard(const Stage& stage) {
        try {
            stage(stop_.get_token());
        } catch (...) {  // join() rethrows it
            {
                const std::scoped_lock lock(mutex_);
                if (!first_) first_ = std::current_exception();
            }
            stop_.request_stop();
        }
    }

    std::stop_source stop_;
    std::stop_callback<std::function<void()>> on_outer_;
    std::mutex mutex_;
    std::exception_ptr first_;
    std::vector<std::thread> threads_;
};

}  // namespace weft
