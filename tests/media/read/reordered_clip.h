// H.264 whose frames are decoded in another order than its headers promise.
#pragma once

#include <filesystem>
#include <string>

namespace weft::test {

// The file clip_dir()/NAME.mp4 of 64 intra frames, 320x180, whole and conforming but for its
// headers, which promise one reference frame and the decoded picture buffer of level 1: none.
// Groups of `depth` + 1 frames are decoded last frame first, so that a decoder holds back `depth`
// of them; at most 15.
std::filesystem::path make_reordered_clip(const std::string& name, int depth);

}  // namespace weft::test
