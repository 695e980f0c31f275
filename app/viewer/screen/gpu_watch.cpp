#include "app/viewer/screen/gpu_watch.h"

#include <utility>

namespace weft {
namespace {

constexpr std::chrono::milliseconds kInterval{250};
constexpr std::chrono::seconds kInterest{2};

}  // namespace

GpuWatch::GpuWatch(Device device, std::function<void()> on_change)
    : device_(std::move(device)), on_change_(std::move(on_change)) {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

bool GpuWatch::wanted() const {
    return Clock::now() < looked_ + kInterest;
}

// The driver may be slow, so no lock is held while it is called.
void GpuWatch::run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!wake_.wait(lock, stop, [&] { return wanted(); })) return;
    lock.unlock();
    const GpuMonitor monitor(device_);
    lock.lock();
    view_.why_not = monitor.why_not();
    while (monitor.why_not().empty() && wake_.wait(lock, stop, [&] { return wanted(); })) {
        lock.unlock();
        GpuReading reading = monitor.read();
        lock.lock();
        view_.reading = std::move(reading);
        ++view_.readings;
        if (on_change_) on_change_();
        wake_.wait_for(lock, stop, kInterval, [] { return false; });
    }
}

GpuWatch::View GpuWatch::view() {
    const std::scoped_lock lock(mutex_);
    const bool slept = !wanted();
    looked_ = Clock::now();
    if (slept) wake_.notify_all();
    return view_;
}

}  // namespace weft
