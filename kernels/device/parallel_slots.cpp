#include "kernels/device/parallel_slots.h"

#include <atomic>

#include <opencv2/core/utility.hpp>

namespace weft {

namespace {

// OpenCV and TBB order these calls by locks of their own, which ThreadSanitizer cannot see in
// libraries that are not built for it: it would report every sample as a race. The two atomics
// order them once more in its sight, for some nanoseconds a launch.
class SlotLoop final : public cv::ParallelLoopBody {
 public:
    explicit SlotLoop(const std::function<void(int)>& body) : body_(body) {
        published_.store(true, std::memory_order_release);
    }

    void operator()(const cv::Range& range) const override {
        while (!published_.load(std::memory_order_acquire)) continue;
        for (int slot = range.start; slot < range.end; ++slot) body_(slot);
        ended_.fetch_add(1, std::memory_order_release);
    }

    void join() const { (void)ended_.load(std::memory_order_acquire); }

 private:
    const std::function<void(int)>& body_;
    std::atomic<bool> published_ = false;
    mutable std::atomic<int> ended_ = 0;
};

}  // namespace

void parallel_slots(int slots, const std::function<void(int)>& body) {
    const SlotLoop loop(body);
    cv::parallel_for_(cv::Range(0, slots), loop, slots);
    loop.join();
}

}  // namespace weft
