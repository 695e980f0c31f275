#include "tests/filters/ffmpeg_run.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <unistd.h>

#include "tests/filters/frames.h"

namespace weft::test {

namespace {

constexpr int kPlanes = 3;  // of yuv444p

void expect_near(const std::string& got, Picture want, const FfmpegPair& pair) {
    for (int y = pair.margin; y < want.height - pair.margin; ++y)
        for (int x = pair.margin; x < want.width - pair.margin; ++x)
            ASSERT_NEAR(static_cast<unsigned char>(got[y * want.width + x]),
                        std::clamp(want.at(x, y), 0.0, 255.0), pair.tolerance)
                << x << ' ' << y;
}

}  // namespace

void FfmpegRun::SetUp() {
    if (std::system("ffmpeg -version >/dev/null 2>&1") != 0)
        GTEST_SKIP() << "there is no ffmpeg program to compare with";
    folder_ = std::filesystem::temp_directory_path() / ("weft-ffmpeg-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
}

void FfmpegRun::TearDown() {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
}

std::string FfmpegRun::path(std::size_t k) const {
    return (folder_ / (std::to_string(k) + ".raw")).string();
}

bool FfmpegRun::run(const Picture& in, bool chroma, const std::vector<FfmpegPair>& pairs) const {
    std::string bytes;
    for (const double value : in.pixels)
        bytes += static_cast<char>(static_cast<unsigned char>(value));
    if (chroma) bytes.resize(kPlanes * bytes.size(), static_cast<char>(128));
    const std::string from = (folder_ / "in").string();
    std::ofstream(from, std::ios::binary).write(bytes.data(), std::ssize(bytes));
    const std::string raw = std::string(" -f rawvideo -pix_fmt ") + (chroma ? "yuv444p " : "gray ");
    std::string command = "ffmpeg -nostdin -v error -y" + raw + "-s " + std::to_string(in.width) +
                          "x" + std::to_string(in.height) + " -i " + from;
    for (std::size_t k = 0; k < pairs.size(); ++k)
        command += " -vf \"" + pairs[k].ffmpegs + '"' + raw + path(k);
    return std::system(command.c_str()) == 0;
}

void FfmpegRun::expect_same(const Picture& in, bool chroma,
                            const std::vector<FfmpegPair>& pairs) const {
    ASSERT_TRUE(run(in, chroma, pairs));
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const FfmpegPair& pair = pairs[k];
        SCOPED_TRACE(pair.ours);
        std::ifstream file(path(k), std::ios::binary);
        const std::string got((std::istreambuf_iterator<char>(file)), {});
        ASSERT_EQ(got.size(), (chroma ? kPlanes : 1) * in.pixels.size());
        const FrameInfo info = frame(chroma ? "yuv420p" : "gray");
        ASSERT_NO_FATAL_FAILURE(expect_near(got, filtered(in, convolution(pair.ours, info)), pair));
    }
}

}  // namespace weft::test
