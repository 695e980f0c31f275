// Whether two frames show the same.
#pragma once

#include <cstddef>

struct AVFrame;

namespace weft::test {

// Of all samples that are shown; padding is left out.
std::size_t frame_hash(const AVFrame& frame);

}  // namespace weft::test
