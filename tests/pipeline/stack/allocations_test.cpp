// Structures that every frame passes through do not allocate once they have been full.
#include "tests/support/allocations.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "app/media/picture/frame.h"
#include "app/pipeline/bounded_queue.h"
#include "app/pipeline/report/durations.h"
#include "tests/pipeline/test_frames.h"

namespace weft::test {
namespace {

constexpr int kFrames = 100;

template <class Work>
std::int64_t allocations_of(const Work& work) {
    const std::int64_t before = allocations();
    for (int k = 0; k < kFrames; ++k) work(k);
    return allocations() - before;
}

TEST(PipelineAllocations, AreCounted) {
    std::vector<std::unique_ptr<int>> owners(kFrames);
    EXPECT_EQ(allocations_of(
                  [&](int k) { owners[static_cast<std::size_t>(k)] = std::make_unique<int>(k); }),
              kFrames);
}

TEST(PipelineAllocations, AQueueReusesItsNodes) {
    BoundedQueue<int> queue(3);
    for (int k = 0; k < 3; ++k) queue.push(k, 1, {});
    EXPECT_EQ(allocations_of([&](int k) {
                  EXPECT_EQ(queue.pop({}), k);
                  queue.push(k + 3, 1, {});
              }),
              0);
}

TEST(PipelineAllocations, ViewsOfAFrameDoNotAllocate) {
    for (const FormatRow& row : format_rows()) {
        const AVFramePtr frame = random_frame(row, 33, 17, 1);
        EXPECT_EQ(allocations_of([&](int) { EXPECT_FALSE(plane_views(*frame).empty()); }), 0)
            << row.format;
    }
}

TEST(PipelineAllocations, DurationsKeepTheirSize) {
    Durations durations;
    durations.add(1e-4);
    durations.add(1e-1);
    EXPECT_EQ(allocations_of([&](int k) { durations.add(1e-4 + 5e-4 * k); }), 0);
}

}  // namespace
}  // namespace weft::test
