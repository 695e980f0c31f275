// The last race of the same work, kept in a folder from one start of the program to the next.
#include "app/viewer/race/last_race.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/clips.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;

const RaceOrigin kOrigin = {"9.9", "a.mp4", "gaussian=sigma=2"};

RaceSnapshot race_of(double seconds, const std::string& step = "gaussian=sigma=2") {
    RaceSnapshot race;
    race.settings.enabled = true;
    race.device.name = "Some CPU";
    race.device.multiprocessors = 4;
    race.step.filter = "gaussian";
    race.step.text = step;
    race.step.problems = {"1280×720 u8, 13×13 taps, mirror"};
    race.step.kernels.emplace_back();
    race.step.kernels.back().kernel = "direct";
    race.step.kernels.back().seconds.add(seconds);
    race.complete = true;
    return race;
}

// `second` is a kernel after "direct": without samples if it has 0 seconds.
RaceSnapshot race_of_two(double first, double second) {
    RaceSnapshot race = race_of(first);
    race.step.kernels.emplace_back();
    race.step.kernels.back().kernel = "fft";
    if (second > 0) race.step.kernels.back().seconds.add(second);
    return race;
}

class ViewerLastRace : public testing::Test {
 protected:
    // Keeps races like one window until it is closed, which waits for the files.
    double last_after(const std::vector<RaceSnapshot>& races) {
        LastRace last(folder_, [this](const std::string& text) { problems_.push_back(text); });
        for (const RaceSnapshot& race : races) last.follow(race, kOrigin);
        return seconds_of(last);
    }
    static double seconds_of(const LastRace& last) {
        if (last.get() == nullptr) return 0;
        return last.get()->steps.front().step.kernels.front().seconds.median_seconds();
    }
    std::vector<fs::path> files() const {
        std::vector<fs::path> files;
        for (const auto& entry : fs::directory_iterator(folder_)) files.push_back(entry.path());
        return files;
    }
    void TearDown() override { fs::remove_all(folder_); }

    const fs::path folder_ = clip_dir() / "races";
    std::vector<std::string> problems_;
};

TEST_F(ViewerLastRace, IsTheOneBeforeThisOne) {
    EXPECT_EQ(last_after({race_of(0.5)}), 0) << "this race is the first";
    EXPECT_DOUBLE_EQ(last_after({race_of(0.25)}), 0.5);
    EXPECT_DOUBLE_EQ(last_after({race_of(1)}), 0.25);
    EXPECT_EQ(files().size(), 1U);
    EXPECT_TRUE(problems_.empty());
}

TEST_F(ViewerLastRace, StaysWhileTheRaceGoesOn) {
    (void)last_after({race_of(0.5)});
    RaceSnapshot more = race_of(0.25);
    more.step.kernels.front().seconds.add(0.25);
    EXPECT_DOUBLE_EQ(last_after({race_of(0.25), more}), 0.5);
    EXPECT_DOUBLE_EQ(last_after({more}), 0.25);
}

TEST_F(ViewerLastRace, IsReplacedByARestart) {
    RaceSnapshot again = race_of(0.25);
    again.settings.start = 1;
    EXPECT_DOUBLE_EQ(last_after({race_of(0.5), again}), 0.5);
    RaceSnapshot off;
    EXPECT_DOUBLE_EQ(last_after({race_of(1), off, race_of(2)}), 1);
    EXPECT_EQ(last_after({race_of(1), off}), 0) << "nothing is raced";
}

TEST_F(ViewerLastRace, AnUnfinishedRaceIsNotStored) {
    RaceSnapshot running = race_of(0.5);
    running.complete = false;
    (void)last_after({running});
    EXPECT_EQ(last_after({race_of(1)}), 0);
}

