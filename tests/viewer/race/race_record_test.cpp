// Races read back from JSON, as the window and `weft compare` write it, and documents that are not
// races.
#include "app/viewer/race/race_record.h"

#include <cmath>
#include <fstream>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/pipeline/report/json_object.h"
#include "tests/support/clips.h"

namespace weft::test {
namespace {

using Json = nlohmann::ordered_json;

RaceSnapshot some_race() {
    RaceSnapshot race;
    race.settings = {.enabled = true, .step = 1, .caches = CacheState::cold};
    race.device.ordinal = 0;
    race.device.name = "NVIDIA H100";
    race.device.multiprocessors = 132;
    race.step.device = race.device;
    race.step.filter = "gaussian";
    race.step.text = "gaussian=sigma=2";
    race.step.problems = {"1280×720 u8, 13×13 taps, mirror", "640×360 u8, 13×13 taps, mirror"};
    race.step.reference = race.step.baseline = "direct";
    race.step.bytes = 2'764'800;
    race.step.peak = {.bytes = 3.35e12, .operations = 67e12, .half_operations = 990e12};
    race.step.empty.add(2e-6);
    race.step.copy.add(8e-6);
    for (const char* name : {"direct", "tensor_separable", "fft"}) {
        KernelResult kernel;
        kernel.kernel = name;
        race.step.kernels.push_back(kernel);
    }
    KernelResult& direct = race.step.kernels[0];
    for (int k = 1; k <= 100; ++k) direct.seconds.add(k * 1e-6);
    direct.operations = 1e9;
    direct.error = {.largest = 0, .pixels = 1000, .differing = 0};
    KernelResult& tensor = race.step.kernels[1];
    tensor.planned = true;
    tensor.seconds.add(10e-6);
    tensor.error = {.largest = 1, .pixels = 1000, .differing = 3};
    race.step.kernels[2].why_not = "it takes 32 taps or more";
    race.settings.kernels = {"direct", "tensor_separable", "fft"};
    return race;
}

const RaceOrigin kOrigin = {"9.9", "a.mp4", "box,gaussian=sigma=2"};

Json some_json() {
    return Json::parse(race_json(some_race(), kOrigin));
}

TEST(ViewerRaceRecord, HasWhatWasWritten) {
    const RaceRecord record = parse_race_record(race_json(some_race(), kOrigin));
    EXPECT_EQ(record.origin.program, "9.9");
    EXPECT_EQ(record.origin.input, "a.mp4");
    EXPECT_EQ(record.origin.stack, "box,gaussian=sigma=2");
    ASSERT_EQ(record.steps.size(), 1U);
    const RaceSnapshot& race = record.steps.front();
    EXPECT_TRUE(is_same_race(race, some_race()));
    EXPECT_TRUE(race.device.is_gpu());
    EXPECT_EQ(race.settings.step, 1U);
    EXPECT_EQ(race.settings.caches, CacheState::cold);
    EXPECT_EQ(race.step.filter, "gaussian");
    EXPECT_EQ(race.step.bytes, 2'764'800);
    EXPECT_EQ(race.step.peak.half_operations, 990e12);
    EXPECT_DOUBLE_EQ(race.step.copy.median_seconds(), 8e-6);
    ASSERT_EQ(race.step.kernels.size(), 3U);
    const KernelResult& direct = race.step.kernels[0];
    EXPECT_EQ(direct.seconds.count(), 100);
    EXPECT_DOUBLE_EQ(direct.seconds.quantile_seconds(0.05), 5e-6);
    EXPECT_DOUBLE_EQ(direct.seconds.median_seconds(), 50e-6);
    EXPECT_DOUBLE_EQ(direct.seconds.p95_seconds(), 95e-6);
    EXPECT_EQ(direct.operations, 1e9);
    EXPECT_TRUE(race.step.kernels[1].planned);
    EXPECT_EQ(race.step.kernels[1].error.largest, 1);
    EXPECT_EQ(race.step.kernels[1].error.differing, 3);
    EXPECT_FALSE(is_wrong(race.step.kernels[1])) << "a file has no verdict";
    EXPECT_EQ(race.step.kernels[2].why_not, "it takes 32 taps or more");
    EXPECT_EQ(race.step.kernels[2].seconds.count(), 0);
}

// The table of a record has the same rows as that of the race.
TEST(ViewerRaceRecord, HasTheRowsOfItsRace) {
    const RaceSnapshot race = some_race();
    const RaceRecord record = parse_race_record(race_json(race, kOrigin));
    const std::vector<RaceRow> want = race_rows(race, {});
    const std::vector<RaceRow> rows = race_rows(record.steps.front(), {});
    ASSERT_EQ(rows.size(), want.size());
    for (std::size_t k = 0; k < rows.size(); ++k) {
        EXPECT_EQ(rows[k].index, want[k].index);
        EXPECT_DOUBLE_EQ(rows[k].p95_seconds, want[k].p95_seconds);
        EXPECT_EQ(rows[k].bound.limit, want[k].bound.limit);
        EXPECT_DOUBLE_EQ(rows[k].bound.fraction, want[k].bound.fraction);
        EXPECT_DOUBLE_EQ(rows[k].fraction_of_peak, want[k].fraction_of_peak);
        EXPECT_DOUBLE_EQ(rows[k].speed_up, want[k].speed_up);
        EXPECT_EQ(rows[k].races, want[k].races);
    }
}

// Files of `weft compare` name no caches, which are warm there, and list steps without kernels.
TEST(ViewerRaceRecord, TakesWhatCompareWrites) {
    Json json = some_json();
    json.erase("caches");
    json["device"].erase("multiprocessors");
    json["device"]["reason"] = "";
    json["damage"] = Json::object();
    Json blend = json["steps"][0];
    blend["kernels"] = Json::array();
    blend["reference"] = blend["baseline"] = "";
    json["steps"].insert(json["steps"].begin(), blend);
    const RaceRecord record = parse_race_record(json.dump());
    ASSERT_EQ(record.steps.size(), 1U);
    EXPECT_EQ(record.steps.front().settings.caches, CacheState::warm);
    EXPECT_EQ(record.steps.front().step.kernels.size(), 3U);
}

std::string refusal(const std::string& text) {
    try {
        (void)parse_race_record(text);
    } catch (const JsonError& error) {
        return error.what();
    }
    return "";
}

TEST(ViewerRaceRecord, RefusesEveryMissingMember) {
    const auto without = [](const char* pointer, const char* key) {
        Json json = some_json();
        EXPECT_EQ(json.at(Json::json_pointer(pointer)).erase(key), 1U) << pointer << "/" << key;
        return refusal(json.dump());
    };
    for (const char* key : {"schema", "weft", "device", "input", "stack", "steps"})
        EXPECT_THAT(without("", key), testing::HasSubstr("is missing")) << key;
    for (const char* key : {"name", "kind"})
        EXPECT_THAT(without("/device", key), testing::HasSubstr("is missing")) << key;
    for (const char* key : {"step", "filter", "reference", "baseline", "bytes", "empty_launch",
                            "copy", "peak", "kernels"})
        EXPECT_THAT(without("/steps/0", key), testing::HasSubstr("is missing")) << key;
    for (const char* key : {"kernel", "planned", "why_not", "samples", "median_ms", "p95_ms",
                            "p5_ms", "max_error", "pixels", "pixels_differing", "operations"})
        EXPECT_THAT(without("/steps/0/kernels/0", key), testing::HasSubstr("is missing")) << key;
}

TEST(ViewerRaceRecord, RefusesWrongValues) {
    struct Wrong {
        const char* pointer;
        Json value;
    };
    const Json kMany(300, some_json()["steps"][0]["kernels"][0]);
    for (const Wrong& wrong : std::initializer_list<Wrong>{
             {"/schema", 2},
             {"/schema", "1"},
             {"/schema", -1},
             {"/weft", 1},
             {"/device", nullptr},
             {"/device", "NVIDIA H100"},
             {"/device/name", 7},
             {"/device/kind", "abacus"},
             {"/device/multiprocessors", 1.5},
             {"/device/multiprocessors", -3},
             {"/device/multiprocessors", 8.5e30},
             {"/caches", "tepid"},
             {"/caches", true},
             {"/input", Json::array()},
             {"/steps", Json::object()},
             {"/steps", Json::array()},
             {"/steps", Json(100, Json::object())},
             {"/steps/0", nullptr},
             {"/steps/0/step", -1},
             {"/steps/0/filter", nullptr},
             {"/steps/0/text", 3},
             {"/steps/0/problems", "1280×720"},
             {"/steps/0/problems/0", 3},
             {"/steps/0/problems", Json(100, "")},
             {"/steps/0/bytes", -1},
             {"/steps/0/bytes", "many"},
             {"/steps/0/bytes", 1e300},
             {"/steps/0/copy", nullptr},
             {"/steps/0/copy/median_ms", -0.1},
             {"/steps/0/peak", Json::array()},
             {"/steps/0/peak/bytes_per_second", "fast"},
             {"/steps/0/kernels", nullptr},
             {"/steps/0/kernels", Json::array()},
             {"/steps/0/kernels", kMany},
             {"/steps/0/kernels/0", "direct"},
             {"/steps/0/kernels/0/kernel", std::string("a\0b", 3)},
             {"/steps/0/kernels/0/planned", "yes"},
             {"/steps/0/kernels/0/samples", -1},
             {"/steps/0/kernels/0/samples", 1.5},
             {"/steps/0/kernels/0/median_ms", nullptr},
             {"/steps/0/kernels/0/median_ms", "0.05"},
             {"/steps/0/kernels/0/median_ms", -0.05},
             {"/steps/0/kernels/0/median_ms", 0},
             {"/steps/0/kernels/0/median_ms", 1e-9},  // below the 5th percentile
             {"/steps/0/kernels/0/median_ms", 1000},  // above the 95th
             {"/steps/0/kernels/0/p5_ms", 0},
             {"/steps/0/kernels/0/p95_ms", 1e300},
             {"/steps/0/kernels/0/max_error", -1},
             {"/steps/0/kernels/0/pixels", -5},
             {"/steps/0/kernels/0/pixels_differing", 2000},
             {"/steps/0/kernels/0/operations", "many"}}) {
        Json json = some_json();
        json[Json::json_pointer(wrong.pointer)] = wrong.value;
        EXPECT_NE(refusal(json.dump()), "") << wrong.pointer << " = " << wrong.value.dump();
    }
}

TEST(ViewerRaceRecord, RefusesTextThatIsNotJson) {
    const std::string whole = race_json(some_race(), kOrigin);
    ASSERT_EQ(refusal(whole), "");
    for (const std::string& text :
         {std::string(), std::string("[]"), std::string("null"), std::string("1e999"),
          std::string(100'000, '['), whole + "x", whole.substr(0, whole.size() / 2)})
        EXPECT_NE(refusal(text), "") << text.substr(0, 20);
    for (const char* number : {"NaN", "Infinity", "-Infinity", "1e999"}) {
        std::string text = whole;
        const std::string key = "\"median_ms\": ";
        text.insert(text.find(key) + key.size(), std::string(number) + ", \"was\": ");
        EXPECT_NE(refusal(text), "") << number;
    }
}

TEST(ViewerRaceRecord, NamesTheFileAndTheFault) {
    const auto file = clip_dir() / "old.json";
    Json json = some_json();
    json["schema"] = 7;
    std::ofstream(file) << json;
    try {
        (void)read_race_record(file);
        ADD_FAILURE() << "no exception";
    } catch (const std::runtime_error& error) {
        EXPECT_EQ(std::string(error.what()),
                  file.string() +
                      ": this is not the record of a race: it has version 7 of the format instead "
                      "of 1");
    }
    EXPECT_THROW((void)read_race_record(clip_dir() / "none.json"), std::runtime_error);
}

// Control characters of a foreign file could pass for something else.
TEST(ViewerRaceRecord, TextsAreSafeToShow) {
    Json json = some_json();
    json["device"]["name"] = "H100\n\x1b[2J";
    const RaceRecord record = parse_race_record(json.dump());
    EXPECT_EQ(record.steps.front().device.name, "H100\\n\\x1b[2J");
}

TEST(ViewerRaceRecord, TheSameWorkHasTheSameStepPictureAndCaches) {
    using Change = std::function<void(RaceSnapshot&)>;
    const RaceSnapshot race = some_race();
    EXPECT_TRUE(is_same_work(race, race));
    EXPECT_FALSE(is_same_work({}, {})) << "unknown work";
    for (const Change& change : std::initializer_list<Change>{
             [](RaceSnapshot& r) { r.step.text = "gaussian=sigma=3"; },
             [](RaceSnapshot& r) { r.step.problems.pop_back(); },
             [](RaceSnapshot& r) { r.step.problems[0][0] = '9'; },
             [](RaceSnapshot& r) { r.settings.caches = CacheState::warm; }}) {
        RaceSnapshot other = race;
        change(other);
        EXPECT_FALSE(is_same_work(race, other));
        EXPECT_FALSE(is_same_race(race, other));
    }
    for (const Change& change :
         std::initializer_list<Change>{[](RaceSnapshot& r) { r.device.name = "NVIDIA H200"; },
                                       [](RaceSnapshot& r) { r.device.ordinal = -1; },
                                       [](RaceSnapshot& r) { r.device.multiprocessors = 78; }}) {
        RaceSnapshot other = race;
        change(other);
        EXPECT_TRUE(is_same_work(race, other));
        EXPECT_FALSE(is_same_race(race, other));
    }
}

TEST(ViewerRaceRecord, ShowsTheStepThatIsNearestToTheRace) {
    const RaceSnapshot race = some_race();
    RaceRecord record{kOrigin, {race, race, race}};
    record.steps[0].step.filter = record.steps[0].step.text = "box";
    record.steps[1].step.text = "gaussian=sigma=3";
    EXPECT_EQ(&step_next_to(race, record), &record.steps[2]) << "the same work";
    record.steps[2].step.problems.clear();
    EXPECT_EQ(&step_next_to(race, record), &record.steps[1]) << "the same filter";
    record.steps[1].step.filter = record.steps[2].step.filter = "sobel";
    EXPECT_EQ(&step_next_to(race, record), &record.steps[0]) << "anything";
}

TEST(ViewerRaceRecord, NamesItsWorkAndProgram) {
    RaceSnapshot race = some_race();
    EXPECT_EQ(work_of(race, kOrigin),
              "gaussian=sigma=2, 1280×720 u8, 13×13 taps, mirror, cold caches, weft 9.9");
    race.step.text.clear();  // of an older version
    race.step.problems.clear();
    EXPECT_EQ(work_of(race, kOrigin), "gaussian, cold caches, weft 9.9");
}

}  // namespace
}  // namespace weft::test
