#include "app/pipeline/stage_threads.h"

namespace weft {

StageThreads::~StageThreads() {
    stop_.request_stop();
    for (std::thread& thread : threads_)
        if (thread.joinable()) thread.join();
}

void StageThreads::start(Stage stage) {
    threads_.emplace_back([this, stage = std::move(stage)] { guard(stage); });
}

void StageThreads::run_here(const Stage& stage) {
    guard(stage);
}

void StageThreads::join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    if (first_) std::rethrow_exception(first_);
}

void StageThreads::guard(const Stage& stage) {
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

}  // namespace weft
