#include "app/viewer/plan/plan_watch.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <sys/resource.h>
#include <thread>
#include <utility>

namespace weft {
namespace {

constexpr std::chrono::seconds kInterval{1};
constexpr int kNice = 15;  // other work gets the cores first

}  // namespace

struct PlanWatch::Impl {
    Impl(const PlanOpener& how, std::function<void()> tell)
        : opener(how), on_change(std::move(tell)) {
        thread = std::jthread([this](const std::stop_token& stop) { run(stop); });
    }
    ~Impl() { set(""); }

    void set(std::string path) {
        const std::scoped_lock lock(mutex);
        reading.request_stop();
        reading = {};
        view = {.path = std::move(path), .progress = nullptr};
        error.clear();
        is_new = true;
        wake.notify_all();
    }

    void run(const std::stop_token& stop) {
        // Linux applies this to the calling thread only.
        (void)setpriority(PRIO_PROCESS, 0, kNice);
        std::unique_lock lock(mutex);
        while (wake.wait(lock, stop, [this] { return is_new; })) {
            is_new = false;
            if (view.path.empty()) continue;
            const std::string path = view.path;
            const std::stop_token closed = reading.get_token();
            lock.unlock();
            follow(path, closed);
            lock.lock();
        }
    }

    void follow(const std::string& path, const std::stop_token& closed) {
        try {
            const std::unique_ptr<PlanSource> plan = opener.open(path);
            bool final = false;
            do {
                auto progress = std::make_shared<const PlanProgress>(plan->read(closed));
                final = progress->final;
                publish({.path = path, .progress = std::move(progress)}, "", closed);
            } while (!final && wait(closed));
        } catch (const std::exception& failure) {
            publish({}, failure.what(), closed);
        }
    }

    void publish(View next, std::string sentence, const std::stop_token& closed) {
        {
            const std::scoped_lock lock(mutex);
            if (closed.stop_requested()) return;
            view = std::move(next);
            error = std::move(sentence);
        }
        on_change();
    }

    // False once the plan is closed.
    bool wait(const std::stop_token& closed) {
        std::unique_lock lock(mutex);
        wake.wait_for(lock, closed, kInterval, [] { return false; });
        return !closed.stop_requested();
    }

    const PlanOpener opener;
    const std::function<void()> on_change;
    std::mutex mutex;
    std::condition_variable_any wake;
    View view;
    std::string error;
    bool is_new = false;       // run() has not begun with the path yet
    std::stop_source reading;  // stopped when the path is no longer wanted
    std::jthread thread;       // last: it uses all of the above
};

PlanWatch::PlanWatch(const PlanOpener& opener, std::function<void()> on_change)
    : impl_(std::make_unique<Impl>(opener, std::move(on_change))) {}

PlanWatch::~PlanWatch() = default;

void PlanWatch::open(std::string path) {
    impl_->set(std::move(path));
}

void PlanWatch::close() {
    impl_->set("");
}

PlanWatch::View PlanWatch::look() const {
    const std::scoped_lock lock(impl_->mutex);
    return impl_->view;
}

std::string PlanWatch::take_error() {
    const std::scoped_lock lock(impl_->mutex);
    return std::exchange(impl_->error, "");
}

}  // namespace weft
