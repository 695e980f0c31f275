// errno detects shortages of memory that libav hides.
#include "app/media/libav/shortage.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace weft::test {
namespace {

// Buffers of frames between small ones, in the order of a batch of photos. Returns how many
// allocations succeeded and left ENOMEM.
int allocate(unsigned seed) {
    std::mt19937 random(seed);
    std::vector<void*> held(4);
    int wrong = 0;
    for (int round = 0; round < 400; ++round) {
        void*& place = held[random() % held.size()];
        std::free(std::exchange(place, nullptr));
        const std::size_t bytes =
            random() % 3 == 0 ? 1000 + random() % 200'000 : 4'000'000 + random() % 20'000'000;
        errno = 0;
        if (posix_memalign(&place, 64, bytes) == 0 && errno == ENOMEM) ++wrong;
    }
    for (void* const memory : held) std::free(memory);
    return wrong;
}

// In a process of its own, which has no arenas yet. With many arenas some 70 to 270 are wrong.
TEST(MediaShortage, MemoryThatWasGotIsNotReportedMissing) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            share_one_arena();
            std::atomic<int> wrong = 0;
            {
                std::vector<std::jthread> threads;
                for (unsigned k = 0; k < 16; ++k)
                    threads.emplace_back([&wrong, k] { wrong += allocate(k); });
            }
            std::exit(wrong == 0 ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace weft::test
