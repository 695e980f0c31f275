// `weft track`: the boxes of an object whose path is known.
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

struct Line {
    int frame = 0;
    int id = 0;
    double left = 0, top = 0, width = 0, height = 0, confidence = 0;
};

constexpr double kWidth = 56;
constexpr double kHeight = 40;
constexpr double left_of(int frame) {
    return 40 + 4 * (frame - 1);
}
constexpr double top_of(int frame) {
    return 100 - (frame - 1);
}
constexpr const char* kFirstBox = "56x40+40+100";

// 40 frames of 320×180 at 20/s: an object moves by 4 to the right and by 1 upwards from frame to
// frame, from 40, 100 on.
std::string moving_clip(const std::string& name = "moving.mp4") {
    return clip(
        name,
        "-f lavfi -i nullsrc=s=320x180:r=20:d=2,geq=lum='110+40*sin(X/7)*cos(Y/11)':cb=128:cr=128 "
        "-f lavfi -i nullsrc=s=56x40:r=20:d=2,geq=lum='128+90*sin(X/4+Y/9)*cos(Y/5)':cb=128:cr=128 "
        "-filter_complex overlay=x='40+4*n':y='100-n' -c:v libx264 -preset ultrafast -crf 12 "
        "-pix_fmt yuv420p -g 10");
}

std::vector<Line> lines_of(const std::string& text) {
    std::vector<Line> lines;
    std::istringstream stream(text);
    for (std::string row; std::getline(stream, row);) {
        EXPECT_TRUE(row.ends_with(",-1,-1,-1")) << row;
        for (char& c : row)
            if (c == ',') c = ' ';
        std::istringstream numbers(row);
        Line line;
        numbers >> line.frame >> line.id >> line.left >> line.top >> line.width >> line.height >>
            line.confidence;
        EXPECT_TRUE(numbers) << row;
        lines.push_back(line);
    }
    return lines;
}

// Whether the boxes cover the object in the frames `first` to `last`, one line each.
void expect_covered(const std::vector<Line>& lines, int first, int last) {
    ASSERT_EQ(lines.size(), static_cast<std::size_t>(last - first + 1));
    for (std::size_t k = 0; k < lines.size(); ++k) {
        const Line& line = lines[k];
        SCOPED_TRACE(fmt::format("frame {}: {} {} {} {}", line.frame, line.left, line.top,
                                 line.width, line.height));
        EXPECT_EQ(line.frame, first + static_cast<int>(k));
        EXPECT_EQ(line.id, 1);
        EXPECT_GE(line.confidence, 0.5);
        EXPECT_LE(line.left, left_of(line.frame));
        EXPECT_LE(line.top, top_of(line.frame));
        EXPECT_GE(line.left + line.width, left_of(line.frame) + kWidth);
        EXPECT_GE(line.top + line.height, top_of(line.frame) + kHeight);
        EXPECT_LE(line.width, 1.3 * kWidth);
        EXPECT_LE(line.height, 1.3 * kHeight);
    }
}

class CliTrack : public CliTest {};

TEST_F(CliTrack, FollowsAnObjectForwards) {
    const Result result = weft({"track", moving_clip(), "--box", kFirstBox, "--at", "0"});
    EXPECT_TRUE(exits(result, 0));
    expect_covered(lines_of(result.out), 1, 40);
    EXPECT_TRUE(contains(result.err, "boxes in 40 frames, 0 of them uncertain")) << result.err;
}

// The box is drawn in the frame that is shown at 1.02 s, the 21st.
TEST_F(CliTrack, FollowsAnObjectInBothDirections) {
    const Result result = weft({"track", moving_clip(), "--box", "56x40+120+80", "--at", "1.02"});
    EXPECT_TRUE(exits(result, 0));
    expect_covered(lines_of(result.out), 1, 40);
    for (const Line& line : lines_of(result.out))
        EXPECT_EQ(line.confidence == 1, line.frame == 21) << "frame " << line.frame;
}

TEST_F(CliTrack, NumbersCountFromTheBeginningOfTheFile) {
    for (const char* name : {"moving.mp4", "moving.mkv", "moving.ts"}) {
        SCOPED_TRACE(name);
        const Result result = weft({"track", moving_clip(name), "--box", "56x40+120+80", "--at",
                                    "1.02", "--from", "0.7", "--to", "1.5"});
        EXPECT_TRUE(exits(result, 0));
        expect_covered(lines_of(result.out), 15, 30);
    }
}

