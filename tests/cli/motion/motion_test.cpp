// `weft motion`: the stretches of films in which something moves.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

using Json = nlohmann::json;

// A gray picture of 320×180 for 6 s at 25 frames per second. From 2 s on a square of 30 pixels
// moves from the left to the right in the rows 80 to 109; 3 s is the first frame without it.
std::string crossing(const std::string& name = "crossing.mkv",
                     const std::string& encoder = "-c:v ffv1") {
    return clip(name,
                "-f lavfi -i color=c=gray:s=320x180:r=25:d=6[b];color=c=white:s=30x30:r=25:d=6[o];"
                "[b][o]overlay=x=(t-2)*320:y=80:enable=not(floor(t)-2) " +
                    encoder);
}

// The box of the square and of the ring that the 3 × 3 mean adds.
constexpr const char* kBox = "320x32+0+79";

class CliMotion : public CliTest {
 protected:
    static Result motion(const Arguments& more) {
        Arguments arguments = {"motion"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return weft(arguments);
    }
    static Json film(const Arguments& more) {
        Arguments arguments = more;
        arguments.emplace_back("--json");
        const Result result = motion(arguments);
        EXPECT_TRUE(exits(result, 0));
        return parse_json(result.out).at("films").at(0);
    }
};

TEST_F(CliMotion, PrintsATable) {
    const Result result = motion({crossing()});
    EXPECT_TRUE(exits(result, 0));
    EXPECT_EQ(result.err, "");
    EXPECT_TRUE(contains(result.out, ": 1 event in 0:06 of 320×180\n")) << result.out;
    EXPECT_TRUE(contains(result.out, "0:02.000  0:03.000  0:02.")) << result.out;
    EXPECT_TRUE(contains(result.out, std::string("%  ") + kBox + "\n")) << result.out;
}

TEST_F(CliMotion, AFilmWithoutMotionIsNoError) {
    const std::string still =
        clip("still.mkv", "-f lavfi -i color=c=gray:s=64x48:r=25:d=2 -c:v ffv1");
    const Result result = motion({still});
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(contains(result.out, ": no motion in 0:02 of 64×48\n")) << result.out;
}

TEST_F(CliMotion, JsonHasEveryField) {
    const Result result = motion(
        {crossing(), "--json", "--threshold", "9", "--area", "0.2%", "--min-length", "500ms"});
    EXPECT_TRUE(exits(result, 0));
    const Json all = parse_json(result.out);
    EXPECT_EQ(all.at("schema"), 1);
    EXPECT_EQ(all.at("exit_code"), 0);
    EXPECT_EQ(all.at("threshold_levels"), 9);
    EXPECT_DOUBLE_EQ(all.at("area_percent").get<double>(), 0.2);
    EXPECT_EQ(all.at("min_length_seconds"), 0.5);
    ASSERT_EQ(all.at("films").size(), 1U);
    const Json& film = all.at("films").at(0);
    EXPECT_EQ(film.at("input"), crossing());
    EXPECT_EQ(film.at("exit_code"), 0);
    EXPECT_TRUE(film.at("error").is_null());
    EXPECT_TRUE(film.at("damage").is_null());
    EXPECT_TRUE(film.at("notes").empty());
    EXPECT_EQ(film.at("width"), 320);
    EXPECT_EQ(film.at("height"), 180);
    EXPECT_EQ(film.at("region"), Json({{"x", 0}, {"y", 0}, {"width", 320}, {"height", 180}}));
    EXPECT_EQ(film.at("frames"), 150);
    EXPECT_EQ(film.at("start_time"), 0);
    EXPECT_NEAR(film.at("end_time").get<double>(), 6, 1e-6);
    ASSERT_EQ(film.at("events").size(), 1U);
    const Json& event = film.at("events").at(0);
    EXPECT_NEAR(event.at("start_time").get<double>(), 2, 1e-6);
    EXPECT_NEAR(event.at("end_time").get<double>(), 3, 1e-6);
    EXPECT_GT(event.at("peak_time"), event.at("start_time"));
    EXPECT_LT(event.at("peak_time"), event.at("end_time"));
    // The square where it is and where it was, each with the ring of the 3 × 3 mean.
    EXPECT_NEAR(event.at("area_percent").get<double>(), 100.0 * 2 * 32 * 32 / (320 * 180), 1e-6);
    EXPECT_EQ(event.at("box"), Json({{"x", 0}, {"y", 79}, {"width", 320}, {"height", 32}}));
}

TEST_F(CliMotion, ReportsGoToFiles) {
    const std::string report = path("motion.json");
    const Result result = motion({crossing(), "--json", report});
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(contains(result.out, kBox)) << "the table is printed as well: " << result.out;
    EXPECT_EQ(parse_json(read_file(report)).at("films").at(0).at("events").size(), 1U);
    EXPECT_TRUE(exits(motion({crossing(), "--json", report}), 0)) << "an older report is replaced";
}

TEST_F(CliMotion, CsvHasALineForEachEvent) {
    const std::string odd_name = path("a \"b\", c.mkv");
    write_file(odd_name, read_file(crossing()));
    const Result result = motion({"-f", "csv", crossing(), odd_name});
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(result.out.starts_with("file,start,end,peak,area_percent,x,y,width,height\n"))
        << result.out;
    EXPECT_TRUE(contains(result.out, crossing() + ",2.000000,3.000000,2.")) << result.out;
    EXPECT_TRUE(contains(result.out, "a \"\"b\"\", c.mkv\",2.000000,3.000000,2.")) << result.out;
    EXPECT_TRUE(result.out.ends_with(",0,79,320,32\n")) << result.out;
}

TEST_F(CliMotion, LooksOnlyAtTheRegion) {
    EXPECT_TRUE(film({crossing(), "--region", "320x70+0+0"}).at("events").empty());
    EXPECT_TRUE(film({crossing(), "--region", "100%x30%+0+65%"}).at("events").empty());
    // A part outside of the picture is cut off; the square reaches column 160 after 1.6 s / 4.
    const Json half = film({crossing(), "--region", "500x180+160+0"});
    EXPECT_EQ(half.at("region"), Json({{"x", 160}, {"y", 0}, {"width", 160}, {"height", 180}}));
    ASSERT_EQ(half.at("events").size(), 1U);
    const Json& event = half.at("events").at(0);
    EXPECT_NEAR(event.at("start_time").get<double>(), 2 + 130.0 / 320, 0.04 + 1e-6);
    EXPECT_EQ(event.at("box"), Json({{"x", 160}, {"y", 79}, {"width", 160}, {"height", 32}}));
    EXPECT_EQ(film({crossing(), "--region", "50%x100%+50%+0"}).at("events"), half.at("events"));
}

// Displayed 180×320, turned counter-clockwise: the rows 80 to 109 become the columns 80 to 109, in
// which the square rises.
TEST_F(CliMotion, RegionsAndBoxesAreThoseOfTheDisplayedPicture) {
    (void)crossing("flat.mp4", "-c:v libx264 -qp 0 -preset ultrafast");
    const std::string turned =
        clip("turned_motion.mp4", "-i @flat.mp4 -c copy -metadata:s:v:0 rotate=90");
    const Json whole = film({turned});
    EXPECT_EQ(whole.at("width"), 180);
    EXPECT_EQ(whole.at("height"), 320);
    ASSERT_EQ(whole.at("events").size(), 1U);
    EXPECT_EQ(whole.at("events").at(0).at("box"),
              Json({{"x", 79}, {"y", 0}, {"width", 32}, {"height", 320}}));
    EXPECT_TRUE(film({turned, "--region", "60x320+0+0"}).at("events").empty());
    const Json part = film({turned, "--region", "180x100+0+0"});
    ASSERT_EQ(part.at("events").size(), 1U);
    EXPECT_EQ(part.at("events").at(0).at("box"),
              Json({{"x", 79}, {"y", 0}, {"width", 32}, {"height", 100}}));
    EXPECT_GT(part.at("events").at(0).at("start_time"), 2.5);
}

// Times count from the beginning of the file, whatever part of it is read.
TEST_F(CliMotion, TakesARangeLikeBatch) {
    const Json part = film({crossing(), "-ss", "1.6", "-to", "5"});
    EXPECT_EQ(part.at("start_time"), 1.6);
    EXPECT_EQ(part.at("end_time"), 5);
    ASSERT_EQ(part.at("events").size(), 1U);
    EXPECT_NEAR(part.at("events").at(0).at("start_time").get<double>(), 2, 1e-6);
    EXPECT_NEAR(part.at("events").at(0).at("end_time").get<double>(), 3, 1e-6);
    const Json begun = film({crossing(), "-ss", "2.4", "-t", "1.6"});
    ASSERT_EQ(begun.at("events").size(), 1U);
    EXPECT_NEAR(begun.at("events").at(0).at("start_time").get<double>(), 2.4, 1e-6);
    // A transport stream does not begin at 0.
    const Json stream =
        film({clip("motion.ts", "-i @crossing.mkv -c:v libx264 -qp 0 -preset ultrafast")});
    ASSERT_EQ(stream.at("events").size(), 1U);
    EXPECT_NEAR(stream.at("events").at(0).at("start_time").get<double>(), 2, 1e-6);
}

TEST_F(CliMotion, BadArgumentsAreUsageErrors) {
    struct Row {
        Arguments arguments;
        const char* says;
    };
    const std::string file = crossing();
    for (const Row& row : {
             Row{{}, "no film was given"},
             Row{{file, "--region", "10x10"},
                 "--region: its left side is missing: a region is WxH+X+Y"},
             Row{{file, "--region", "10x10+5+5+5"}, "10x10+5+5+5"},
             Row{{file, "--region", "10x10+320+0"}, "no pixel of the picture, which is 320x180"},
             Row{{file, "--region", "0x10+0+0"}, "its width is 0"},
             Row{{file, "--threshold", "256"}, "--threshold 256: expected levels from 0 to 255"},
             Row{{file, "--threshold", "low"}, "--threshold low"},
             Row{{file, "--area", "101"}, "--area 101: expected per cent from 0 to 100"},
             Row{{file, "--min-length", "-1"}, "--min-length -1"},
             Row{{file, "-f", "xml"}, "csv"},
             Row{{file, "-f", "csv", "--json"}, "both write to standard output"},
             Row{{file, "--json=" + file}, "would replace"},
             Row{{file, "-vf", "box"}, "-vf is an option of weft batch"},
             Row{{image_clip()}, "a picture has no motion"},
         }) {
        const Result result = motion(row.arguments);
        EXPECT_TRUE(exits(result, 2)) << testing::PrintToString(row.arguments);
        EXPECT_TRUE(contains(result.err, row.says)) << row.says << ": " << result.err;
        EXPECT_EQ(result.out, "");
    }
}

TEST_F(CliMotion, FailsLikeBatch) {
    EXPECT_TRUE(exits(motion({path("none.mkv")}), 1));
    write_file(path("garbage.mkv"), "no video");
    EXPECT_TRUE(exits(motion({path("garbage.mkv")}), 1));
    EXPECT_TRUE(exits(motion({make_folder("folder")}), 1));
    EXPECT_TRUE(exits(motion({clip("motion_tone.wav", tone_input(1))}), 1));
    const std::string whole = crossing("clusters.mkv", "-c:v ffv1 -cluster_time_limit 200");
    std::string bytes = read_file(whole);
    bytes.resize(bytes.size() * 3 / 4);
    write_file(path("cut.mkv"), bytes);
    const Result cut = motion({path("cut.mkv")});
    EXPECT_TRUE(exits(cut, 4));
    EXPECT_TRUE(contains(cut.out, "0:02.000  0:03.000")) << "the event is lost: " << cut.out;
    EXPECT_TRUE(contains(last_line(cut.err), "damaged: ")) << cut.err;
}

// The other films are measured all the same.
TEST_F(CliMotion, OneOfSeveralFilmsFails) {
    const Result result = motion({path("none.mkv"), crossing()});
    EXPECT_TRUE(exits(result, 3));
    EXPECT_TRUE(contains(result.out, "0:02.000  0:03.000")) << result.out;
    EXPECT_TRUE(contains(last_line(result.err), "1 of 2 films failed; the first: ")) << result.err;
    const Result json = motion({path("none.mkv"), crossing(), "--json"});
    const Json films = parse_json(json.out).at("films");
    EXPECT_EQ(films.at(0).at("exit_code"), 1);
    EXPECT_TRUE(contains(films.at(0).at("error"), "none.mkv"));
    EXPECT_EQ(films.at(1).at("events").size(), 1U);
}

// A camera that changes its size: the second part is measured at the first one's.
TEST_F(CliMotion, AFilmMayChangeItsSize) {
    const std::string h264 = " -c:v libx264 -qp 0 -preset ultrafast";
    const std::string first = clip("first_size.ts", "-i @crossing.mkv" + h264);
    const std::string second = clip("second_size.ts", "-i @crossing.mkv -vf scale=160:90" + h264);
    write_file(path("joined.ts"), read_file(first) + read_file(second));
    const Json joined = film({path("joined.ts")});
    ASSERT_EQ(joined.at("events").size(), 2U) << joined;
    EXPECT_NEAR(joined.at("events").at(1).at("start_time").get<double>(), 6 + 2, 0.2);
    EXPECT_TRUE(contains(joined.at("notes").dump(), "the size changes from 320x180 to 160x90"))
        << joined;
}

TEST_F(CliMotion, OddFilmsAreMeasured) {
    for (const std::string& film : {
             clip("motion_one.mkv", "-i @crossing.mkv -frames:v 1 -c:v ffv1"),
             clip("interlaced.mkv",
                  "-i @crossing.mkv -vf interlace -c:v libx264 -flags +ildct -preset ultrafast"),
             clip("ten_bits.mkv", "-i @crossing.mkv -pix_fmt yuv420p10le -c:v ffv1"),
             clip("motion_rgb.mkv", "-i @crossing.mkv -pix_fmt bgra -c:v ffv1"),
             clip("fast.mkv", "-i @crossing.mkv -vf fps=500 -c:v ffv1"),
             clip("animation.gif", "-i @crossing.mkv -vf fps=10"),
         }) {
        const Json result = CliMotion::film({film});
        const std::size_t want = film.ends_with("one.mkv") ? 0 : 1;
        EXPECT_EQ(result.at("events").size(), want) << film << result;
    }
}

}  // namespace
}  // namespace weft::cli
