// Every video encoder of this FFmpeg, in every container that takes it: the picture is about as
// close to the source as the one that ffmpeg makes with the same encoder and bit rate.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <sstream>

#include <fmt/format.h>

#include "tests/cli/harness.h"
#include "tests/cli/media.h"

namespace weft::cli {
namespace {

constexpr int kFrames = 15;
constexpr const char* kRate = "150k";

// Those that need hardware, two that need seconds for a frame, and raw video, of which ffmpeg
// cannot read all that it writes to mov.
bool is_left_out(const std::string& encoder) {
    for (const char* part : {"nvenc", "vaapi", "v4l2", "qsv", "vulkan", "_amf", "_omx", "_mf",
                             "libaom", "rav1e", "rawvideo"})
        if (contains(encoder, part)) return true;
    return false;
}

// " V....D libx264   libx264 H.264 …" for each, after a line of dashes.
std::vector<std::string> encoders() {
    std::istringstream text(run({"ffmpeg", "-v", "quiet", "-encoders"}).out);
    std::vector<std::string> names;
    bool begun = false;
    for (std::string line; std::getline(text, line);) {
        std::istringstream words(line);
        std::string kind;
        std::string name;
        words >> kind >> name;
        if (begun && kind.starts_with("V") && !is_left_out(name)) names.push_back(name);
        begun = begun || kind == "------";
    }
    return names;
}

// Smooth: programs differ in how they enlarge the chroma of sharp edges for encoders of RGB.
std::string source() {
    return clip("encoders.mkv", fmt::format("-f lavfi -i testsrc2=s=176x144:r=25 -vf gblur=sigma=2 "
                                            "-frames:v {} -c:v ffv1 -pix_fmt yuv420p",
                                            kFrames));
}

// Peak signal to noise over all samples, in dB; 100 where nothing differs.
double psnr(const std::string& got, const std::string& want) {
    if (got.size() != want.size()) return 0;
    double sum = 0;
    for (std::size_t k = 0; k < got.size(); ++k) {
        const int difference =
            static_cast<unsigned char>(got[k]) - static_cast<unsigned char>(want[k]);
        sum += difference * difference;
    }
    if (sum == 0) return 100;
    return 10 * std::log10(255.0 * 255.0 * static_cast<double>(got.size()) / sum);
}

class CliEncoders : public CliTest, public testing::WithParamInterface<std::string> {
 protected:
    Result filter(const std::string& encoder) const {
        return weft({"batch", "-vf", "convolve=matrix=1", "--gpu", "off", "-c:v", encoder, "-b:v",
                     kRate, "-y", "-o", path("ours." + GetParam()), source()});
    }
    double quality(const std::string& name) const {
        return psnr(raw_video(path(name), "yuv420p -vf scale=176:144"),
                    raw_video(source(), "yuv420p"));
    }
};

// Two decibels less, or 46: the settings differ in speed, and conversions in rounding.
TEST_P(CliEncoders, ArePutToUseAsByFfmpeg) {
    if (!long_tests() && (GetParam() == "avi" || GetParam() == "mov"))
        GTEST_SKIP() << "avi and mov are for the long form";
    int compared = 0;
    for (const std::string& encoder : encoders()) {
        SCOPED_TRACE(encoder);
        const Result result = filter(encoder);
        ASSERT_TRUE(exits_one_of(result, {0, 2, 1}));
        EXPECT_FALSE(contains(result.err, "please report")) << result.err;
        if (result.exit_code != 0) continue;
        const std::string theirs = "theirs." + GetParam();
        const Result made = run({"ffmpeg", "-v", "error", "-y", "-i", source(), "-c:v", encoder,
                                 "-b:v", kRate, path(theirs)});
        if (made.exit_code != 0) continue;  // rpza aborts
        EXPECT_GT(quality("ours." + GetParam()), std::min(46.0, quality(theirs) - 2));
        ++compared;
    }
    EXPECT_GE(compared, 15);
}

INSTANTIATE_TEST_SUITE_P(Containers, CliEncoders, testing::Values("mkv", "avi", "nut", "mov"),
                         [](const auto& tested) { return tested.param; });

class CliEncodersPlanned : public CliTest {};

// Each is opened, and closed without a frame, which SVT-AV1 1.4 never ended by itself.
TEST_F(CliEncodersPlanned, EndTheDryRun) {
    for (const std::string& encoder : encoders()) {
        SCOPED_TRACE(encoder);
        Command command = weft_command(
            {"batch", "--dry-run", "-vf", "box", "-c:v", encoder, "-o", path("out.nut"), source()});
        command.hang_guard = std::chrono::seconds(60);
        EXPECT_TRUE(exits_one_of(run(command), {0, 2}));
    }
}

// It starts with any size, and refuses the first frame: the plan knows.
TEST_F(CliEncodersPlanned, RefuseASizeBeforeTheFirstFrame) {
    const Arguments wrong = {"batch", "--dry-run", "-vf",           "box",   "-c:v",
                             "xface", "-o",        path("out.nut"), source()};
    const Result refused = weft(wrong);
    EXPECT_TRUE(exits(refused, 2));
    EXPECT_TRUE(contains(refused.err, "only frames of 48x48, but these are 176x144"))
        << refused.err;
    const std::string small = clip("face.mkv", picture_input(0.2, "48x48") + " -c:v ffv1");
    EXPECT_TRUE(
        exits(weft({"batch", "-vf", "box", "-c:v", "xface", "-o", path("o.nut"), small}), 0));
}

}  // namespace
}  // namespace weft::cli
