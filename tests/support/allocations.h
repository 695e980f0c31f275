// Counts C++ allocations and makes them fail: linking this replaces the program's operator new.
#pragma once

#include <cstdint>

namespace weft::test {

// Calls of operator new so far, in all threads, without libav's and CUDA's own memory.
std::int64_t allocations();

// While it exists, one call of operator new throws std::bad_alloc: the nth, counted from 1, in the
// thread that made this, or in all others together. One at a time.
class FailedAllocation {
 public:
    enum class In { this_thread, other_threads };

    FailedAllocation(std::int64_t nth, In threads);
    ~FailedAllocation();
    FailedAllocation(const FailedAllocation&) = delete;
    FailedAllocation& operator=(const FailedAllocation&) = delete;

    // Whether that call has come.
    bool happened() const;
};

}  // namespace weft::test
