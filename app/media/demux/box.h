// The boxes of ISO base media files (ISO/IEC 14496-12), JPEG 2000 and JPEG XL: each has a size, a
// type and data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "app/media/demux/file_cursor.h"

namespace weft {

struct Box {
    // Larger sizes would overflow sums of offsets.
    static constexpr std::uint64_t kFar = 1ULL << 48U;

    std::int64_t at = 0;
    std::int64_t data = 0;
    std::uint64_t size = 0;  // from `at`; zero means up to the end of the file
    std::string type;

    std::int64_t end() const { return at + static_cast<std::int64_t>(std::min(size, kFar)); }
    // Whether it has room for its own header and ends at or before `limit`.
    bool fits(std::int64_t limit) const { return end() >= data && end() <= limit; }
};

// Reads a header as it is stored; the cursor is at the data then.
Box read_box(FileCursor& cursor);

// Reads the header of a box in a list that ends at `end`, up to which a size of zero reaches.
// Returns nothing if no whole box is left there.
std::optional<Box> read_box(FileCursor& cursor, std::int64_t end);

}  // namespace weft
