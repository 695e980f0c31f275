// A loop whose iterations run on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <thread>
#include <vector>

#include "app/media/libav/error.h"

namespace weft {

// Calls work(0) to work(count - 1), each once, on at most `most_threads` threads, this one
// included. After an exception no further calls begin, and the first one is rethrown. Throws
// Cancelled if `stop` is triggered.
template <class Work>
void for_all(std::size_t count, std::size_t most_threads, const std::stop_token& stop,
             const Work& work) {
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    std::exception_ptr first;
    const auto run = [&] {
        try {
            for (std::size_t k = next++; k < count && !stop.stop_requested(); k = next++) work(k);
        } catch (...) {  // rethrown below
            next = count;
            const std::scoped_lock lock(mutex);
            if (!first) first = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> threads;
        try {
            while (threads.size() + 1 < std::min(count, most_threads)) threads.emplace_back(run);
        } catch (const std::system_error&) {  // fewer threads take longer
        }
        run();
    }
    if (first) std::rethrow_exception(first);
    if (stop.stop_requested()) throw Cancelled();
}

}  // namespace weft
