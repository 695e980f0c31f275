#include "app/viewer/plan/plan_watch.h"

#include <chrono>
#include <exception>
#include <sys/resource.h>
#include <utility>

namespace weft {
namespace {

constexpr std::chrono::seconds kInterval{1};
constexpr int kNice = 15;  // other work gets the cores first

}  // namespace

PlanWatch::PlanWatch(const PlanOpener& opener, std::function<void()> on_change)
    : opener_(opener),
      task_([this](const std::string& path, const auto& closed) { follow(path, closed); },
            std::move(on_change)) {}

void PlanWatch::open(std::string path) {
    const View opened{.path = path, .progress = nullptr};
    task_.ask(std::move(path), [&](State& state) { state = {.view = opened, .error = ""}; });
}

void PlanWatch::close() {
    open("");
}

PlanWatch::View PlanWatch::view() const {
    return task_.read(&State::view);
}

std::string PlanWatch::take_error() {
    std::string error = task_.read(&State::error);
    if (!error.empty()) close();
    return error;
}

void PlanWatch::follow(const std::string& path, const std::stop_token& closed) {
    if (path.empty()) return;
    // Linux applies this to the calling thread only.
    (void)setpriority(PRIO_PROCESS, 0, kNice);
    const auto publish = [&](const State& next) {
        task_.publish(closed, [&](State& state) { state = next; });
    };
    try {
        const std::unique_ptr<PlanSource> plan = opener_.open(path);
        bool final = false;
        do {
            auto progress = std::make_shared<const PlanProgress>(plan->read(closed));
            final = progress->final;
            publish({.view = {.path = path, .progress = std::move(progress)}, .error = ""});
        } while (!final && task_.wait(closed, kInterval));
    } catch (const std::exception& failure) {
        publish({.view = {}, .error = failure.what()});
    }
}

}  // namespace weft
