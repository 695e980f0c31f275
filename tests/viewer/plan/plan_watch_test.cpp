#include "app/viewer/plan/plan_watch.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdexcept>

#include <gtest/gtest.h>

namespace weft {
namespace {

// A plan of three files. Each reading finds one more of them finished.
class CountingPlan : public PlanSource {
 public:
    PlanProgress read(const std::stop_token& /*stop*/) override {
        PlanProgress progress;
        progress.files.resize(3);
        progress.open = 3 - static_cast<std::size_t>(++readings_);
        progress.final = progress.open == 0;
        return progress;
    }

 private:
    int readings_ = 0;
};

// A file server that does not answer before the plan is closed.
class SilentPlan : public PlanSource {
 public:
    PlanProgress read(const std::stop_token& stop) override {
        std::mutex mutex;
        std::condition_variable_any never;
        std::unique_lock lock(mutex);
        never.wait(lock, stop, [] { return false; });
        return {.summary = "a closed plan"};
    }
};

class LostPlan : public PlanSource {
 public:
    PlanProgress read(const std::stop_token& /*stop*/) override {
        throw std::runtime_error("the disk was removed");
    }
};

std::unique_ptr<PlanSource> open_plan(const std::string& path) {
    if (path == "bad") throw std::runtime_error("bad: is cut");
    if (path == "silent") return std::make_unique<SilentPlan>();
    if (path == "lost") return std::make_unique<LostPlan>();
    return std::make_unique<CountingPlan>();
}

class ViewerPlanWatch : public testing::Test {
 protected:
    // Waits until a change of the watch fulfils that.
    void wait_for(const std::function<bool()>& is_so) {
        std::unique_lock lock(mutex_);
        while (!is_so()) {
            changed_.wait(lock, [this] { return changes_ > seen_; });
            seen_ = changes_;
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    int changes_ = 0;
    int seen_ = 0;
    PlanWatch watch_{{.is_plan = nullptr, .open = open_plan}, [this] {
                         const std::scoped_lock lock(mutex_);
                         ++changes_;
                         changed_.notify_all();
                     }};
};

TEST_F(ViewerPlanWatch, ReadsUntilNothingIsOpen) {
    EXPECT_EQ(watch_.view().path, "");
    watch_.open("films.plan");
    EXPECT_EQ(watch_.view().path, "films.plan");
    wait_for([&] { return watch_.view().progress && watch_.view().progress->final; });
    EXPECT_EQ(watch_.view().progress->open, 0U);
    EXPECT_EQ(watch_.take_error(), "");
    watch_.close();
    EXPECT_EQ(watch_.view().path, "");
    EXPECT_EQ(watch_.view().progress, nullptr);
}

TEST_F(ViewerPlanWatch, ARefusedPlanIsClosedWithItsSentence) {
    for (const auto& [path, sentence] :
         {std::pair("bad", "bad: is cut"), std::pair("lost", "the disk was removed")}) {
        watch_.open(path);
        std::string error;
        wait_for([&] { return !(error = watch_.take_error()).empty(); });
        EXPECT_EQ(error, sentence);
        EXPECT_EQ(watch_.view().path, "");
        EXPECT_EQ(watch_.take_error(), "") << "taken twice";
    }
}

TEST_F(ViewerPlanWatch, ASlowPlanHoldsUpNeitherOthersNorTheEnd) {
    watch_.open("silent");
    EXPECT_EQ(watch_.view().progress, nullptr);
    watch_.open("films.plan");
    wait_for([&] { return watch_.view().progress != nullptr; });
    EXPECT_EQ(watch_.view().path, "films.plan");
    EXPECT_EQ(watch_.view().progress->summary, "");
    watch_.open("silent");
}

}  // namespace
}  // namespace weft
