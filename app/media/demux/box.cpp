#include "app/media/demux/box.h"

#include <utility>

namespace weft {

Box read_box(FileCursor& cursor) {
    Box box;
    box.at = cursor.at();
    box.size = cursor.big32();
    box.type = cursor.text4();
    if (box.size == 1) box.size = cursor.big(8);
    box.data = cursor.at();
    return box;
}

std::optional<Box> read_box(FileCursor& cursor, std::int64_t end) {
    if (cursor.at() > end - 8) return std::nullopt;
    Box box = read_box(cursor);
    if (box.size == 0) box.size = static_cast<std::uint64_t>(end - box.at);
    return box.fits(end) ? std::optional(std::move(box)) : std::nullopt;
}

}  // namespace weft
