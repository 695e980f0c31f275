#include "app/viewer/plan/plan_progress.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(ViewerPlanProgress, StatesHaveWordsAndReasons) {
    struct Row {
        PlannedState state;
        const char* reason;
        const char* words;
        bool open;
    };
    for (const Row& row :
         {Row{PlannedState::done, "", "done", false},
          Row{PlannedState::missing, "the output does not exist yet",
              "missing: the output does not exist yet", true},
          Row{PlannedState::failed, "no video", "failed: no video", true},
          Row{PlannedState::given_up, "is empty (attempt 3 of 3)",
              "failed: is empty (attempt 3 of 3)", false},
          Row{PlannedState::damaged, "damaged: ends early", "damaged: ends early", false},
          Row{PlannedState::unjoined, "part 1 of 2", "waits for --join: part 1 of 2", false}}) {
        const PlanFile file{.name = "a.mkv", .state = row.state, .reason = row.reason};
        EXPECT_EQ(state_words(file), row.words);
        EXPECT_EQ(file.is_open(), row.open) << row.words;
    }
}

TEST(ViewerPlanProgress, ShardsCountTheirFiles) {
    const auto file = [](int shard, PlannedState state) {
        return PlanFile{.name = "a", .shard = shard, .state = state};
    };
    using enum PlannedState;
    const std::vector<PlanShard> shards =
        shards_of({file(7, done), file(2, missing), file(7, failed), file(7, damaged),
                   file(7, unjoined), file(2, given_up)});
    EXPECT_EQ(shards, (std::vector<PlanShard>{
                          {.shard = 2, .files = 2, .finished = 1, .failed = 1},
                          {.shard = 7, .files = 4, .finished = 3, .failed = 1, .damaged = 1}}));
    EXPECT_EQ(problem_words({.files = 2}), "");
    EXPECT_EQ(problem_words(shards[1]), "1 failed, 1 damaged");
    EXPECT_EQ(problem_words({.damaged = 2}), "2 damaged");
}

TEST(ViewerPlanProgress, TheFractionIsOfFilesThatAreNotOpen) {
    PlanProgress progress;
    EXPECT_EQ(progress.fraction(), 1);
    progress.files.resize(4);
    progress.open = 3;
    EXPECT_EQ(progress.fraction(), 0.25);
}

}  // namespace
}  // namespace weft
