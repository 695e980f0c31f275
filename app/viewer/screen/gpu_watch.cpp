#include "app/viewer/screen/gpu_watch.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace weft {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kInterval{1};
constexpr std::chrono::seconds kInterest{2};

}  // namespace

struct GpuWatch::Impl {
    Impl(Device on, std::function<void()> tell)
        : device(std::move(on)), on_change(std::move(tell)) {
        thread = std::jthread([this](const std::stop_token& stop) { run(stop); });
    }

    bool wanted() const { return SteadyClock::now() < looked + kInterest; }

    // The driver may be slow, so no lock is held while it is called.
    void run(const std::stop_token& stop) {
        std::unique_lock lock(mutex);
        if (!wake.wait(lock, stop, [&] { return wanted(); })) return;
        lock.unlock();
        const GpuMonitor monitor(device);
        lock.lock();
        view.why_not = monitor.why_not();
        while (monitor.why_not().empty() && wake.wait(lock, stop, [&] { return wanted(); })) {
            lock.unlock();
            GpuReading reading = monitor.read();
            lock.lock();
            view.reading = std::move(reading);
            if (on_change) on_change();
            wake.wait_for(lock, stop, kInterval, [] { return false; });
        }
    }

    Device device;
    std::function<void()> on_change;
    std::mutex mutex;
    std::condition_variable_any wake;
    SteadyClock::time_point looked;  // long ago
    View view;
    std::jthread thread;  // last: it uses all of the above
};

GpuWatch::GpuWatch(Device device, std::function<void()> on_change)
    : impl_(std::make_unique<Impl>(std::move(device), std::move(on_change))) {}

GpuWatch::~GpuWatch() = default;

GpuWatch::View GpuWatch::look() {
    const std::scoped_lock lock(impl_->mutex);
    const bool slept = !impl_->wanted();
    impl_->looked = SteadyClock::now();
    if (slept) impl_->wake.notify_all();
    return impl_->view;
}

}  // namespace weft
