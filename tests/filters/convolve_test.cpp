#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "filters/stack.h"
#include "tests/filters/frames.h"

namespace weft {
namespace {

using test::convolution;
using test::frame;

class FiltersConvolve : public testing::Test {
 protected:
    void SetUp() override { std::filesystem::create_directories(folder_); }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::string file(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name, std::ios::binary) << text;
        return (folder_ / name).string();
    }
    std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / ("weft-convolve-" + std::to_string(getpid()));
};

std::string message(std::string_view step, std::string_view on = "yuv420p") {
    try {
        test::make(step, frame(on));
    } catch (const FilterError& error) {
        return error.what();
    }
    return "accepted";
}

TEST_F(FiltersConvolve, OneMatrixForAll) {
    const Convolution conv =
        convolution("convolve=matrix='1 2 3; 4 5 6':scale=1/4:bias=7", frame("yuv420p"));
    ASSERT_EQ(conv.components.size(), 1U);
    const ComponentTaps& taps = conv.components[0];
    EXPECT_EQ(taps.taps[0].weights, (std::vector<float>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(taps.taps[0].width, 3);
    EXPECT_EQ(taps.taps[0].anchor_x, 1);
    EXPECT_EQ(taps.taps[0].anchor_y, 0);
    EXPECT_EQ(taps.scale, 0.25F);
    EXPECT_EQ(taps.bias, 7);
}

TEST_F(FiltersConvolve, FfmpegsSpelling) {
    const Convolution conv = convolution(
        "convolution='-2 -1 0 -1 1 1 0 1 2:1 1 1 1 1 1 1 1 1:0 0 0 0 1 0 0 0 0:"
        "0 0 0 0 1 0 0 0 0:1:1/9:1:1:0:128:0:0'",
        frame("yuva420p"));
    ASSERT_EQ(conv.components.size(), 4U);
    EXPECT_EQ(conv.components[0].taps[0].weights[0], -2);
    EXPECT_EQ(conv.components[1].scale, static_cast<float>(1.0 / 9));
    EXPECT_EQ(conv.components[1].bias, 128);
    EXPECT_EQ(conv.components[2].bias, 0);
    const Convolution named =
        convolution("convolution=0m='1 2 3 4 5 6 7 8 9':1m='1 0 1':1mode=row:0rdiv=0.5:1bias=3",
                    frame("yuv420p"));
    EXPECT_EQ(named.components[1].taps[0].width, 3);
    EXPECT_EQ(named.components[1].taps[0].height, 1);
    EXPECT_EQ(named.components[1].scale, 0.5F);
    EXPECT_EQ(named.components[2].taps[0].weights[8], 9);
    EXPECT_EQ(named.components[2].bias, 0);
}

TEST_F(FiltersConvolve, OneMatrixPerComponent) {
    const Convolution blocks = convolution("convolve=matrix='1 | 2 0 0 0 | 3'", frame("bgra"));
    ASSERT_EQ(blocks.components.size(), 4U);  // in the order r g b a
    EXPECT_EQ(blocks.components[0].taps[0].weights, std::vector<float>{1});
    EXPECT_EQ(blocks.components[1].taps[0].width, 2);
    EXPECT_EQ(blocks.components[2].taps[0].weights, std::vector<float>{3});
    EXPECT_EQ(blocks.components[3].taps[0].weights, std::vector<float>{1});
    EXPECT_EQ(convolution("convolve=matrix='5 | 2 | 3'", frame("gray")).components.size(), 1U);
    EXPECT_EQ(
        convolution("convolve=matrix='5 | 2 | 3':planes=luma", frame("rgb24")).components.size(),
        1U);
    EXPECT_NE(message("convolve=matrix='1 | 2'").find("component v has no matrix"),
              std::string::npos);
    EXPECT_EQ(convolution("convolve=matrix='1|2':planes=yu", frame("yuv420p")).components.size(),
              3U);
    EXPECT_NE(message("convolve=matrix='1|2|3':matrix1=5").find("several"), std::string::npos);
    EXPECT_NE(message("convolve=matrix=1:matrix1='5|6'").find("one matrix"), std::string::npos);
}

TEST_F(FiltersConvolve, ModesReachInheritedMatrices) {
    const Convolution conv =
        convolution("convolve=matrix='1 2 3 4':mode1=row:mode2=column", frame("yuv420p"));
    EXPECT_EQ(conv.components[0].taps[0].width, 2);
    EXPECT_EQ(conv.components[1].taps[0].width, 4);
    EXPECT_EQ(conv.components[2].taps[0].height, 4);
    EXPECT_EQ(convolution("convolve=matrix='1 2 3 4':mode=row", frame("gray"))
                  .components[0]
                  .taps[0]
                  .width,
              4);
}

TEST_F(FiltersConvolve, NormalizeKeepsWholeTaps) {
    const ComponentTaps blur =
        convolution("convolve=matrix='1 2 1 2 4 2 1 2 1':normalize=1", frame("gray")).components[0];
    EXPECT_EQ(blur.scale, 1.0F / 16);
    EXPECT_TRUE(integer_valued(blur.taps[0]));
    EXPECT_TRUE(blur.taps[0].separable());
    const auto scale = [](std::string_view step) {
        return convolution(step, frame("gray")).components[0].scale;
    };
    EXPECT_EQ(scale("convolve=matrix='0 1 0 1 -4 1 0 1 0':normalize=1"), 1);
    EXPECT_EQ(scale("convolve=matrix='0.1 0.2 -0.3 0':normalize=1:scale=2"), 2);
    EXPECT_EQ(scale("convolve=matrix='2 2 2 2':normalize=1:scale=2"), 0.25F);
    EXPECT_EQ(scale("convolve=matrix='2 2 2 2'"), 1);
}

TEST_F(FiltersConvolve, Anchors) {
    const Taps taps =
        convolution("convolve=matrix='1 2 3; 4 5 6':anchor_x=2:anchor_y=1", frame("gray"))
            .components[0]
            .taps[0];
    EXPECT_EQ(taps.anchor_x, 2);
    EXPECT_EQ(taps.anchor_y, 1);
    EXPECT_NE(message("convolve=matrix='1 2 3; 4 5 6':anchor_y=2").find("2 rows"),
              std::string::npos);
}

TEST_F(FiltersConvolve, ReadsFiles) {
    const std::string path = file("blur.txt", "# 3 by 3\n1 2 1\n2 4 2\n1 2 1\n");
    const std::string step = "convolve=file=" + path + ":normalize=1";
    EXPECT_EQ(convolution(step, frame("gray")).components[0].taps[0].width, 3);
    EXPECT_EQ(print_stack(parse_stack(step)), "convolve=file=" + path + ":normalize=1");
    const std::string three = file("three.txt", "1 0 0 0 | 2 | 3\n");
    EXPECT_EQ(convolution("convolve=file=" + three, frame("rgb24")).components.size(), 3U);
    EXPECT_NE(message("convolve=file=" + three, "rgba").find("accepted"), std::string::npos);
    EXPECT_NE(message("convolve=file=" + three + ":planes=a", "rgba").find("component a"),
              std::string::npos);
}

TEST_F(FiltersConvolve, FileErrorsNameFileLineAndColumn) {
    const std::string bad = file("bad.txt", "1 2 1\n2 x 2\n1 2 1\n");
    EXPECT_NE(message("convolve=file=" + bad).find(bad + ":2:3: a number is expected here"),
              std::string::npos)
        << message("convolve=file=" + bad);
    const std::string ragged = file("ragged.txt", "1 2\n3 4\n\n5\n");
    EXPECT_NE(message("convolve=file=" + ragged).find(":4:1: row 3 has 1 numbers"),
              std::string::npos);
    const std::string empty = file("empty.txt", "");
    EXPECT_NE(message("convolve=file=" + empty).find(":1:1: the matrix is empty"),
              std::string::npos);
    const std::string big = file("big.txt", std::string((1 << 20) + 1, ' '));
    EXPECT_NE(message("convolve=file=" + big).find("larger than 1 MiB"), std::string::npos);
    const std::string wide = file("wide.txt", "1 2 3");
    EXPECT_NE(message("convolve=file=" + wide + ":anchor_x=1").find("not a square"),
              std::string::npos);
}

// Stacks may be untrusted, so an error must not quote the contents of other files.
TEST_F(FiltersConvolve, FilesThatAreNoMatrixAreNotQuoted) {
    const std::string secret = file("shadow", "root:$y$j9T$secret:19000:0:99999:7:::\n12 x34\n");
    for (const std::string step : {"convolve=file=", "bank=file="}) {
        const std::string text = message(step + secret);
        EXPECT_NE(text.find(secret + ":1:1: a number is expected here"), std::string::npos) << text;
        EXPECT_EQ(text.find("root"), std::string::npos) << text;
    }
    const std::string late = file("late", "1 2 3\n4 5 hunter2\n");
    EXPECT_EQ(message("convolve=file=" + late).find("hunter2"), std::string::npos);
    const std::string numbers = file("numbers", "1 2/0 # a half\n");
    EXPECT_NE(message("convolve=file=" + numbers).find("the divisor is zero"), std::string::npos);
}

// /proc/kmsg is a regular file by its type, but a read blocks until the kernel logs a message.
TEST_F(FiltersConvolve, NeverWaitsForAFile) {
    if (access("/proc/kmsg", R_OK) != 0) GTEST_SKIP() << "/proc/kmsg cannot be read here";
    EXPECT_NE(message("convolve=file=/proc/kmsg").find("/proc/kmsg"), std::string::npos);
}

// Opening a FIFO would block and hang the test.
TEST_F(FiltersConvolve, OpensOnlyRegularFiles) {
    const std::string fifo = (folder_ / "fifo").string();
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    EXPECT_NE(message("convolve=file=" + fifo).find("not a regular file"), std::string::npos);
    EXPECT_NE(message("convolve=file=" + folder_.string()).find("not a regular file"),
              std::string::npos);
    EXPECT_NE(message("convolve=file=/dev/zero").find("not a regular file"), std::string::npos);
    EXPECT_NE(message("convolve=file=/nowhere/x").find("there is no such file"), std::string::npos);
}

}  // namespace
}  // namespace weft
