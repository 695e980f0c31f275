// Frames with known samples, and their components by hand-written tables instead of the product's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/media/picture/frame.h"
#include "filters/operation.h"
#include "tests/support/oracle.h"

namespace weft::test {

// The place of one component in memory.
struct ComponentPlace {
    Component component{};
    int plane = 0;
    int channel = 0;
    int channels = 1;  // interleaved in that plane
    int shift_x = 0;   // log2 of the subsampling
    int shift_y = 0;
};

struct FormatRow {
    AVPixelFormat format;
    int depth = 8;
    std::vector<ComponentPlace> components;  // in the order y u v a or r g b a
};

// gray8 yuv420p yuv422p10 nv12 rgb24 bgra gbrp gbrap12 yuva444p.
const std::vector<FormatRow>& format_rows();

const FormatRow& format_row(AVPixelFormat format);

// Every sample from a fixed pseudo-random sequence over the whole range.
AVFramePtr random_frame(const FormatRow& row, int width, int height, std::uint32_t seed);

// Rows of all planes, concatenated.
std::vector<std::byte> bytes_of(const AVFrame& frame);

// One component as the oracle takes it.
oracle::Image component_image(const AVFrame& frame, const FormatRow& row, Component component);

// The oracle's problem for one component of `frame` and the k-th entry of the operation's taps.
oracle::Answer expected(const oracle::Image& image, const Convolution& convolution, std::size_t k,
                        int depth);

// "5×4 +2+1: want 3..4, got 9", or "" when every sample is accepted.
std::string first_difference(const oracle::Answer& answer, const oracle::Image& got);

}  // namespace weft::test
