// The exported table: the fields of `weft compare --json`, and quoting.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/media/libav/error.h"
#include "app/viewer/play/stage_times.h"
#include "app/viewer/race/race_rows.h"
#include "tests/support/clips.h"

namespace weft::test {
namespace {

RaceSnapshot some_race() {
    RaceSnapshot snapshot;
    snapshot.settings = {.enabled = true, .step = 2, .kernels = {"b"}, .caches = CacheState::cold};
    snapshot.device.name = "Some \"fast\" CPU";
    snapshot.frames = 7;
    snapshot.step.filter = "box";
    snapshot.step.reference = snapshot.step.baseline = "a";
    snapshot.step.bytes = 1e6;
    snapshot.step.empty.add(0.001);
    snapshot.step.copy.add(0.25);
    snapshot.step.peak = {.bytes = 8e6, .operations = 64e6, .half_operations = 0};
    snapshot.step.device.multiprocessors = 4;
    snapshot.step.device.vector_bytes = 16;
    for (const char* name : {"a", "b", "c"}) {
        KernelResult kernel;
        kernel.kernel = name;
        snapshot.step.kernels.push_back(kernel);
    }
    KernelResult& a = snapshot.step.kernels[0];
    a.planned = true;
    a.seconds.add(0.5);
    a.operations = 8e6;
    a.error = {.largest = 0, .pixels = 10, .differing = 0};
    snapshot.step.kernels[1].why_not = "it takes 8 bits, and nothing else";
    return snapshot;
}

const RaceOrigin kOrigin = {"9.9", "a,b.mp4", "box"};

TEST(ViewerRaceExport, CsvHasOneLinePerRacedKernel) {
    EXPECT_EQ(
        race_csv(some_race(), kOrigin),
        "kernel,planned,why_not,samples,median_ms,p95_ms,p5_ms,gigabytes_per_second,"
        "fraction_of_limit,speed_up,max_error,pixels,pixels_differing,bound_by,"
        "fraction_of_bound,fraction_of_peak,operations,launches,registers,"
        "occupancy,why,step,filter,reference,baseline,caches,device,input,stack\r\n"
        "a,true,,1,500.0,500.0,500.0,0.002,0.5,1.0,0.0,10,0,memory,0.5,0.25,"
        "8000000.0,,,,\"Bound by memory. A copy of the same bytes takes 50 % of this time. It "
        "has to move 1.00 MB at least, and computes 8 operations per byte. It runs on 4 threads "
        "with vectors of 16 bytes.\",2,box,a,a,cold,"
        "\"Some \"\"fast\"\" CPU\",\"a,b.mp4\",box\r\n"
        "b,false,\"it takes 8 bits, and nothing else\",0,,,,,,,,0,0,,,,,,,,,2,box,a,"
        "a,cold,\"Some \"\"fast\"\" CPU\",\"a,b.mp4\",box\r\n");
    EXPECT_EQ(race_csv({}, kOrigin), "");
}

TEST(ViewerRaceExport, JsonMatchesCompare) {
    const auto json = nlohmann::json::parse(race_json(some_race(), kOrigin));
    EXPECT_EQ(json["schema"], 1);
    EXPECT_EQ(json["weft"], "9.9");
    EXPECT_EQ(json["device"]["kind"], "cpu");
    EXPECT_EQ(json["clock"], "steady_clock");
    EXPECT_EQ(json["caches"], "cold");
    EXPECT_EQ(json["frames"], 7);
    ASSERT_EQ(json["steps"].size(), 1U);
    EXPECT_EQ(json["steps"][0]["step"], 2);
    EXPECT_EQ(json["steps"][0]["filter"], "box");
    ASSERT_EQ(json["steps"][0]["kernels"].size(), 2U);
    EXPECT_EQ(json["steps"][0]["kernels"][0]["median_ms"], 500);
    EXPECT_EQ(json["steps"][0]["kernels"][1]["median_ms"], nullptr);
    EXPECT_EQ(json["steps"][0]["empty_launch"]["median_ms"], 1);
    EXPECT_EQ(json["steps"][0]["peak"]["operations_per_second"], 64e6);
}

std::string text_of(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

TEST(ViewerRaceExport, TheNameSelectsTheFormat) {
    const auto csv = clip_dir() / "race.csv";
    const auto json = clip_dir() / "race.json";
    for (int twice = 0; twice < 2; ++twice) {  // the second time replaces the file
        write_race(csv.string(), some_race(), kOrigin, Overwrite::replace);
        write_race(json.string(), some_race(), kOrigin, Overwrite::replace);
    }
    EXPECT_EQ(text_of(csv), race_csv(some_race(), kOrigin));
    EXPECT_EQ(text_of(json), race_json(some_race(), kOrigin));
    EXPECT_THROW(write_race("/nonexistent/race.csv", some_race(), kOrigin, Overwrite::refuse),
                 Error);
}

TEST(ViewerRaceExport, KeepsAnExistingFileUnlessToldToReplaceIt) {
    const auto path = clip_dir() / "precious.csv";
    std::ofstream(path) << "precious";
    EXPECT_THROW(write_race(path.string(), some_race(), kOrigin, Overwrite::refuse), Error);
    EXPECT_EQ(text_of(path), "precious");
}

TEST(ViewerStageTimes, KeepsTheNewestTimesOfEachStage) {
    StageTimes times;
    for (int k = 0; k < 300; ++k) times.add(Stage::decode, k);
    times.add(Stage::draw, 5);
    const StageTimes::Table table = times.table();
    EXPECT_EQ(table[0].count(), 300);
    EXPECT_EQ(table[0].kept().size(), StageTimes::kWindow);
    EXPECT_EQ(table[0].kept().front(), 60);
    EXPECT_EQ(table[1].count(), 0);
    EXPECT_EQ(table[3].median_seconds(), 5);
    EXPECT_EQ(kStageNames[static_cast<std::size_t>(Stage::upload)], "upload");
}

}  // namespace
}  // namespace weft::test
