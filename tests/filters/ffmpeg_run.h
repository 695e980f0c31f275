// Our filters against those of the ffmpeg program, on pictures.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/filters/oracle.h"

namespace weft::test {

struct FfmpegPair {
    std::string_view ours;  // a stack of one step
    std::string ffmpegs;    // a filter chain
    double tolerance = 0;   // in levels
    int margin = 0;         // width of the border, where results differ on purpose
};

// Skips where the ffmpeg program is missing.
class FfmpegRun : public testing::Test {
 protected:
    void SetUp() override;
    void TearDown() override;

    // Expects both filters of each pair to turn `in` into the same picture. With `chroma`, `in` is
    // the luma of a yuv444p picture whose chroma is gray; otherwise it is a gray picture.
    void expect_same(const Picture& in, bool chroma, const std::vector<FfmpegPair>& pairs) const;

 private:
    // Runs ffmpeg once for all pairs; the k-th picture is in path(k).
    bool run(const Picture& in, bool chroma, const std::vector<FfmpegPair>& pairs) const;
    std::string path(std::size_t k) const;

    std::filesystem::path folder_;
};

}  // namespace weft::test
