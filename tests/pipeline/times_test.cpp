#include "app/pipeline/times.h"

#include <utility>

#include <gtest/gtest.h>

#include "app/media/libav/error.h"

namespace weft {
namespace {

TEST(PipelineTimes, EverySpellingOfFfmpeg) {
    for (const auto& [text, us] : std::initializer_list<std::pair<const char*, std::int64_t>>{
             {"0", 0},
             {"90", 90'000'000},
             {"1.5", 1'500'000},
             {"5.", 5'000'000},
             {"5s", 5'000'000},
             {"1500ms", 1'500'000},
             {"250us", 250},
             {"0.5ms", 500},
             {"1:30", 90'000'000},
             {"1:30.5", 90'500'000},
             {"01:02:03", 3'723'000'000},
             {"1:02:03.25", 3'723'250'000},
             {"100:00:00", 360'000'000'000},
         })
        EXPECT_EQ(parse_time_us("-ss", text), us) << text;
}

TEST(PipelineTimes, InvalidTimesAreUsageErrors) {
    for (const char* text : {"-1",
                             "-0:01",
                             "abc",
                             "1:2:3:4",
                             "5 s",
                             "1e3",
                             "5m",
                             "1:99",
                             "1:",
                             ":",
                             "0x10",
                             "1,5",
                             "99999999999999999999",
                             ".5",
                             "+5",
                             "",
                             " 5",
                             "5 ",
                             "nan",
                             "inf",
                             "now"}) {
        try {
            parse_time_us("-to", text);
            ADD_FAILURE() << text << " was taken";
        } catch (const Error& error) {
            EXPECT_EQ(error.outcome(), Outcome::usage);
            EXPECT_NE(std::string(error.what()).find("-to"), std::string::npos) << error.what();
        }
    }
}

TEST(PipelineTimes, ClockText) {
    EXPECT_EQ(clock_text(0), "0:00");
    EXPECT_EQ(clock_text(7.4), "0:07");
    EXPECT_EQ(clock_text(59.6), "1:00");
    EXPECT_EQ(clock_text(3723), "1:02:03");
    EXPECT_EQ(clock_text(-1), "0:00");
}

}  // namespace
}  // namespace weft