// A second box corrects the first, and the object is followed backwards from it.
TEST_F(CliTrack, OfTwoBoxesTheNearerOneHolds) {
    const Result result = weft({"track", moving_clip(), "--box", kFirstBox, "--at", "0", "--box",
                                "56x40+192+62", "--at", "1.9"});
    EXPECT_TRUE(exits(result, 0));
    expect_covered(lines_of(result.out), 1, 40);
    const Result wrong = weft({"track", moving_clip(), "--box", "56x40+120+20", "--at", "0",
                               "--box", "56x40+192+62", "--at", "1.9"});
    EXPECT_TRUE(exits(wrong, 0));
    const std::vector<Line> lines = lines_of(wrong.out);
    ASSERT_EQ(lines.size(), 40U);
    EXPECT_LT(lines[1].top, 40) << "the nearer box is the first one";
    expect_covered({lines.begin() + 30, lines.end()}, 31, 40);
}

// ffmpeg writes a matrix that turns the picture counterclockwise: the left upper corner of a box is
// the right upper one of the stored picture.
TEST_F(CliTrack, BoxesOfATurnedFilmAreAsItIsShown) {
    (void)moving_clip("moving.mp4");
    const std::string turned =
        clip("moving_turned.mp4", "-i @moving.mp4 -c copy -metadata:s:v:0 rotate=90");
    const int stored_width = 320;
    const Result result = weft({"track", turned, "--box", "40x56+100+224", "--at", "0"});
    EXPECT_TRUE(exits(result, 0));
    std::vector<Line> lines = lines_of(result.out);
    for (Line& line : lines) {
        const Line shown = line;
        line.left = stored_width - shown.top - shown.height;
        line.top = shown.left;
        line.width = shown.height;
        line.height = shown.width;
    }
    expect_covered(lines, 1, 40);
}

TEST_F(CliTrack, ACutEndsTheTrackAndIsReported) {
    (void)moving_clip("moving.mp4");
    const std::string cut =
        clip("moving_cut.mp4",
             "-i @moving.mp4 -f lavfi -i testsrc2=s=320x180:r=20:d=1 -filter_complex "
             "[0][1]concat=n=2 -c:v libx264 -preset ultrafast -pix_fmt yuv420p");
    const Result result = weft({"track", cut, "--box", kFirstBox, "--at", "0"});
    EXPECT_TRUE(exits(result, 0));
    expect_covered(lines_of(result.out), 1, 40);
    EXPECT_TRUE(contains(result.err, "the track ends at a camera cut: 1.950 s (frame 40)"))
        << result.err;
}

// So that no box moves through a scene between two tracks of the object.
TEST_F(CliTrack, AnEmptyBoxMarksTheSceneBetweenTwoTracks) {
    (void)moving_clip("moving.mp4");
    const std::string cut =
        clip("moving_twice.mp4",
             "-i @moving.mp4 -f lavfi -i testsrc2=s=320x180:r=20:d=1 -i @moving.mp4 "
             "-filter_complex [0][1][2]concat=n=3 -c:v libx264 -preset ultrafast -pix_fmt yuv420p");
    const Result result =
        weft({"track", cut, "--box", kFirstBox, "--at", "0", "--box", kFirstBox, "--at", "3"});
    EXPECT_TRUE(exits(result, 0));
    const std::vector<Line> lines = lines_of(result.out);
    ASSERT_EQ(lines.size(), 81U);
    EXPECT_EQ(lines[40].frame, 41);
    EXPECT_EQ(lines[40].width, 0);
    EXPECT_EQ(lines[40].height, 0);
    EXPECT_EQ(lines[41].frame, 61);
    expect_covered({lines.begin(), lines.begin() + 40}, 1, 40);
}

