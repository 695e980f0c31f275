// Reads the progress of a plan every second in its own thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/viewer/plan/plan_progress.h"

namespace weft {

class PlanWatch {
 public:
    // `on_change` is called from the thread after each reading and each error. Must not block.
    PlanWatch(const PlanOpener& opener, std::function<void()> on_change);
    ~PlanWatch();
    PlanWatch(const PlanWatch&) = delete;
    PlanWatch& operator=(const PlanWatch&) = delete;

    // Returns immediately; the plan that is open is closed.
    void open(std::string path);
    void close();

    struct View {
        std::string path;                              // "" if no plan is open
        std::shared_ptr<const PlanProgress> progress;  // null before the first reading
    };
    // The last reading. Never waits.
    View look() const;
    // Why the last plan was closed by itself, once; "" if it was not.
    std::string take_error();

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace weft
