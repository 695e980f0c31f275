#include "app/media/demux/png_color_key.h"

#include <string_view>
#include <zlib.h>

#include "app/media/demux/file_cursor.h"

namespace weft {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kHeaderEnd = 33;  // after the signature and IHDR
constexpr std::size_t kDepth = 24, kColorType = 25;

void put(Bytes& png, std::string_view type, const Bytes& data) {
    const auto put32 = [&](std::uint64_t value) {
        for (const unsigned shift : {24U, 16U, 8U, 0U})
            png.push_back(static_cast<std::uint8_t>(value >> shift));
    };
    put32(data.size());
    const std::size_t begin = png.size();
    png.insert(png.end(), type.begin(), type.end());
    png.insert(png.end(), data.begin(), data.end());
    put32(::crc32(0, png.data() + begin, static_cast<uInt>(png.size() - begin)));
}

// Where the chunk of the transparent color is; the end if no such chunk comes before the pixels.
std::size_t find_color_key(std::span<const std::uint8_t> png) {
    for (std::size_t at = kHeaderEnd; png.size() - at >= 14;) {
        const std::size_t size = big32(png, at);
        const std::string_view type = text4(png, at + 4);
        if (type == "tRNS" && size == 2) return at;
        if (type == "IDAT" || size > png.size() - at - 12) break;
        at += size + 12;
    }
    return png.size();
}

}  // namespace

Bytes with_gray_palette(std::span<const std::uint8_t> png) {
    constexpr std::uint8_t kGray = 0, kPalette = 3;
    constexpr std::size_t kKeyChunk = 12 + 2;
    if (png.size() < kHeaderEnd || big32(png, 0) != 0x89504E47U || text4(png, 12) != "IHDR")
        return {};
    const unsigned depth = png[kDepth];
    if (png[kColorType] != kGray || (depth != 1 && depth != 2 && depth != 4)) return {};
    const std::size_t key = find_color_key(png);
    if (key == png.size()) return {};
    const unsigned most = (1U << depth) - 1U;
    Bytes colors;
    for (unsigned gray = 0; gray <= most; ++gray)
        colors.insert(colors.end(), 3, static_cast<std::uint8_t>(gray * 255U / most));
    Bytes alpha(most + 1, 255);
    alpha[png[key + 9] & most] = 0;
    Bytes made(png.begin(), png.begin() + 8);
    Bytes header(png.begin() + 16, png.begin() + 29);
    header[kColorType - 16] = kPalette;
    put(made, "IHDR", header);
    made.insert(made.end(), png.begin() + kHeaderEnd,
                png.begin() + static_cast<std::ptrdiff_t>(key));
    put(made, "PLTE", colors);
    put(made, "tRNS", alpha);
    made.insert(made.end(), png.begin() + static_cast<std::ptrdiff_t>(key + kKeyChunk), png.end());
    return made;
}

}  // namespace weft
