#include "app/media/metadata/animation.h"

#include <string>
#include <string_view>

#include "app/media/demux/file_cursor.h"

namespace weft {
namespace {

std::string text(FileCursor& cursor, int letters) {
    std::string read;
    for (int k = 0; k < letters; ++k) read.push_back(static_cast<char>(cursor.u8()));
    return read;
}

// After the label of an application's extension: a name, and blocks of a size and data. Netscape's
// has the repetitions after the first time.
std::optional<std::uint32_t> netscape_plays(FileCursor& cursor) {
    constexpr int kNameLetters = 11;
    if (cursor.u8() != kNameLetters) return std::nullopt;
    const std::string name = text(cursor, kNameLetters);
    if (name != "NETSCAPE2.0" && name != "ANIMEXTS1.0") return std::nullopt;
    if (cursor.u8() < 3 || cursor.u8() != 1) return std::nullopt;
    const std::uint32_t low = cursor.u8();
    const std::uint32_t repetitions = low | std::uint32_t{cursor.u8()} << 8U;
    if (cursor.ended()) return std::nullopt;
    return repetitions == 0 ? 0 : repetitions + 1;
}

void skip_blocks(FileCursor& cursor) {
    while (!cursor.ended()) {
        const std::uint8_t size = cursor.u8();
        if (size == 0) return;
        cursor.skip(size);
    }
}

// GIF89a: a screen, its colours, then extensions before the first picture.
std::uint32_t gif_plays(const InputFile& file) {
    constexpr std::uint8_t kExtension = 0x21, kApplication = 0xFF;
    FileCursor cursor(file, 10);
    const unsigned flags = cursor.u8();
    cursor.skip(2 + ((flags & 0x80U) != 0 ? 3 << ((flags & 7U) + 1) : 0));
    while (cursor.u8() == kExtension && !cursor.ended()) {
        const bool application = cursor.u8() == kApplication;
        const std::int64_t blocks = cursor.at();
        if (application)
            if (const auto plays = netscape_plays(cursor)) return *plays;
        cursor.go(blocks);
        skip_blocks(cursor);
    }
    return 1;
}

// APNG: acTL, before the pixels, has the number of pictures and of plays.
std::optional<std::uint32_t> apng_plays(const InputFile& file) {
    FileCursor cursor(file, 8);
    while (!cursor.ended()) {
        const std::int64_t size = cursor.big32();
        const std::string type = cursor.text4();
        if (type == "IDAT") return std::nullopt;
        if (type == "acTL") {
            cursor.skip(4);
            const std::uint32_t plays = cursor.big32();
            return cursor.ended() ? std::nullopt : std::optional(plays);
        }
        cursor.skip(size + 4);
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::uint32_t> plays_of(const InputFile& file) {
    FileCursor cursor(file);
    const std::string start = cursor.text4();
    if (start == "GIF8") return gif_plays(file);
    if (start == "\x89PNG") return apng_plays(file);
    return std::nullopt;
}

}  // namespace weft
