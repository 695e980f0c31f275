#include "app/pipeline/bounded_queue.h"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(PipelineQueue, KeepsOrderAcrossThreads) {
    BoundedQueue<int> queue(3);
    const std::stop_source stop;
    std::thread producer([&] {
        for (int k = 0; k < 1000; ++k) queue.push(k, 1, stop.get_token());
        queue.close();
    });
    std::vector<int> got;
    while (const auto item = queue.pop(stop.get_token())) got.push_back(*item);
    producer.join();
    ASSERT_EQ(got.size(), 1000U);
    for (int k = 0; k < 1000; ++k) EXPECT_EQ(got[static_cast<std::size_t>(k)], k);
}

// The producer cannot be ahead by more than the capacity, whatever the timing.
TEST(PipelineQueue, NeverHoldsMoreThanItsCapacity) {
    BoundedQueue<int> queue(10);
    const std::stop_source stop;
    std::thread producer([&] {
        for (int k = 0; k < 500; ++k) queue.push(k, 4, stop.get_token());
        queue.close();
    });
    std::size_t most = 0;
    while (queue.pop(stop.get_token())) most = std::max(most, queue.weight());
    producer.join();
    EXPECT_LE(most, 10U);
}

TEST(PipelineQueue, ItemHeavierThanCapacityPassesAlone) {
    BoundedQueue<int> queue(10);
    const std::stop_source stop;
    EXPECT_TRUE(queue.push(1, 1000, stop.get_token()));
    EXPECT_EQ(queue.weight(), 1000U);
    EXPECT_EQ(queue.pop(stop.get_token()), 1);
    EXPECT_EQ(queue.weight(), 0U);
}

TEST(PipelineQueue, FullQueueBlocksUntilPopped) {
    BoundedQueue<int> queue(1);
    const std::stop_source stop;
    queue.push(1, 1, stop.get_token());
    std::atomic<bool> pushed{false};
    std::thread producer([&] {
        queue.push(2, 1, stop.get_token());
        pushed = true;
    });
    EXPECT_FALSE(pushed);  // impossible before the pop, however long the producer waits
    EXPECT_EQ(queue.pop(stop.get_token()), 1);
    EXPECT_EQ(queue.pop(stop.get_token()), 2);
    producer.join();
    EXPECT_TRUE(pushed);
}

TEST(PipelineQueue, CloseGivesWhatIsLeftThenNothing) {
    BoundedQueue<std::unique_ptr<int>> queue(5);
    const std::stop_source stop;
    queue.push(std::make_unique<int>(7), 1, stop.get_token());
    queue.close();
    const auto item = queue.pop(stop.get_token());
    ASSERT_TRUE(item.has_value());
    EXPECT_EQ(**item, 7);
    EXPECT_FALSE(queue.pop(stop.get_token()).has_value());
}

TEST(PipelineQueue, StopWakesAWaitingPushAndPop) {
    BoundedQueue<int> full(1);
    BoundedQueue<int> empty(1);
    std::stop_source stop;
    full.push(1, 1, stop.get_token());
    bool pushed = true;
    bool popped = true;
    std::thread producer([&] { pushed = full.push(2, 1, stop.get_token()); });
    std::thread consumer([&] { popped = empty.pop(stop.get_token()).has_value(); });
    stop.request_stop();
    producer.join();
    consumer.join();
    EXPECT_FALSE(pushed);
    EXPECT_FALSE(popped);
    EXPECT_FALSE(full.pop(stop.get_token()).has_value());  // a stopped queue returns nothing
}

}  // namespace
}  // namespace weft
