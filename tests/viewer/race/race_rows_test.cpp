// The Kernels panel's table and curves, and the kernels chosen there.
#include "app/viewer/race/race_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::test {
namespace {

KernelResult kernel_of(const char* name, const std::vector<double>& seconds, double error = 0) {
    KernelResult kernel;
    kernel.kernel = name;
    for (const double s : seconds) kernel.seconds.add(s);
    kernel.error = {.largest = error, .pixels = 10, .differing = error > 0 ? 5 : 0};
    kernel.allowed_difference = 1;
    return kernel;
}

RaceSnapshot some_race() {
    RaceSnapshot snapshot;
    snapshot.settings.kernels = {"quick", "same", "broken", "slow", "refused"};
    StepResult& step = snapshot.step;
    step.reference = "plain";
    step.baseline = "slow";
    step.bytes = 1e6;
    step.empty.add(1e-5);
    step.copy.add(1e-3);
    step.kernels = {kernel_of("refused", {}),          kernel_of("idle", {5e-3}),
                    kernel_of("plain", {4e-3}),        kernel_of("slow", {6e-3}),
                    kernel_of("quick", {2e-3}, 1),     kernel_of("same", {2.01e-3}),
                    kernel_of("broken", {1e-3}, 200.0)};
    step.kernels[0].why_not = "it takes nothing";
    return snapshot;
}

std::vector<std::string> names(const RaceSnapshot& snapshot, RaceOrder order) {
    std::vector<std::string> names;
    for (const RaceRow& row : race_rows(snapshot, order))
        names.push_back(snapshot.step.kernels[row.index].kernel);
    return names;
}

TEST(ViewerRaceRows, MeasuredKernelsComeFirst) {
    using testing::ElementsAre;
    const RaceSnapshot race = some_race();
    EXPECT_THAT(names(race, {}),
                ElementsAre("broken", "quick", "same", "plain", "slow", "idle", "refused"));
    EXPECT_THAT(names(race, {RaceColumn::median, true}),
                ElementsAre("slow", "plain", "same", "quick", "broken", "idle", "refused"));
    EXPECT_THAT(names(race, {RaceColumn::kernel, false}),
                ElementsAre("plain", "slow", "quick", "same", "broken", "idle", "refused"));
    EXPECT_THAT(names(race, {RaceColumn::error, true}),
                ElementsAre("broken", "quick", "plain", "slow", "same", "idle", "refused"));
    EXPECT_THAT(names(race, {RaceColumn::bound, true}),
                ElementsAre("broken", "quick", "same", "plain", "slow", "idle", "refused"));
    EXPECT_THAT(names(race, {RaceColumn::speed_up, true}),
                ElementsAre("broken", "quick", "same", "plain", "slow", "idle", "refused"));
}

// Faster, slower, as fast within the noise of the record, and not recorded.
TEST(ViewerRaceRows, ChangesAreMeasuredAgainstTheRecordedRace) {
    const RaceSnapshot race = some_race();
    RaceSnapshot recorded;
    recorded.step.kernels = {kernel_of("quick", {4e-3}), kernel_of("slow", {3e-3}),
                             kernel_of("same", {}), kernel_of("refused", {1e-3}),
                             kernel_of("broken", {})};
    recorded.step.kernels[2].seconds = Samples::summary(240, 1e-3, 3e-3, 4e-3);
    const auto of = [&](const std::string& name) {
        for (const RaceRow& row : race_rows(race, {}, &recorded))
            if (race.step.kernels[row.index].kernel == name) return row.change;
        return RaceChange{};
    };
    EXPECT_DOUBLE_EQ(of("quick").ratio, 0.5);
    EXPECT_FALSE(of("quick").tie);
    EXPECT_EQ(change_text(of("quick")), "−50 %");
    EXPECT_EQ(change_text(of("slow")), "+100 %");
    EXPECT_TRUE(of("same").tie);
    EXPECT_EQ(of("same").recorded_seconds, 3e-3);
    EXPECT_EQ(change_text(of("same")), "−33 %");
    EXPECT_EQ(of("refused").ratio, 0) << "it does not run now";
    EXPECT_EQ(of("broken").recorded_seconds, 0) << "it did not run then";
    EXPECT_EQ(change_text(of("broken")), "-");
    EXPECT_EQ(change_text({.ratio = 0.999}), "0 %");
    EXPECT_EQ(change_text({.ratio = 30}), "30×");
    EXPECT_EQ(change_text({.ratio = 0.02}), "1/50×");
    const std::vector<RaceRow> rows = race_rows(race, {RaceColumn::change, true}, &recorded);
    EXPECT_EQ(race.step.kernels[rows.front().index].kernel, "slow");
}

TEST(ViewerRaceRows, RecordedMediansAreOnTheAxis) {
    const RaceSnapshot race = some_race();
    RaceSnapshot recorded;
    recorded.step.kernels = {kernel_of("quick", {1}), kernel_of("idle", {100})};
    const LogAxis axis = samples_axis(race, race_rows(race, {}, &recorded));
    EXPECT_GE(axis.most, 1);
    EXPECT_LT(axis.most, 100) << "of a kernel that does not race";
}

// All of its rows are in the same table.
TEST(ViewerRaceRows, AnOpenRecordIsOnTheAxis) {
    RaceSnapshot record;
    record.step.kernels = {kernel_of("quick", {100})};
    record.step.empty.add(1e-8);
    const LogAxis axis = samples_axis(some_race(), {}, &record);
    EXPECT_LE(axis.least, 1e-8);
    EXPECT_GE(axis.most, 100);
}

TEST(ViewerRaceRows, MarksTiesFastestAndWrong) {
    RaceSnapshot race = some_race();
    race.step.baseline = "quick";
    const std::vector<RaceRow> rows = race_rows(race, {});
    EXPECT_TRUE(rows[0].wrong);
    EXPECT_FALSE(rows[0].fastest) << "it is not correct";
    EXPECT_TRUE(rows[1].fastest);
    EXPECT_TRUE(rows[1].baseline);
    EXPECT_FALSE(rows[1].ties_with_baseline);
    EXPECT_FALSE(rows[1].wrong) << "one step is allowed";
    EXPECT_TRUE(rows[2].fastest) << "within the noise";
    EXPECT_TRUE(rows[2].ties_with_baseline);
    EXPECT_FALSE(rows[3].fastest);
    EXPECT_FALSE(rows[3].ties_with_baseline);
    EXPECT_DOUBLE_EQ(rows[3].speed_up, 0.5);
    EXPECT_EQ(rows[3].bound.limit, Limit::memory);
    EXPECT_DOUBLE_EQ(rows[3].bound.fraction, 0.25);
    EXPECT_DOUBLE_EQ(rows[3].gigabytes_per_second, 0.25);
    EXPECT_FALSE(rows[5].races) << "it was not chosen";
    EXPECT_FALSE(rows[6].races) << "it cannot";
}

// All that is drawn on it is inside, except the worst percent of the samples.
TEST(ViewerRaceRows, OneAxisIsForAllSamples) {
    RaceSnapshot race = some_race();
    Samples& slow = race.step.kernels[3].seconds;
    for (int k = 0; k < 200; ++k) slow.add(6e-3);
    slow.add(1);  // the system did something else
    const LogAxis axis = samples_axis(race, race_rows(race, {}));
    EXPECT_GT(axis.share(1e-5), 0) << "the empty launch";
    EXPECT_LT(axis.share(1e-5), 0.05);
    EXPECT_LT(axis.share(6e-3), 1);
    EXPECT_GT(axis.share(6e-3), 0.95);
    race.step.empty = {};
    race.step.copy = {};
    for (KernelResult& kernel : race.step.kernels) kernel.seconds = {};
    const LogAxis none = samples_axis(race, race_rows(race, {}));
    EXPECT_LT(none.least, none.most);
}

TEST(ViewerRaceRows, BandsCoverTheLastSamples) {
    const std::vector<double> samples = {5, 1, 3, 9, 7};
    const RunningBand band = running_band(samples, 3);
    EXPECT_THAT(band.median, testing::ElementsAre(5, 1, 3, 3, 7));
    EXPECT_THAT(band.p95, testing::ElementsAre(5, 5, 5, 9, 9));
    EXPECT_TRUE(running_band({}, 3).median.empty());
}

}  // namespace
}  // namespace weft::test