TEST_F(CliTrack, ListsTheStretchesInWhichTheObjectIsHidden) {
    (void)moving_clip("moving.mp4");
    const std::string hidden =
        clip("moving_hidden.mp4",
             "-i @moving.mp4 -vf drawbox=w=320:h=180:t=fill:color=gray:enable=between(n\\,10\\,14) "
             "-c:v libx264 -preset ultrafast -crf 12 -pix_fmt yuv420p");
    const Result result = weft({"track", hidden, "--box", kFirstBox, "--at", "0"});
    EXPECT_TRUE(exits(result, 0));
    EXPECT_TRUE(contains(result.err, "  0.500 to 0.700 s (frames 11 to 15)\n")) << result.err;
}

TEST_F(CliTrack, WritesAFileAndReplacesItOnRequestOnly) {
    const Arguments arguments = {"track", moving_clip(), "--box", kFirstBox,
                                 "--at",  "0",           "-o",    path("a.boxes")};
    const Result result = weft(arguments);
    EXPECT_TRUE(exits(result, 0));
    EXPECT_EQ(result.out, "");
    const std::string text = read_file(path("a.boxes"));
    expect_covered(lines_of(text), 1, 40);
    EXPECT_TRUE(exits(weft(arguments), 2));
    Arguments again = arguments;
    again.emplace_back("-y");
    EXPECT_TRUE(exits(weft(again), 0));
    EXPECT_EQ(read_file(path("a.boxes")), text);
    EXPECT_TRUE(exits(
        weft({"track", moving_clip(), "--box", kFirstBox, "--at", "0", "-o", moving_clip(), "-y"}),
        2));
}

TEST_F(CliTrack, BoxesHaveTheNumberThatIsAskedFor) {
    const Result result =
        weft({"track", moving_clip(), "--box", kFirstBox, "--at", "0", "--to", "0.5", "--id", "7"});
    EXPECT_TRUE(exits(result, 0));
    const std::vector<Line> lines = lines_of(result.out);
    EXPECT_EQ(lines.size(), 10U);
    for (const Line& line : lines) EXPECT_EQ(line.id, 7);
}

// The arguments after the input, and a part of the message.
struct Refused {
    Arguments arguments;
    const char* said;
};

TEST_F(CliTrack, WrongBoxesAndTimesAreRefusedBeforeAnyWork) {
    const std::vector<Refused> table = {
        {{}, "no box was given"},
        {{"--box", "56x40", "--at", "0"}, "expected WIDTHxHEIGHT+LEFT+TOP"},
        {{"--box", "56x40+1+b", "--at", "0"}, "expected WIDTHxHEIGHT+LEFT+TOP"},
        {{"--box", "56x40+1+2+3", "--at", "0"}, "expected WIDTHxHEIGHT+LEFT+TOP"},
        {{"--box", "0x40+1+2", "--at", "0"}, "at least 8"},
        {{"--box", "56x40+320+20", "--at", "0"}, "outside the picture of 320x180"},
        {{"--box", "56x40+10+20", "--at", "2.5"}, "--at 2.5: the film lasts 2 seconds"},
        {{"--box", "56x40+10+20", "--at", "later"}, "expected a time"},
        {{"--box", "56x40+10+20"}, "give each box the time of its frame"},
        {{"--box", "56x40+10+20", "--at", "0", "--from", "1"}, "not in the range"},
        {{"--box", "56x40+10+20", "--at", "0", "--from", "1", "--to", "1"}, "nothing is left"},
        {{"--box", "56x40+10+20", "--at", "0", "--id", "0"}, "--id"},
    };
    for (const auto& [arguments, said] : table) {
        SCOPED_TRACE(testing::PrintToString(arguments));
        Arguments all = {"track", moving_clip(), "-o", path("none.boxes")};
        all.insert(all.end(), arguments.begin(), arguments.end());
        const Result result = weft(all);
        EXPECT_TRUE(exits(result, 2));
        EXPECT_TRUE(contains(last_line(result.err), said)) << result.err;
    }
    EXPECT_TRUE(names_in(folder_.path()).empty());
    EXPECT_TRUE(exits(weft({"track"}), 2));
    EXPECT_TRUE(exits(weft({"track", "-", "--box", kFirstBox, "--at", "0"}), 2));
    EXPECT_TRUE(exits(weft({"track", "nosuch.mp4", "--box", kFirstBox, "--at", "0"}), 1));
}

}  // namespace
}  // namespace weft::cli