// A selection leaves kernels without samples.
TEST_F(ViewerLastRace, ARaceOfFewerKernelsDoesNotReplaceIt) {
    (void)last_after({race_of_two(0.5, 2)});
    EXPECT_DOUBLE_EQ(last_after({race_of_two(0.25, 0)}), 0.5);
    EXPECT_DOUBLE_EQ(last_after({race_of_two(0.25, 0), race_of_two(0.25, 2)}), 0.5);
    EXPECT_DOUBLE_EQ(last_after({race_of_two(1, 2)}), 0.25) << "the rest was raced later";
}

TEST_F(ViewerLastRace, AKernelThatCanNoLongerRunDoesNotKeepIt) {
    (void)last_after({race_of_two(0.5, 2)});
    RaceSnapshot refused = race_of_two(0.25, 0);
    refused.step.kernels.back().why_not = "it needs a GPU";
    EXPECT_DOUBLE_EQ(last_after({refused}), 0.5);
    EXPECT_DOUBLE_EQ(last_after({race_of(1)}), 0.25) << "nor does one that weft no longer has";
    EXPECT_DOUBLE_EQ(last_after({race_of(2)}), 1);
}

TEST_F(ViewerLastRace, IsOfTheSameWorkAndDevice) {
    (void)last_after({race_of(0.5)});
    EXPECT_EQ(last_after({race_of(1, "gaussian=sigma=3")}), 0);
    RaceSnapshot other = race_of(1);
    other.device.name = "Other CPU";
    EXPECT_EQ(last_after({other}), 0);
    other = race_of(1);
    other.settings.caches = CacheState::cold;
    EXPECT_EQ(last_after({other}), 0);
    EXPECT_DOUBLE_EQ(last_after({race_of(1)}), 0.5);
    EXPECT_TRUE(problems_.empty());
}

TEST_F(ViewerLastRace, AFileThatIsNoRaceIsReportedAndReplaced) {
    (void)last_after({race_of(0.5)});
    const fs::path file = files().front();
    std::ofstream(file) << "{\"schema\": 1";
    EXPECT_EQ(last_after({race_of(0.25)}), 0);
    ASSERT_EQ(problems_.size(), 1U);
    EXPECT_EQ(problems_.front(),
              file.string() + ": this is not the record of a race: not valid JSON");
    EXPECT_DOUBLE_EQ(last_after({race_of(1)}), 0.25);
    EXPECT_EQ(problems_.size(), 1U);
}

TEST_F(ViewerLastRace, AFileOfAnotherMachineIsReportedAndReplaced) {
    (void)last_after({race_of(0.5)});
    RaceSnapshot other = race_of(1);
    other.device.name = "Other CPU";
    write_race(files().front().string(), other, kOrigin, Overwrite::replace);
    EXPECT_EQ(last_after({race_of(0.25)}), 0);
    ASSERT_EQ(problems_.size(), 1U);
    EXPECT_DOUBLE_EQ(last_after({race_of(1)}), 0.25);
}

TEST_F(ViewerLastRace, TheNewestFilesStay) {
    std::vector<RaceSnapshot> races;
    for (std::size_t k = 0; k < LastRace::kMostFiles + 3; ++k)
        races.push_back(race_of(1, "gaussian=sigma=" + std::to_string(k)));
    (void)last_after(races);
    EXPECT_EQ(files().size(), LastRace::kMostFiles);
    EXPECT_EQ(last_after({races.back()}), 1);
    EXPECT_EQ(files().size(), LastRace::kMostFiles);
}

TEST_F(ViewerLastRace, WithoutAFolderNothingIsKept) {
    LastRace last({}, [](const std::string& text) { ADD_FAILURE() << text; });
    last.follow(race_of(1), kOrigin);
    EXPECT_EQ(last.get(), nullptr);
}

// A file in place of the folder.
TEST_F(ViewerLastRace, AFolderThatCannotBeWrittenIsReported) {
    std::ofstream(folder_) << "in the way";
    EXPECT_EQ(last_after({race_of(1)}), 0);
    EXPECT_EQ(problems_.size(), 1U);
}

}  // namespace
}  // namespace weft::test
