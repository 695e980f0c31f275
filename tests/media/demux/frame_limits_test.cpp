// Picture headers that claim more than a file can hold.
#include "app/media/demux/frame_limits.h"

#include <gtest/gtest.h>

#include "app/media/libav/error.h"
#include "tests/media/read/reader_support.h"

namespace weft::test {
namespace {

void put_big32(Bytes& bytes, std::uint32_t value) {
    for (const int shift : {24, 16, 8, 0})
        bytes.push_back(static_cast<std::uint8_t>(value >> shift));
}

Bytes png_header(std::uint32_t width, std::uint32_t height, std::uint8_t depth,
                 std::uint8_t colour) {
    Bytes bytes = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n', 0, 0, 0, 13, 'I', 'H', 'D', 'R'};
    put_big32(bytes, width);
    put_big32(bytes, height);
    bytes.insert(bytes.end(), {depth, colour, 0, 0, 0});
    return bytes;
}

// Products of these exceed 64 bits: a mutated APNG, found under UndefinedBehaviorSanitizer.
TEST(MediaFrameLimits, PngHeadersOfAnySizeAreRefused) {
    constexpr std::uint32_t kSizes[] = {20000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
    for (const std::uint32_t width : kSizes)
        for (const std::uint32_t height : kSizes)
            for (const std::uint8_t depth :
                 {std::uint8_t{1}, std::uint8_t{16}, std::uint8_t{255}}) {
                Bytes bytes = png_header(width, height, depth, 6);
                AVPacket packet{};
                packet.data = bytes.data();
                packet.size = static_cast<int>(bytes.size());
                EXPECT_THROW(check_png(packet, ReaderLimits{}, "a.png"), MediaError)
                    << width << "×" << height << ", " << int{depth} << " bits";
            }
}

}  // namespace
}  // namespace weft::test
