// What users paste from ffmpeg means the same here: the text goes to the ffmpeg program and to our
// parser, and the pictures agree away from the border, where ffmpeg's filters differ on purpose.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/filters/frames.h"
#include "tests/filters/oracle.h"

namespace weft {
namespace {

constexpr int kWidth = 48;
constexpr int kHeight = 40;

struct Same {
    std::string_view text;
    double tolerance;  // ffmpeg cuts off where we round, and works in fixed point
    int margin;        // how far its border reaches in
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

class FiltersFfmpeg : public testing::Test {
 protected:
    void SetUp() override {
        if (std::system("ffmpeg -version >/dev/null 2>&1") != 0)
            GTEST_SKIP() << "there is no ffmpeg program to compare with";
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::string path(std::size_t k) const {
        return (folder_ / (std::to_string(k) + ".gray")).string();
    }

    // Row k of kSame, applied by one run of ffmpeg for all, lies in path(k).
    bool run_ffmpeg(const test::Picture& in) const {
        const std::vector<char> bytes(in.pixels.begin(), in.pixels.end());
        const std::string from = (folder_ / "in").string();
        std::ofstream(from, std::ios::binary).write(bytes.data(), std::ssize(bytes));
        std::string command =
            "ffmpeg -nostdin -v error -y -f rawvideo -pix_fmt gray -s 48x40 -i " + from;
        for (std::size_t k = 0; k < std::size(kSame); ++k)
            command +=
                " -vf \"" + std::string(kSame[k].text) + "\" -f rawvideo -pix_fmt gray " + path(k);
        return std::system(command.c_str()) == 0;
    }

    std::vector<double> by_ffmpeg(std::size_t k) const {
        std::ifstream file(path(k), std::ios::binary);
        std::vector<double> out;
        for (std::istreambuf_iterator<char> byte(file), end; byte != end; ++byte)
            out.push_back(static_cast<unsigned char>(*byte));
        return out;
    }

    std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / ("weft-ffmpeg-" + std::to_string(getpid()));
};

TEST_F(FiltersFfmpeg, MeansTheSame) {
    const test::Picture in = test::noise(kWidth, kHeight);
    ASSERT_TRUE(run_ffmpeg(in));
    for (std::size_t k = 0; k < std::size(kSame); ++k) {
        const Same& same = kSame[k];
        SCOPED_TRACE(same.text);
        test::Picture want = test::filtered(in, test::convolution(same.text, test::frame("gray")));
        const std::vector<double> got = by_ffmpeg(k);
        ASSERT_EQ(got.size(), in.pixels.size());
        for (int y = same.margin; y < kHeight - same.margin; ++y)
            for (int x = same.margin; x < kWidth - same.margin; ++x)
                ASSERT_NEAR(got[y * kWidth + x], std::clamp(want.at(x, y), 0.0, 255.0),
                            same.tolerance)
                    << x << ' ' << y;
    }
}

}  // namespace
}  // namespace weft
