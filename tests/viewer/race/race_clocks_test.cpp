// Which samples of a race a reading of the GPU belongs to.
#include "app/viewer/race/race_clocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/viewer/race/race_rounds.h"

namespace weft::test {
namespace {

constexpr auto kWindow = static_cast<std::int64_t>(RaceRounds::kWindow);

void note(RaceClocks& clocks, std::int64_t number, std::int64_t samples) {
    GpuReading reading;
    reading.clock_mhz = static_cast<unsigned>(1000 + number);
    clocks.note(reading, number, samples);
}

// Pairs of samples and clocks.
std::vector<std::pair<std::int64_t, unsigned>> noted(const RaceClocks& clocks) {
    std::vector<std::pair<std::int64_t, unsigned>> pairs;
    for (const RaceClocks::Entry& entry : clocks.entries())
        pairs.emplace_back(entry.samples, entry.reading.clock_mhz.value_or(0));
    return pairs;
}

using testing::ElementsAre;
using testing::Pair;

TEST(ViewerRaceClocks, AReadingBelongsToTheSamplesSinceTheOneBefore) {
    RaceClocks clocks;
    note(clocks, 0, 3);  // nothing has been read yet
    EXPECT_THAT(noted(clocks), ElementsAre());
    note(clocks, 1, 5);
    note(clocks, 1, 9);  // the same reading, in another redraw
    note(clocks, 2, 12);
    note(clocks, 3, 12);  // no samples between the two
    EXPECT_THAT(noted(clocks), ElementsAre(Pair(5, 1001), Pair(12, 1002)));
}

TEST(ViewerRaceClocks, ReadingsLeaveWithTheirSamples) {
    RaceClocks clocks;
    note(clocks, 1, 10);
    note(clocks, 2, 20);
    note(clocks, 3, kWindow + 9);
    EXPECT_THAT(noted(clocks),
                ElementsAre(Pair(10, 1001), Pair(20, 1002), Pair(kWindow + 9, 1003)));
    note(clocks, 3, kWindow + 10);
    EXPECT_THAT(noted(clocks), ElementsAre(Pair(20, 1002), Pair(kWindow + 9, 1003)));
}

TEST(ViewerRaceClocks, AnotherRaceForgetsThem) {
    RaceClocks clocks;
    note(clocks, 1, 10);
    note(clocks, 1, 2);
    EXPECT_THAT(noted(clocks), ElementsAre());
    note(clocks, 2, 4);
    EXPECT_THAT(noted(clocks), ElementsAre(Pair(4, 1002)));
}

}  // namespace
}  // namespace weft::test
