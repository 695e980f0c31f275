// Signs of life of a Reader, for a thread that watches it: libav cannot be interrupted while it
// computes, and a file of a few kilobytes can keep it busy for hours.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

namespace weft {

// Any thread may call any function except tick(), which belongs to one.
class Heartbeat {
 public:
    // Ticks of work without a beat after which a reader counts as stalled. A beat with bytes gives
    // more time: a JPEG 2000 picture of 100 MB decodes for a minute.
    static constexpr int kPatience = 60;
    static constexpr int kTicksPerMegabyte = 2;
    static constexpr int kMostPatience = 360;

    // Counts the reader as working, or as waiting, while it exists.
    class Scope {
     public:
        explicit Scope(std::atomic<int>& count) : count_(count) { ++count_; }
        ~Scope() { --count_; }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

     private:
        std::atomic<int>& count_;
    };

    // The reader is working while the result exists; after that, it owes no beats.
    [[nodiscard]] Scope work() { return Scope(at_work_); }
    // The reader is waiting for the system (a pipe, a file server) while the result exists. That is
    // no stall.
    [[nodiscard]] Scope wait() { return Scope(waiting_); }

    // Reports progress: a packet, a frame, or so many bytes of the file read for the first time.
    void beat(std::int64_t bytes = 0) {
        bytes_ += bytes;
        ++beats_;
    }

    // Call once per second. True if the reader is stalled.
    bool tick();

    // Makes all further reads of the file fail, so that libav stops at the next one.
    void give_up() { given_up_ = true; }
    bool given_up() const { return given_up_; }

 private:
    std::atomic<int> at_work_ = 0;
    std::atomic<int> waiting_ = 0;
    std::atomic<std::int64_t> beats_ = 0;
    std::atomic<std::int64_t> bytes_ = 0;  // since the last tick
    std::atomic<bool> given_up_ = false;
    std::int64_t seen_ = 0;  // beats, by tick()
    int left_ = kPatience;
};

inline bool Heartbeat::tick() {
    constexpr std::int64_t kMegabyte = 1'000'000;
    const std::int64_t beats = beats_;
    if (at_work_ == 0 || std::exchange(seen_, beats) != beats) {
        const std::int64_t more = bytes_.exchange(0) / kMegabyte * kTicksPerMegabyte;
        left_ = static_cast<int>(std::min<std::int64_t>(kPatience + more, kMostPatience));
        return false;
    }
    if (waiting_ == 0) --left_;
    return left_ <= 0;
}

}  // namespace weft
