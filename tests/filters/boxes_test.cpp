#include "filters/boxes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "filters/filter.h"
#include "tests/support/temporary_folder.h"

namespace weft {
namespace {

BoxTracks parsed(std::string_view text) {
    return parse_boxes(text, "b.txt");
}

std::string text_of(const std::vector<ObjectBox>& boxes) {
    std::string text;
    for (const ObjectBox& box : boxes)
        text += fmt::format("{}{}:{}x{}+{}+{}", text.empty() ? "" : " ", box.id, box.width,
                            box.height, box.left, box.top);
    return text;
}

std::string at_frame(const BoxTracks& tracks, std::int64_t frame, Gap gap = Gap::interpolate) {
    return text_of(tracks.at({.number = frame}, gap));
}

std::string at_time(const BoxTracks& tracks, double seconds, Gap gap = Gap::interpolate) {
    return text_of(tracks.at({.seconds = seconds, .duration = 0.04}, gap));
}

TEST(FiltersBoxes, EveryFormMeansTheSame) {
    const BoxTracks want(BoxClock::frames, {{.place = 0, .box = {3, 10, -2.5, 40, 30}},
                                            {.place = 4, .box = {3, 20, 0, 41, 30, 0.5}},
                                            {.place = 4, .box = {kNoId, 1, 2, 3, 4}}});
    for (const std::string_view text : {
             "1,3,10,-2.5,40,30\n5,3,20,0,41,30,0.5\n5,-1,1,2,3,4\n",
             "1,3,10,-2.5,40,30,1,-1,-1,-1\n5,3,20,0,41,30,.5,-1,-1,-1\n5,-1,1,2,3,4,-1,-1,-1,-1",
             "5,-1,1,2,3,4,1\n5,3,20,0,41,30,0.5\n1,3,10,-2.5,40,30,1,7,0.25\n",
             "1 3 10 -2.5 40 30 -1 -1 -1 -1\n5\t3  20 0 41 30 0.5\n 5 -7 1 2 3 4 \n",
             "\xEF\xBB\xBF# frame, id, …\r\n\r\n1, 3, 10, -2.5, 40, 30\r\n  # more\r\n"
             "5, 3, 20, 0, 41, 30, 0.5 # late\r\n5,-1,1,2,3,4\r\n",
             "1.0,3.0,1e1,-5/2,40,30\n5.000e+00,3,+20,-0,41,30,5e-1,x\n5,-1,1,2,3,4,,,\n",
             "frame,id,left,top,width,height,confidence\n"
             "1,3,10,-2.5,40,30,1\n5,3,20,0,41,30,0.5\n5,-1,1,2,3,4,1\n",
             "\"class\",\"Height\",WIDTH,top,left,Confidence,id,frame\n"
             "\"car, \"\"red\"\"\",30,40,-2.5,10,1,3,1\na,30,41,0,20,0.5,3,5\n,4,3,2,1,-1,-1,5\n",
             "frame id time left top width height confidence\n1 3 0 10 -2.5 40 30 1\n"
             "5 3 9 20 0 41 30 0.5\n5 -1 9 1 2 3 4 1\n",
         }) {
        try {
            EXPECT_TRUE(parsed(text) == want) << text << print_boxes(parsed(text));
        } catch (const FilterError& error) {
            ADD_FAILURE() << error.with_caret();
        }
    }
    EXPECT_EQ(print_boxes(want),
              "1,3,10,-2.5,40,30,1,-1,-1,-1\n5,-1,1,2,3,4,1,-1,-1,-1\n"
              "5,3,20,0,41,30,0.5,-1,-1,-1\n");
}

struct DetectorFile {
    std::string_view by, text, first;  // the boxes of the first frame
};

// Lines as tools write them.
TEST(FiltersBoxes, FilesOfDetectors) {
    for (const DetectorFile& file : {
             DetectorFile{"SORT and DeepSORT", "1,1,1359.10,413.27,120.26,362.77,1,-1,-1,-1\n",
                          "1:120.26x362.77+1359.1+413.27"},
             {"ByteTrack", "1,12,632.40,254.10,76.52,201.33,0.91,-1,-1,-1\n",
              "12:76.52x201.33+632.4+254.1"},
             {"YOLOv5 with DeepSORT", "1 1 1359 413 120 362 -1 -1 -1 -1 \n", "1:120x362+1359+413"},
             {"numpy.savetxt",
              "1.000000000000000000e+00 3.000000000000000000e+00 1.359500000000000000e+03 "
              "4.13e+02 1.2e+02 3.6e+02 9.1e-01\n",
              "3:120x360+1359.5+413"},
             {"CVAT", "1,1,363,569,103,241,1,1,0.86014\n2,1,362,569,103,241,1,1,0.86173\n",
              "1:103x241+363+569"},
             {"det.txt of MOT17",
              "1,-1,1359.1,413.27,120.26,362.77,2.3092,-1,-1,-1\n"
              "1,-1,571.03,402.13,104.56,315.68,1.5028,-1,-1,-1\n",
              "-1:104.56x315.68+571.03+402.13 -1:120.26x362.77+1359.1+413.27"},
             {"VisDrone", "1,0,593,43,174,190,0,0,0,0\n2,0,592,43,174,190,1,4,0,0\n",
              "0:174x190+593+43"},
             {"pandas",
              ",frame,id,left,top,width,height,confidence,class\n0,1,7,10.5,20,30,40,0.9,\"a, "
              "b\"\n",
              "7:30x40+10.5+20"},
         }) {
        try {
            EXPECT_EQ(at_frame(parsed(file.text), 0), file.first) << file.by;
        } catch (const FilterError& error) {
            ADD_FAILURE() << file.by << ": " << error.with_caret();
        }
    }
}

TEST(FiltersBoxes, TimesAreSecondsOrClocks) {
    const BoxTracks tracks = parsed(
        "time,id,left,top,width,height\n1:02:03.25,1,0,0,9,9\n0.5,1,4,0,9,9\n"
        "1:30,1,6,0,9,9\n");
    EXPECT_EQ(tracks.clock(), BoxClock::seconds);
    ASSERT_EQ(tracks.boxes().size(), 3U);
    EXPECT_EQ(tracks.boxes()[0].place, 0.5);
    EXPECT_EQ(tracks.boxes()[1].place, 90);
    EXPECT_EQ(tracks.boxes()[2].place, 3723.25);
    EXPECT_TRUE(parsed(print_boxes(tracks)) == tracks);
}

struct GapRow {
    std::int64_t frame;
    std::string_view interpolate, hold, off;
};

TEST(FiltersBoxes, GapsOfAnObject) {
    // Frames 2 and 4 and, after an absence from frame 6 on, frame 8, counted from 0.
    const BoxTracks tracks = parsed("3,1,10,0,20,8\n5,1,30,4,24,8\n7,1,0,0,0,0\n9,1,100,50,20,8\n");
    for (const GapRow& row : {
             GapRow{0, "", "", ""},
             {1, "", "", ""},
             {2, "1:20x8+10+0", "1:20x8+10+0", "1:20x8+10+0"},
             {3, "1:22x8+20+2", "1:20x8+10+0", ""},
             {4, "1:24x8+30+4", "1:24x8+30+4", "1:24x8+30+4"},
             {5, "1:24x8+30+4", "1:24x8+30+4", ""},
             {6, "", "", ""},
             {7, "", "", ""},
             {8, "1:20x8+100+50", "1:20x8+100+50", "1:20x8+100+50"},
             {9, "", "1:20x8+100+50", ""},
             {1'000'000'000'000, "", "1:20x8+100+50", ""},
         }) {
        EXPECT_EQ(at_frame(tracks, row.frame), row.interpolate) << row.frame;
        EXPECT_EQ(at_frame(tracks, row.frame, Gap::hold), row.hold) << row.frame;
        EXPECT_EQ(at_frame(tracks, row.frame, Gap::off), row.off) << row.frame;
    }
}

TEST(FiltersBoxes, BoxesWithoutAnIdStayInTheirFrameOrTogether) {
    const BoxTracks tracks = parsed("2,-1,1,1,5,5\n2,-1,9,1,5,5\n2,-1,1,1,5,5\n4,-1,3,3,6,6\n");
    const std::string two = "-1:5x5+1+1 -1:5x5+1+1 -1:5x5+9+1";
    for (const GapRow& row : {
             GapRow{0, "", "", ""},
             {1, two, two, two},
             {2, "", two, ""},
             {3, "-1:6x6+3+3", "-1:6x6+3+3", "-1:6x6+3+3"},
             {4, "", "-1:6x6+3+3", ""},
         }) {
        EXPECT_EQ(at_frame(tracks, row.frame), row.interpolate) << row.frame;
        EXPECT_EQ(at_frame(tracks, row.frame, Gap::hold), row.hold) << row.frame;
        EXPECT_EQ(at_frame(tracks, row.frame, Gap::off), row.off) << row.frame;
    }
}

TEST(FiltersBoxes, InterpolatedConfidenceIsTheLowerOne) {
    const BoxTracks tracks = parsed("1,1,0,0,9,9,0.9\n5,1,0,0,9,9,0.4\n");
    EXPECT_EQ(tracks.at({.number = 0}, Gap::interpolate).at(0).confidence, 0.4);
    EXPECT_EQ(tracks.at({.number = 0}, Gap::off).at(0).confidence, 0.9);
    EXPECT_EQ(tracks.at({.number = 2}, Gap::interpolate).at(0).confidence, 0.4);
    EXPECT_EQ(tracks.at({.number = 2}, Gap::hold).at(0).confidence, 0.9);
}

// Frames of 40 ms: a time that was rounded still belongs to its frame, at the ends as well.
TEST(FiltersBoxes, TimesBelongToFrames) {
    const BoxTracks tracks = parsed(
        "time,id,left,top,width,height\n1.01,1,0,0,10,10\n1.05,1,40,0,10,10\n1.2,1,40,0,10,10\n");
    EXPECT_EQ(at_time(tracks, 0.96), "");
    EXPECT_EQ(at_time(tracks, 0.98), "1:10x10+0+0");   // is shown at 1.01
    EXPECT_EQ(at_time(tracks, 1.02), "1:10x10+10+0");  // a quarter of the way
    EXPECT_EQ(at_time(tracks, 1.02, Gap::off), "1:10x10+0+0");
    EXPECT_EQ(at_time(tracks, 1.06, Gap::off), "1:10x10+40+0");
    EXPECT_EQ(at_time(tracks, 1.1, Gap::off), "");
    EXPECT_EQ(at_time(tracks, 1.1, Gap::hold), "1:10x10+40+0");
    EXPECT_EQ(at_time(tracks, 1.21), "1:10x10+40+0");
    EXPECT_EQ(at_time(tracks, 1.25), "");
    EXPECT_EQ(at_time(tracks, 99, Gap::hold), "1:10x10+40+0");
    // Without a duration, only the very time belongs to a frame.
    EXPECT_EQ(text_of(tracks.at({.seconds = 1.2}, Gap::off)), "1:10x10+40+0");
    EXPECT_EQ(text_of(tracks.at({.seconds = 1.2001}, Gap::off)), "");
}

// A file with a time per frame, rounded up or down, gives each frame its own box.
TEST(FiltersBoxes, RoundedTimesOfEveryFrame) {
    for (const double rate : {24000.0 / 1001, 25.0, 30000.0 / 1001, 59.94, 60.0})
        for (const int digits : {2, 3, 6}) {
            if (digits == 2 && rate > 50) continue;  // times would repeat
            std::string text = "time,id,left,top,width,height\n";
            for (int k = 0; k < 100; ++k)
                text += fmt::format("{:.{}f},1,{},0,9,9\n", k / rate, digits, k);
            const BoxTracks tracks = parsed(text);
            for (const Gap gap : {Gap::hold, Gap::off})
                for (int k = 0; k < 100; ++k) {
                    const auto boxes = tracks.at({.seconds = k / rate, .duration = 1 / rate}, gap);
                    ASSERT_EQ(boxes.size(), 1U) << rate << " " << digits << " " << k;
                    EXPECT_EQ(boxes[0].left, k) << rate << " " << digits;
                }
        }
}

TEST(FiltersBoxes, FactsOfTheIds) {
    const BoxTracks tracks = parsed(
        "1,2,0,0,10,10\n2,2,0,0,30,5\n6,2,0,0,10,10\n3,9,0,0,8,40\n4,9,5,5,99,0\n"
        "7,-1,0,0,1,1\n7,-1,5,0,1,1\n9,-1,0,0,1,1\n");
    const std::vector<TrackFacts> facts = tracks.facts();
    ASSERT_EQ(facts.size(), 3U);
    EXPECT_EQ(facts[0].id, kNoId);
    EXPECT_EQ(facts[0].boxes, 3);
    EXPECT_EQ(facts[0].frames_without, 1);
    EXPECT_EQ(facts[1].id, 2);
    EXPECT_EQ(facts[1].first, 0);
    EXPECT_EQ(facts[1].last, 5);
    EXPECT_EQ(facts[1].frames_without, 3);
    EXPECT_EQ(facts[2].frames_without, 0);
    EXPECT_EQ(tracks.largest().width, 30);
    EXPECT_EQ(tracks.largest().height, 40);
    const std::vector<std::int64_t> two{2};
    EXPECT_EQ(tracks.only(two).facts().size(), 1U);
    EXPECT_EQ(tracks.only(two).largest().height, 10);
    EXPECT_EQ(at_frame(tracks.only(two), 2), "2:25x6.25+0+0");
    EXPECT_EQ(parsed("time,id,left,top,width,height\n1,1,0,0,9,9").facts()[0].frames_without,
              std::nullopt);
}

TEST(FiltersBoxes, AbsentIdsAreNamedWithThoseThatExist) {
    const BoxTracks tracks = parsed("1,1,0,0,9,9\n1,2,0,0,9,9\n1,3,0,0,9,9\n1,8,0,0,9,9\n");
    EXPECT_EQ(tracks.absent(std::vector<std::int64_t>{3, 8}), "");
    EXPECT_EQ(tracks.absent(std::vector<std::int64_t>{7, 3, 9}),
              "no box has the id 7 or 9: the ids are 1 to 3, 8");
    std::string text;
    for (int k = 0; k < 100; ++k) text += fmt::format("1,{},0,0,9,9\n", 2 * k);
    EXPECT_EQ(parsed(text).absent(std::vector<std::int64_t>{5}),
              "no box has the id 5: the ids are 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, and 88 "
              "more");
}

struct Bad {
    std::string text;
    std::string_view saying;
};

TEST(FiltersBoxes, MistakesNameFileLineAndColumn) {
    for (const Bad& bad : {
             Bad{"", "b.txt:1:1: the file has no boxes"},
             {"\n# nothing\n", "the file has no boxes"},
             {"frame,id,left,top,width,height\n", "b.txt:1:1: the file has no boxes"},
             {"1,1,0,0,9",
              "b.txt:1:10: field 6 is missing: a line has the fields "
              "frame,id,left,top,width,height"},
             {"1,1,0,0,9,9\n\n2;1;0;0;9;9", "b.txt:3:12: field 2 is missing"},
             {"1,1,0,0,9,9\n2,1,0,0,x,9", "b.txt:2:9: width: a number is expected here"},
             {"1,1,0,0,,9", "b.txt:1:9: width: a number is expected here"},
             {"1,1,nan,0,9,9", "b.txt:1:5: left: a number is expected here"},
             {"1,1,0,inf,9,9", "b.txt:1:7: top: a number is expected here"},
             {"1,1,0,0,1e400,9", "b.txt:1:9: width: '1e400' is out of range"},
             {"1,1,0,0,9,-2", "b.txt:1:11: height: a size cannot be negative"},
             {"1,1,0,0,9,2e9", "height: 2000000000 is outside 0 to 1000000000"},
             {"1,1,-2e9,0,9,9", "left: -2000000000 is outside -1000000000"},
             {"0,1,0,0,9,9", "b.txt:1:1: frame: frames count from 1; where"},
             {"-1,1,0,0,9,9", "frame: a whole number from 1 to 2^53"},
             {"1.5,1,0,0,9,9", "frame: a whole number from 1"},
             {"9007199254740994,1,0,0,9,9", "frame: a whole number from 1 to 2^53"},
             {"1,0.5,0,0,9,9", "b.txt:1:3: id: a whole number from -2^53 to 2^53"},
             {"1,1,0,0,9,9\n1,2,0,0,9,9\n1,1,5,0,9,9",
              "b.txt:3:1: id 1 has a second box at this frame"},
             {"time,id,left,top,width,height\n1,1,0,0,9,9\n0:01,1,0,0,9,9",
              "b.txt:3:1: id 1 has a second box at this time"},
             {"time,id,left,top,width,height\n0:60,1,0,0,9,9",
              "b.txt:2:1: time: a time is seconds, M:SS"},
             {"time,id,left,top,width,height\n-1,1,0,0,9,9", "time: a time is seconds, M:SS"},
             {"time,id,left,top,width,height\n1e300,1,0,0,9,9", "time: a time is seconds, M:SS"},
             {"id,time,left,top,width,x,height\n1,1,0,0,9,9",
              "b.txt:2:12: field 7 is missing: a line has the fields "
              "id,time,left,top,width,…,height"},
             {"time,left,top,width\n1,0,0,9", "these are missing: id, height"},
             {"id,left,top,width,height\n1,0,0,9,9", "this one is missing: time or frame"},
             {"frame,left,top,width,height\n1,0,0,9,9",
              "missing: id; give a single object the id 1"},
             {"time,id,ID,left,top,width,height\n", "b.txt:1:9: two columns have the name id"},
             {"{\"boxes\": [1, 2]}", "b.txt:1:1: the first line is neither a box, frame,id"},
             {"<annotations>\n", "b.txt:1:1: the first line is neither a box, frame,id"},
             {"1,1,0,0,9,9,car", "b.txt:1:13: confidence: a number is expected here"},
             {"1,1,0,0,9,9," + std::string(70'000, '0'), "b.txt:1:1: the line is longer than 64"},
             {std::string("1,1,0,0,9,\0", 11), "height: a number is expected here"},
         }) {
        try {
            (void)parsed(bad.text);
            ADD_FAILURE() << "accepted " << bad.text;
        } catch (const FilterError& error) {
            EXPECT_NE(std::string(error.what()).find(bad.saying), std::string::npos)
                << bad.text << "\n"
                << error.with_caret();
            EXPECT_TRUE(std::string(error.what()).starts_with("b.txt:")) << error.what();
        }
    }
}

// A stack from elsewhere can name any file.
TEST(FiltersBoxes, MessagesQuoteNoWords) {
    for (const std::string_view text :
         {"root:secret:0:0\n", "1,1,0,0,9,secret\n", "1,1,0,0,9,9,secret\n", "1 secret\n",
          "1,1,0,0,9,9\n2,1,0,secret,9,9\n", "secret,id,left,top,width\n"}) {
        try {
            (void)parsed(text);
            ADD_FAILURE() << "accepted " << text;
        } catch (const FilterError& error) {
            EXPECT_EQ(error.with_caret().find("secret"), std::string::npos) << error.with_caret();
        }
    }
}

TEST(FiltersBoxes, TheCaretIsAtTheMistake) {
    try {
        (void)parsed("1,1,0,0,9,9\n2,1,0,0,-9,9\n");
        ADD_FAILURE();
    } catch (const FilterError& error) {
        EXPECT_TRUE(error.with_caret().ends_with("\n  2,1,0,0,-9,9\n          ^"))
            << error.with_caret();
    }
}

TEST(FiltersBoxes, FilesAreLoaded) {
    const test::TemporaryFolder folder;
    std::string text;  // 2 MB: more than other text files may have
    for (int frame = 1; frame <= 60'000; ++frame)
        text += fmt::format("{},1,{}.25,100.125,40.5,30.75,0.875\n", frame, frame % 1000);
    const auto path = folder.write("plate.boxes", text);
    EXPECT_TRUE(load_boxes(path) == parsed(text));
    EXPECT_EQ(load_boxes(path).boxes().size(), 60'000U);
    EXPECT_THROW((void)load_boxes(folder.path() / "none.txt"), FilterError);
    EXPECT_THROW((void)load_boxes(folder.path()), FilterError);
}

TEST(FiltersBoxes, ProgramsCannotMakeImpossibleOnes) {
    const auto make = [](double place, ObjectBox box) {
        return BoxTracks(BoxClock::frames, {{.place = place, .box = box}});
    };
    EXPECT_NO_THROW(make(3, {1, 0, 0, 9, 9}));
    EXPECT_THROW(make(3.5, {1, 0, 0, 9, 9}), std::invalid_argument);
    EXPECT_THROW(make(-1, {1, 0, 0, 9, 9}), std::invalid_argument);
    EXPECT_THROW(make(3, {1, 0, 0, -9, 9}), std::invalid_argument);
    EXPECT_THROW(make(3, {1, NAN, 0, 9, 9}), std::invalid_argument);
    EXPECT_THROW(make(3, {1, 0, 0, 9, 9, NAN}), std::invalid_argument);
    EXPECT_THROW(BoxTracks(BoxClock::frames, {{.place = 3, .box = {1, 0, 0, 9, 9}},
                                              {.place = 3, .box = {1, 5, 0, 9, 9}}}),
                 std::invalid_argument);
}

// Random tracks against a walk over all boxes of the file, in double precision.

std::vector<PlacedBox> random_boxes(std::mt19937& random, BoxClock clock) {
    const auto below = [&](unsigned count) { return static_cast<double>(random() % count); };
    std::vector<PlacedBox> boxes;
    const auto ids = static_cast<int>(1 + random() % 20);
    for (int id = -1; id < ids; ++id) {
        std::set<double> places;
        const double begin = below(60);
        for (auto k = static_cast<int>(random() % 8); k > 0; --k)
            places.insert((begin + below(30)) / (clock == BoxClock::frames ? 1 : 16));
        for (const double place : places)
            for (int k = id < 0 ? 2 : 1; k > 0; --k)
                boxes.push_back({.place = place,
                                 .box = {id, below(400) / 4 - 20, below(90), below(3) * 10,
                                         1 + below(99), below(11) / 10}});
    }
    std::ranges::shuffle(boxes, random);
    return boxes;
}

struct Want {
    std::vector<ObjectBox> boxes;

    void add(const PlacedBox& placed) {
        if (placed.box.width > 0 && placed.box.height > 0) boxes.push_back(placed.box);
    }
};

// The boxes of one id, by place, and the nearest own one, if any.
void want_of_id(const std::vector<PlacedBox>& track, double at, const PlacedBox* own, Gap gap,
                Want& want) {
    const PlacedBox *before = nullptr, *after = nullptr;
    for (const PlacedBox& placed : track) {
        if (placed.place <= at) before = &placed;
        if (placed.place > at && after == nullptr) after = &placed;
    }
    const auto shown = [](const PlacedBox* placed) {
        return placed != nullptr && placed->box.width > 0 && placed->box.height > 0;
    };
    if (gap == Gap::interpolate && shown(before) && shown(after)) {
        const double part = (at - before->place) / (after->place - before->place);
        const auto mixed = [&](double ObjectBox::*side) {
            return before->box.*side * (1 - part) + after->box.*side * part;
        };
        want.add({.place = at,
                  .box = {before->box.id, mixed(&ObjectBox::left), mixed(&ObjectBox::top),
                          mixed(&ObjectBox::width), mixed(&ObjectBox::height),
                          std::min(before->box.confidence, after->box.confidence)}});
    } else if (own != nullptr) {
        want.add(*own);
    } else if (before != nullptr && (gap == Gap::hold || (gap == Gap::interpolate && after))) {
        want.add(*before);
    }
}

std::vector<ObjectBox> wanted(const std::vector<PlacedBox>& boxes, BoxClock clock,
                              const FramePlace& frame, Gap gap) {
    const bool frames = clock == BoxClock::frames;
    const double at = frames ? static_cast<double>(frame.number) : frame.seconds;
    std::map<std::int64_t, std::vector<PlacedBox>> tracks;
    for (const PlacedBox& placed : boxes) tracks[placed.box.id].push_back(placed);
    Want want;
    for (auto& [id, track] : tracks) {
        std::ranges::stable_sort(track, {}, &PlacedBox::place);
        const PlacedBox *own = nullptr, *last = nullptr;
        for (const PlacedBox& placed : track) {
            const double later = placed.place - at;
            if (later <= 0) last = &placed;
            const bool belongs =
                frames ? later == 0
                       : later == 0 || (later >= -frame.duration / 2 && later < frame.duration);
            if (belongs && (own == nullptr || std::fabs(later) < std::fabs(own->place - at)))
                own = &placed;
        }
        if (id >= 0) {
            want_of_id(track, at, own, gap, want);
            continue;
        }
        const PlacedBox* from = own == nullptr && gap == Gap::hold ? last : own;
        for (const PlacedBox& placed : track)
            if (from != nullptr && placed.place == from->place) want.add(placed);
    }
    return want.boxes;
}

bool nearly(const ObjectBox& a, const ObjectBox& b) {
    // Both formulas round three times, numbers of at most 128.
    const auto same = [](double x, double y) { return std::fabs(x - y) <= 128 * 8 * 0x1p-53; };
    return a.id == b.id && same(a.left, b.left) && same(a.top, b.top) && same(a.width, b.width) &&
           same(a.height, b.height) && a.confidence == b.confidence;
}

TEST(FiltersBoxes, RandomTracksMatchTheOracle) {
    std::mt19937 random(20260706);
    for (int round = 0; round < 300; ++round) {
        const BoxClock clock = round % 2 == 0 ? BoxClock::frames : BoxClock::seconds;
        const std::vector<PlacedBox> boxes = random_boxes(random, clock);
        if (boxes.empty()) continue;
        const BoxTracks tracks(clock, boxes);
        ASSERT_TRUE(parsed(print_boxes(tracks)) == tracks) << print_boxes(tracks);
        for (const Gap gap : {Gap::interpolate, Gap::hold, Gap::off})
            for (std::int64_t frame = 0; frame < 100; ++frame) {
                const FramePlace time{.number = frame,
                                      .seconds = static_cast<double>(frame) / 8,
                                      .duration = frame % 7 == 0 ? 0 : 0.125};
                std::vector<ObjectBox> want = wanted(boxes, clock, time, gap);
                std::vector<ObjectBox> got = tracks.at(time, gap);
                std::ranges::sort(want, {}, [](const ObjectBox& box) {
                    return std::tuple(box.id, box.left, box.top);
                });
                std::ranges::stable_sort(got, {}, [](const ObjectBox& box) {
                    return std::tuple(box.id, box.left, box.top);
                });
                ASSERT_TRUE(std::ranges::equal(want, got, nearly))
                    << "round " << round << ", frame " << frame << ", gap " << static_cast<int>(gap)
                    << ": want " << text_of(want) << ", got " << text_of(got) << "\n"
                    << print_boxes(tracks);
                for (const ObjectBox& box : got) {
                    EXPECT_LE(box.width, tracks.largest().width);
                    EXPECT_LE(box.height, tracks.largest().height);
                }
            }
    }
}

}  // namespace
}  // namespace weft
