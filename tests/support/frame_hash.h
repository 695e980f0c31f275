// Compares the pictures of two frames.
#pragma once

#include <cstddef>

struct AVFrame;

namespace weft::test {

// Hashes all visible samples; padding is left out.
std::size_t frame_hash(const AVFrame& frame);

}  // namespace weft::test
