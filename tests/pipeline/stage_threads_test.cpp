#include "app/pipeline/stage_threads.h"

#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "app/pipeline/bounded_queue.h"

namespace weft {
namespace {

using Queue = BoundedQueue<int>;

TEST(PipelineThreads, RunToTheEnd) {
    StageThreads threads{std::stop_token()};
    Queue queue(2);
    int sum = 0;
    threads.start([&](const std::stop_token& stop) {
        for (int k = 1; k <= 100; ++k) queue.push(k, 1, stop);
        queue.close();
    });
    threads.run_here([&](const std::stop_token& stop) {
        while (const auto item = queue.pop(stop)) sum += *item;
    });
    threads.join();
    EXPECT_EQ(sum, 5050);
}

// The producer blocks on a full queue until the failure of another stage wakes it.
TEST(PipelineThreads, FirstExceptionStopsTheOthers) {
    StageThreads threads{std::stop_token()};
    Queue queue(1);
    bool producer_stopped = false;
    threads.start([&](const std::stop_token& stop) {
        int k = 0;
        while (queue.push(k, 1, stop)) ++k;
        producer_stopped = true;
    });
    threads.run_here([&](const std::stop_token& stop) {
        queue.pop(stop);
        throw std::runtime_error("the disk is full");
    });
    try {
        threads.join();
        FAIL() << "the exception is lost";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "the disk is full");
    }
    EXPECT_TRUE(producer_stopped);
}

TEST(PipelineThreads, LaterExceptionsAreDropped) {
    StageThreads threads{std::stop_token()};
    threads.run_here([](const std::stop_token&) { throw std::runtime_error("first"); });
    threads.start([](const std::stop_token&) { throw std::runtime_error("second"); });
    try {
        threads.join();
        FAIL() << "the exception is lost";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "first");
    }
}

TEST(PipelineThreads, OuterStopReachesEveryStage) {
    std::stop_source outer;
    StageThreads threads(outer.get_token());
    Queue empty(1);
    bool ended = false;
    threads.start([&](const std::stop_token& stop) {
        empty.pop(stop);
        ended = true;
    });
    outer.request_stop();
    threads.join();
    EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace weft
