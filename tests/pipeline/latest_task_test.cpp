#include "app/pipeline/latest_task.h"

#include <semaphore>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace weft {
namespace {

using Numbers = std::vector<int>;

TEST(PipelineLatestTask, WorksOnTheNewestRequestAlone) {
    std::binary_semaphore begun(0);
    std::binary_semaphore asked(0);
    std::binary_semaphore done(0);
    Numbers worked_on;  // read once the newest is done
    LatestTask<int, Numbers> task([&](int number, const std::stop_token& /*superseded*/) {
        worked_on.push_back(number);
        if (number == 1) {
            begun.release();
            asked.acquire();
        }
        if (number == 9) done.release();
    });
    task.ask(1);
    begun.acquire();
    for (int number = 2; number <= 9; ++number) task.ask(number);
    asked.release();
    done.acquire();
    EXPECT_EQ(worked_on, (Numbers{1, 9}));
}

TEST(PipelineLatestTask, SupersededWorkChangesNothingUnlessItInsists) {
    std::binary_semaphore begun(0);
    std::counting_semaphore changed(0);
    LatestTask<int, Numbers>* maker = nullptr;
    bool late = true;
    LatestTask<int, Numbers> task(
        [&](int number, const std::stop_token& superseded) {
            const auto add = [&](Numbers& result) { result.push_back(number); };
            if (number == 1) {
                begun.release();
                while (maker->wait(superseded, std::chrono::hours(1))) continue;
                late = maker->publish(superseded, add);
                maker->publish({}, add);
            } else {
                maker->publish(superseded, add);
            }
        },
        [&] { changed.release(); });
    maker = &task;
    task.ask(1);
    begun.acquire();
    task.ask(2, [](Numbers& result) { result = {0}; });
    changed.acquire();
    changed.acquire();
    EXPECT_FALSE(late);
    EXPECT_EQ(task.read(&Numbers::size), 3U);
    EXPECT_EQ(task.read(std::identity()), (Numbers{0, 1, 2}));
}

TEST(PipelineLatestTask, AnExceptionEndsOneRequestAndKeepsTheResult) {
    std::binary_semaphore changed(0);
    LatestTask<int, Numbers>* maker = nullptr;
    LatestTask<int, Numbers> task(
        [&](int number, const std::stop_token& superseded) {
            maker->publish(superseded, [&](Numbers& result) { result.push_back(number); });
            if (number == 1) throw std::runtime_error("one is refused");
        },
        [&] { changed.release(); });
    maker = &task;
    for (const int number : {1, 2}) {
        task.ask(number);
        changed.acquire();
    }
    EXPECT_EQ(task.read(std::identity()), (Numbers{1, 2}));
}

TEST(PipelineLatestTask, TheEndInterruptsTheWork) {
    std::binary_semaphore begun(0);
    Numbers worked_on;
    {
        LatestTask<int, Numbers>* maker = nullptr;
        LatestTask<int, Numbers> task([&](int number, const std::stop_token& superseded) {
            worked_on.push_back(number);
            begun.release();
            while (maker->wait(superseded, std::chrono::hours(1))) continue;
        });
        maker = &task;
        task.ask(1);
        begun.acquire();
    }
    EXPECT_EQ(worked_on, Numbers{1});
}

}  // namespace
}  // namespace weft
