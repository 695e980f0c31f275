#include "app/cli/view/window_plans.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/cli/batch/batch_arguments.h"
#include "app/cli/batch/check_command.h"
#include "app/pipeline/stack_words.h"

namespace weft {
namespace {

PlannedState state_of(const FileCheck& check) {
    switch (check.state) {
        case FileState::done:
            return PlannedState::done;
        case FileState::damaged:
            return PlannedState::damaged;
        case FileState::failed:
            return PlannedState::given_up;
        case FileState::unjoined:
            return PlannedState::unjoined;
        case FileState::missing:
            break;
    }
    return check.failed ? PlannedState::failed : PlannedState::missing;
}

PlanProgress progress_of(const PlanState& state) {
    PlanProgress progress;
    for (std::size_t k = 0; k < state.size(); ++k) {
        const PlanState::Item item = state[k];
        progress.files.push_back({.name = item.file.name + part_text(item.file),
                                  .shard = item.shard,
                                  .state = state_of(item.check),
                                  .reason = item.check.reason});
    }
    progress.shards = shards_of(progress.files);
    progress.open = state.count(FileState::missing);
    progress.summary = summary_text(state);
    progress.pace = pace_text(state);
    progress.final = progress.open + state.count(FileState::unjoined) == 0;
    return progress;
}

BatchOptions options_of(const std::string& path, const PlanReader& plan) {
    const std::string arguments[] = {"--run=" + path, "--check"};
    BatchOptions options = parse_planned_batch(arguments, plan.head());
    options.job.writer.run = std::make_shared<RunFiles>();
    return options;
}

class OpenPlan : public PlanSource {
 public:
    OpenPlan(const std::string& path, PlanReader&& plan)
        : options_(options_of(path, plan)),
          stack_(load_stack(options_.stack)),
          files_(files_of_plan(options_, plan)),
          fitting_(files_, options_.job.writer),
          state_(state_of_plan(options_, files_, fitting_, stack_)) {}

    PlanProgress read(const std::stop_token& stop) override {
        state_.update(stop);
        return progress_of(state_);
    }

 private:
    BatchOptions options_;
    Stack stack_;
    std::vector<JobFile> files_;
    FittingOptions fitting_;
    PlanState state_;
};

std::unique_ptr<PlanSource> open_plan(const std::string& path) {
    return std::make_unique<OpenPlan>(path, PlanReader(path));
}

}  // namespace

PlanOpener window_plans() {
    return {.is_plan = is_plan, .open = open_plan};
}

}  // namespace weft
