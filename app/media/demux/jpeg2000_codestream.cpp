#include "app/media/demux/jpeg2000_codestream.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/media/demux/box.h"
#include "app/media/demux/file_cursor.h"

namespace weft {
namespace {

constexpr std::uint64_t kStart = 0xFF4F, kTile = 0xFF90, kEnd = 0xFFD9;

Jpeg2000Codestream ends_early(std::int64_t end) {
    return {.end = end, .problem = fmt::format("the JPEG 2000 ends too early, at byte {}", end)};
}

// These stand alone; others have a size.
bool is_bare(std::uint64_t marker) {
    return marker >= 0xFF30 && marker <= 0xFF3F;
}

// The last tile may leave its size to the end marker, whose value its codes never have.
bool skip_to_end_marker(FileCursor& cursor, std::int64_t end) {
    while (cursor.at() + 2 <= end && !cursor.ended()) {
        cursor.skip_to(0xFF);
        const std::int64_t at = cursor.at();
        if (at + 2 <= end && cursor.big(2) == kEnd) {
            cursor.go(at);
            return true;
        }
        cursor.go(at + 1);
    }
    return false;
}

// Tiles, each of a marker, a size, a number and the bytes to the next one.
Jpeg2000Codestream read_tiles(FileCursor& cursor, std::int64_t end) {
    constexpr std::int64_t kLeast = 14;  // with the marker of its codes
    for (;;) {
        const std::int64_t at = cursor.at();
        if (at == end) return {.end = end, .problem = ""};  // some writers leave out the end marker
        if (at + 2 > end) return ends_early(end);
        const std::uint64_t marker = cursor.big(2);
        if (marker == kEnd) return {.whole = true, .end = at + 2, .problem = ""};
        if (marker == kTile && at + kLeast > end) return ends_early(end);
        cursor.skip(4);
        const std::int64_t size = cursor.big32();
        if (marker != kTile || (size > 0 && size < kLeast))
            return {.end = at,
                    .problem = fmt::format("byte {} is not the beginning of a JPEG 2000 tile", at)};
        if (size > end - at) return ends_early(end);
        cursor.go(at + (size > 0 ? size : kLeast));
        if (size == 0 && !skip_to_end_marker(cursor, end)) return ends_early(end);
    }
}

Jpeg2000Codestream read_codestream(FileCursor& cursor, std::int64_t end) {
    if (cursor.big(2) != kStart) return {};
    for (;;) {
        const std::int64_t at = cursor.at();
        if (at + 4 > end) return ends_early(end);
        const std::uint64_t marker = cursor.big(2);
        if (marker == kTile) {
            cursor.go(at);
            return read_tiles(cursor, end);
        }
        if (marker < 0xFF00)
            return {
                .end = at,
                .problem = fmt::format("byte {} is not the beginning of a JPEG 2000 segment", at)};
        if (!is_bare(marker)) cursor.skip(static_cast<std::int64_t>(cursor.big(2)) - 2);
    }
}

}  // namespace

Jpeg2000Codestream read_jpeg2000_codestream(const InputFile& file) {
    FileCursor cursor(file);
    if (cursor.big(2) == kStart) {
        cursor.go(0);
        return read_codestream(cursor, file.size());
    }
    for (cursor.go(0); !cursor.ended();) {
        const Box box = read_box(cursor);
        const std::int64_t end = box.size > 0 ? std::min(box.end(), file.size()) : file.size();
        if (end < box.data) break;
        if (box.type == "jp2c") return read_codestream(cursor, end);
        cursor.go(end);
    }
    return {};
}

}  // namespace weft
