#include <csignal>

#include <gtest/gtest.h>

#include "app/cli/signals.h"

namespace weft {
namespace {

// Overflows any stack; the addition after the call keeps it from becoming a loop.
// NOLINTNEXTLINE(misc-no-recursion)
[[gnu::noinline]] int recurse(const volatile int* above) {
    volatile int here[256] = {*above};
    const int below = here[0] == 0 ? 0 : recurse(here);
    return below + here[0];
}

void overflow_stack() {
    for (const int fault : {SIGSEGV, SIGBUS}) (void)std::signal(fault, SIG_DFL);
    report_crashes();
    volatile int start = 1;
    start = recurse(&start);
}

TEST(CliCrashReport, AnOverflownStackIsReported) {
    EXPECT_EXIT(overflow_stack(), testing::KilledBySignal(SIGSEGV), "crashed: SIGSEGV");
}

}  // namespace
}  // namespace weft
