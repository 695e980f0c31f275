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
    int margin = 0;         // how far the borders, which differ on purpose, reach in
};

// Skipped where there is no ffmpeg program.
class FfmpegRun : public testing::Test {
 protected:
    void SetUp() override;
    void TearDown() override;

    // Expects `in` to become the same by either filter of each pair. With `chroma`, `in` is the
    // luma of a yuv444p picture whose chroma is gray; else it is a gray picture.
    void expect_same(const Picture& in, bool chroma, const std::vector<FfmpegPair>& pairs) const;

 private:
    // One run of ffmpeg for all pairs; the k-th picture lies in path(k).
    bool run(const Picture& in, bool chroma, const std::vector<FfmpegPair>& pairs) const;
    std::string path(std::size_t k) const;

    std::filesystem::path folder_;
};

}  // namespace weft::test
