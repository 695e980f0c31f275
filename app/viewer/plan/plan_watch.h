// Reads the progress of a plan every second in its own thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/pipeline/latest_task.h"
#include "app/viewer/plan/plan_progress.h"

namespace weft {

// For one thread, the window's.
class PlanWatch {
 public:
    // `on_change` is called from the thread after each reading and each error. Must not block.
    PlanWatch(const PlanOpener& opener, std::function<void()> on_change);

    // Returns immediately; the plan that is open is closed.
    void open(std::string path);
    void close();

    struct View {
        std::string path;                              // "" if no plan is open
        std::shared_ptr<const PlanProgress> progress;  // null before the first reading
    };
    // The last reading. Never waits.
    View view() const;
    // Why the last plan was closed by itself, once; "" if it was not.
    std::string take_error();

 private:
    struct State {
        View view;
        std::string error;
    };
    void follow(const std::string& path, const std::stop_token& closed);

    const PlanOpener opener_;
    LatestTask<std::string, State> task_;
};

}  // namespace weft
