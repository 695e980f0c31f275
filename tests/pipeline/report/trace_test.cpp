// The timeline's rows, its bound and its text, without files.
#include "app/pipeline/report/trace.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/pipeline/report/stage_clock.h"

namespace weft {
namespace {

using Json = nlohmann::json;

Json written(const Trace& trace) {
    std::string text;
    trace.write([&](std::string_view piece) { text += piece; });
    return Json::parse(text).at("traceEvents");
}

std::vector<Json> of_phase(const Json& events, const char* phase) {
    std::vector<Json> found;
    for (const Json& event : events)
        if (event.at("ph") == phase) found.push_back(event);
    return found;
}

TEST(PipelineTrace, EventsAreOnNamedRowsOfTheirFile) {
    Trace trace;
    const FileTrace first(&trace, "a\xff.mkv");  // not UTF-8
    const FileTrace second(&trace, "b.mkv");
    const TraceRow row = first.row("decode");
    const TraceRow other = second.row("filter");
    const TraceTime t = std::chrono::steady_clock::now();
    row.add({"decode", 7, t, t + std::chrono::nanoseconds(1500)});
    other.add({second.keep("box"), -1, t, t});
    const Json events = written(trace);
    std::vector<std::string> names;
    for (const Json& event : of_phase(events, "M"))
        if (event.at("args").contains("name")) names.push_back(event.at("args").at("name"));
    EXPECT_EQ(names, (std::vector<std::string>{"a\\xff.mkv", "decode", "b.mkv", "filter"}));
    const auto complete = of_phase(events, "X");
    ASSERT_EQ(complete.size(), 2U);
    EXPECT_EQ(complete[0].at("pid"), 1);
    EXPECT_EQ(complete[0].at("tid"), 1);
    EXPECT_EQ(complete[0].at("dur"), 1.5);
    EXPECT_EQ(complete[0].at("args").at("frame"), 7);
    EXPECT_EQ(complete[1].at("pid"), 2);
    EXPECT_EQ(complete[1].at("name"), "box");
    EXPECT_FALSE(complete[1].contains("args"));
}

TEST(PipelineTrace, AnEmptyTraceIsJson) {
    EXPECT_TRUE(written(Trace()).empty());
}

TEST(PipelineTrace, WithoutATraceNothingIsKept) {
    const FileTrace none(nullptr, "a.mkv");
    EXPECT_FALSE(none.records());
    EXPECT_FALSE(none.row("decode").records());
    none.row("decode").add({"decode", 0, {}, {}});
    EXPECT_EQ(none.keep("box"), "");
}

// Every event is either held or counted, whichever thread adds it.
TEST(PipelineTrace, TheNumberOfEventsIsBounded) {
    Trace trace(100);
    const FileTrace file(&trace, "a.mkv");
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k)
        threads.emplace_back([row = file.row("row")] {
            for (int frame = 0; frame < 50; ++frame) row.add({"frame", frame, {}, {}});
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(of_phase(written(trace), "X").size(), 100U);
    EXPECT_EQ(trace.left_out(), 100U);
}

// Laps follow each other without gap or overlap, traced or not.
TEST(PipelineStageClock, AccountsForAllTime) {
    Trace trace;
    StageSeconds use;
    StageClock clock(use, FileTrace(&trace, "a.mkv").row("decode"));
    double sum = 0;
    for (int k = 0; k < 10; ++k) {
        sum += clock.was_busy("decode", k);
        sum += clock.was_busy();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        sum += clock.waited_for_input();
        sum += clock.waited_for_room();
    }
    EXPECT_DOUBLE_EQ(use.busy + use.waited_for_input + use.waited_for_room, sum);
    EXPECT_GE(use.waited_for_input, 10e-3);
    double end = 0;
    int waits = 0;
    for (const Json& event : of_phase(written(trace), "X")) {
        EXPECT_GE(event.at("ts").get<double>(), end - 0.002);  // 2 ns, in microseconds
        end = event.at("ts").get<double>() + event.at("dur").get<double>();
        waits += event.at("name") == "wait for input" ? 1 : 0;
    }
    EXPECT_EQ(waits, 10);
}

}  // namespace
}  // namespace weft
