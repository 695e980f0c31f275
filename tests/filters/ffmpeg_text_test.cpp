// Our steps as ffmpeg filters: the text is right, the ffmpeg program accepts it, and its pictures
// match ours away from the border.
#include "filters/ffmpeg_text.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/filters/ffmpeg_run.h"

namespace weft {
namespace {

constexpr double kNotCompared = -1;

struct Row {
    std::string_view stack;
    std::string_view chain;           // "": no equivalent
    std::string_view remark;          // part of a remark, or ""
    double tolerance = kNotCompared;  // in levels, of luma
    int margin = 0;
};

// Every filter, with steps for each form that its ffmpeg text can take.
constexpr Row kRows[]{
    {"box", "avgblur=sizeX=2:sizeY=2:planes=7", "truncates", 1, 2},
    {"box=radius=3:radius_y=1:planes=y", "avgblur=sizeX=3:sizeY=1:planes=1", "", 1, 3},
    {"box=radius=1:power=2:planes=0+3",
     "avgblur=sizeX=1:sizeY=1:planes=9,avgblur=sizeX=1:sizeY=1:planes=9", "whole levels", 2, 2},
    {"box=width=9:height=1:planes=y",
     "convolution=0m=1 1 1 1 1 1 1 1 1:0mode=row:0rdiv=0.1111111111111111:0bias=0", "", 0.51, 4},
    {"box=width=2:height=2:planes=y",
     "convolution=0m=0 0 0 0 1 1 0 1 1:0mode=square:0rdiv=0.25:0bias=0", "", 0.51, 1},
    {"box=width=8:height=8", "", "at most 7×7"},
    {"gaussian", "gblur=sigma=2:sigmaV=2:steps=6:planes=7", "approximates the Gaussian", 8, 12},
    {"gaussian=sigma=5:sigmaV=1:planes=y", "gblur=sigma=5:sigmaV=1:steps=6:planes=1", ""},
    {"gaussian=sigma=0.5:sigmaV=0:planes=y",
     "convolution=0m=9 3488 25774 3488 9:0mode=row:0rdiv=", "", 0.52, 2},
    {"gaussian=sigma=1:planes=y", "convolution=0m=", "", 0.66, 4},
    {"motion=length=5:planes=y", "convolution=0m=", "", 0.52, 2},
    {"motion=length=21:planes=y", "convolution=0m=", "", 0.52, 10},
    {"motion=length=21:angle=45", "", "at most 7×7"},
    {"disc=radius=2:planes=y", "convolution=0m=", "", 0.52, 3},
    {"disc", "", "at most 7×7"},
    {"sharpen", "convolution=0m=0 -1 0 -1 5 -1 0 -1 0:0mode=square:0rdiv=1:0bias=0", "", 0.001, 1},
    {"sharpen=amount=0.3:neighbours=8", "convolution=0m=", "", 0.52, 1},
    {"unsharp=size_x=7:size_y=3:amount=0.5", "unsharp=lx=7:ly=3:la=0.5:cx=5:cy=5:ca=0",
     "fixed point", 1.2, 3},
    {"unsharp=size_x=25", "", "up to 23"},
    {"unsharp=planes=y", "", "not planes"},
    {"emboss", "convolution=0m=-2 -1 0 -1 0 1 0 1 2:0mode=square:0rdiv=1:0bias=128,hue=s=0", "",
     0.001, 1},
    {"emboss=strength=-1:planes=y", "convolution=0m=2 1 0 1 0 -1 0 -1 -2", "", 0.001, 1},
    {"emboss=strength=0.5", "convolution=0m=-2 -1 0 -1 0 1 0 1 2:0mode=square:0rdiv=0.5",
     "ignores rdiv"},
    {"fill=red", "drawbox=color=red:replace=1:t=fill", "BT.601"},
    {"fill=planes=y", "", "all planes"},
    {"pixelate=8", "pixelize=width=8:height=8", "rounds means down"},
    {"box=2:enable=1-t", "avgblur=sizeX=2:sizeY=2:planes=7:enable=1-t", ""},
    {"box=2:region=4x4+2+6",
     "split[whole][part];[part]crop=4:4:2:6,avgblur=sizeX=2:sizeY=2:planes=7[part];"
     "[whole][part]overlay=2:6",
     "as that of the picture"},
    {"sharpen=region=10%x50%+5%+0|8x8+40+40:enable=1-t",
     "split[whole][part];[part]crop=iw*0.1:ih*0.5:iw*0.05:0,convolution=", ""},
    {"box=2:region=4x4-1+0", "", "begins outside the picture"},
    {"box=2:region=4x4+0+0:feather=2", "", "no feather"},
    {"box=2:boxes=plate.boxes", "", "no boxes"},
    {"box=2:mask=mask.png:invert=1", "", "no mask"},
    {"highpass", "", "at most 7×7"},
    {"highpass=sigma=1:planes=y", "convolution=0m=", "ignores rdiv"},
    {"sobel", "sobel=planes=1:scale=1:delta=0,hue=s=0", "", 1, 1},
    {"sobel=planes=all:scale=0.5:delta=10", "sobel=planes=7:scale=0.5:delta=10", "file's depth", 1,
     1},
    {"sobel=scale=-1", "", "not negative"},
    {"sobel=direction=x:planes=y", "convolution=0m=-1 0 1 -2 0 2 -1 0 1:0mode=square", "", 0.001,
     1},
    {"scharr=scale=0.5", "scharr=planes=1:scale=0.5:delta=0,hue=s=0", "47 162 47", 3, 1},
    {"prewitt=scale=0.5:planes=y", "prewitt=planes=1:scale=0.5:delta=0", "", 1, 1},
    {"roberts", "roberts=planes=1:scale=1:delta=0,hue=s=0", "other pixels"},
    {"kirsch", "kirsch=planes=1:scale=1:delta=0,hue=s=0", "different pixels"},
    {"robinson", "", "the larger of several sums"},
    {"gabor", "", "the larger of several sums"},
    {"laplacian", "", "the larger of several sums"},
    {"laplacian=absolute=0:delta=128:planes=y",
     "convolution=0m=0 1 0 1 -4 1 0 1 0:0mode=square:0rdiv=1:0bias=128", "", 0.001, 1},
    {"laplacian=absolute=0:delta=-9", "", "negative bias"},
    {"log=absolute=0", "", "at most 7×7"},
    {"dog", "", "the larger of several sums"},
    {"frame_difference", "tblend=c0_mode=difference,hue=s=0", "drops the first frame"},
    {"frame_difference=mode=signed:planes=all",
     "tblend=c0_mode=difference128:c1_mode=difference128:c2_mode=difference128", ""},
    {"frame_difference=gain=2", "", "no gain"},
    {"temporal_average=weights=1 2 1", "tmix=frames=3:weights=1 2 1:scale=0:planes=7", ""},
    {"temporal_average=frames=2:planes=y", "tmix=frames=2:weights=1 1:scale=0:planes=1", ""},
    {"convolve=matrix='1 2 3; 4 5 6; 7 8 -35':planes=y",
     "convolution=0m=1 2 3 4 5 6 7 8 -35:0mode=square:0rdiv=1:0bias=0", "", 0.001, 1},
    {"convolve=matrix='1 2 1':mode=row:normalize=1:planes=y",
     "convolution=0m=1 2 1:0mode=row:0rdiv=0.25:0bias=0", "", 0.51, 1},
    {"convolve=matrix='1 1; 1 1':scale=3", "convolution=0m=0 0 0 0 1 1 0 1 1", "ignores rdiv"},
    {"convolve=matrix='1 | 2 | 3 | 4':normalize=1",
     "convolution=0m=0 0 0 0 1 0 0 0 0:0mode=square:0rdiv=1:0bias=0:"
     "1m=0 0 0 0 2 0 0 0 0:1mode=square:1rdiv=0.5:1bias=0:"
     "2m=0 0 0 0 3 0 0 0 0:2mode=square:2rdiv=0.3333333333333333:2bias=0",
     "", 0.001, 1},
    {"convolve=file=/nothing/here.txt", "", "/nothing/here.txt"},
    {"convolve=matrix=1:planes=r", "", "planes"},
    {"bank=file=/nothing/here.txt", "", "/nothing/here.txt"},
    {"sharpen,sobel",
     "convolution=0m=0 -1 0 -1 5 -1 0 -1 0:0mode=square:0rdiv=1:0bias=0,"
     "sobel=planes=1:scale=1:delta=0,hue=s=0",
     ""},
    {"sharpen,gabor", "", "gabor: ffmpeg's convolution cannot"},
};

TEST(FiltersFfmpegText, GivesTheEquivalentFfmpegFilter) {
    for (const Row& row : kRows) {
        SCOPED_TRACE(row.stack);
        const FfmpegText text = ffmpeg_text(parse_stack(row.stack));
        EXPECT_EQ(text.exists(), !row.chain.empty());
        EXPECT_THAT(text.chain, testing::StartsWith(std::string(row.chain)));
        if (!row.remark.empty()) {
            EXPECT_THAT(text.remarks,
                        testing::Contains(testing::HasSubstr(std::string(row.remark))));
        }
    }
}

TEST(FiltersFfmpegText, EveryFilterHasATextOrAReason) {
    for (const FilterDef& filter : filters()) {
        SCOPED_TRACE(filter.name);
        const FfmpegText text = ffmpeg_text(Step{.filter = &filter, .params = Params(filter)});
        EXPECT_TRUE(text.exists() || !text.remarks.empty());
        const bool in_table = std::any_of(std::begin(kRows), std::end(kRows), [&](const Row& row) {
            return row.stack.starts_with(filter.name);
        });
        EXPECT_TRUE(in_table) << "a new filter needs a row above";
    }
}

class FiltersFfmpegTextRun : public test::FfmpegRun {};

// Runs ffmpeg once for all rows: it stops at the first chain that it rejects.
TEST_F(FiltersFfmpegTextRun, IsAcceptedByFfmpeg) {
    std::string command =
        "ffmpeg -nostdin -v error -f lavfi -i testsrc=d=0.2:s=128x96,format=yuva444p";
    for (const Row& row : kRows)
        if (const FfmpegText text = ffmpeg_text(parse_stack(row.stack)); text.exists())
            command += " -vf '" + text.chain + "' -frames:v 1 -f null -";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

TEST_F(FiltersFfmpegTextRun, GivesTheSamePictures) {
    std::vector<test::FfmpegPair> pairs;
    for (const Row& row : kRows)
        if (row.tolerance != kNotCompared)
            pairs.push_back(
                {row.stack, ffmpeg_text(parse_stack(row.stack)).chain, row.tolerance, row.margin});
    expect_same(test::noise(64, 56), true, pairs);
}

}  // namespace
}  // namespace weft
