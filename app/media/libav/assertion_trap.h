// Keeps the process alive when an assertion of libav fails.
#pragma once

#include <atomic>
#include <memory>

namespace weft {

// libav ends the process when it finds an error of its own: av_assert0() logs a message and calls
// abort(), which a file of a few kilobytes can make it do (a Sun raster of 16000x16000).
//
// While a watch of `work` exists, a thread on which an assertion fails inside a trap for the same
// work waits indefinitely instead, and failed() becomes true, so that the watching thread can
// continue without it. `work` is any address that both know.
class AssertionWatch {
 public:
    explicit AssertionWatch(const void* work);
    ~AssertionWatch();
    AssertionWatch(const AssertionWatch&) = delete;
    AssertionWatch& operator=(const AssertionWatch&) = delete;

    bool failed() const { return *failed_; }

 private:
    const void* work_;
    std::shared_ptr<std::atomic<bool>> failed_;
};

// For the current thread. Without a watch of `work`, a failed assertion ends the process.
class AssertionTrap {
 public:
    explicit AssertionTrap(const void* work);
    ~AssertionTrap();
    AssertionTrap(const AssertionTrap&) = delete;
    AssertionTrap& operator=(const AssertionTrap&) = delete;

 private:
    std::shared_ptr<std::atomic<bool>> failed_;
    std::atomic<bool>* outer_;
};

}  // namespace weft
