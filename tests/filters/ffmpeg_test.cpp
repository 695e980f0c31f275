// Filters pasted from ffmpeg mean the same here: the ffmpeg program and our parser get the same
// text, and the pictures agree except near the border, where the two differ on purpose.
#include <string>
#include <string_view>
#include <vector>

#include "tests/filters/ffmpeg_run.h"

namespace weft {
namespace {

struct Same {
    std::string_view text;
    double tolerance;  // ffmpeg truncates where we round, and works in fixed point
    int margin;        // width of its border
};

// ffmpeg 5.1 forgets 0rdiv and divides by the sum: the matrices here sum to 0 or 1.
constexpr Same kSame[]{
    {"convolution='1 2 3 4 5 6 7 8 -35':0rdiv=1", 0.001, 1},
    {"convolution='1 2 3 -4 5 6 7 8 9 1 2 3 4 5 6 -7 8 9 1 2 -3 4 -5 6 -72':0rdiv=1", 0.001, 2},
    {"convolution='1 0 2 0 3 0 4 0 5 0 6 0 7 0 8 0 9 0 1 0 2 0 3 0 -4 0 -5 0 -6 0 -7 0 -8 0 -9 0 "
     "-1 0 -2 0 -3 0 1 1 1 1 1 -1 -9'",
     0.001, 3},
    {"convolution='0 -1 0 -1 5 -1 0 -1 0:0 -1 0 -1 5 -1 0 -1 0:0 0 0 0 1 0 0 0 0:0 0 0 0 1 0 0 0 "
     "0:1:1:1:1:20:0:0:0'",
     0.001, 1},
    {"convolution=0m='1 2 -7 4 1':0mode=row:0rdiv=1:0bias=30", 0.001, 2},
    {"convolution=0m='1 -2 -7 4 4':0mode=column:0bias=100", 0.001, 2},
    {"sobel=15:0.5:10", 1, 1},
    {"prewitt=15:0.5", 1, 1},
    {"scharr=scale=0.5", 3, 1},
    {"boxblur=2:1", 1, 2},
    {"boxblur=lr=3:lp=2", 1.6, 6},
    {"avgblur=2:15:4", 1, 4},
    {"avgblur=sizeX=2:sizeY=1", 1, 2},
    {"unsharp=5:5:1.0:5:5:0.0", 1.2, 2},
    {"unsharp=7:3:0.5", 1.2, 3},
    {"unsharp=lx=3:ly=9:la=-1", 1.2, 4},
};

class FiltersFfmpeg : public test::FfmpegRun {};

TEST_F(FiltersFfmpeg, MeansTheSame) {
    std::vector<test::FfmpegPair> pairs;
    for (const Same& same : kSame)
        pairs.push_back({same.text, std::string(same.text), same.tolerance, same.margin});
    expect_same(test::noise(48, 40), false, pairs);
}

}  // namespace
}  // namespace weft
