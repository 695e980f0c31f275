#include "app/media/demux/heif_properties.h"

#include <array>
#include <string>

#include "app/media/demux/file_cursor.h"

namespace weft {
namespace {

constexpr unsigned kNotMirrored = 2;

// EXIF's orientation for quarter turns to the left, and then an exchange of top and bottom (0), of
// left and right (1) or of none.
int exif_orientation(unsigned turns, unsigned mirror) {
    constexpr std::array<std::array<int, 3>, 4> kOrientations{
        {{4, 2, 1}, {5, 7, 8}, {2, 4, 3}, {7, 5, 6}}};
    return kOrientations.at(turns).at(mirror);
}

}  // namespace

HeifProperties read_heif_properties(const InputFile& file) {
    HeifProperties found;
    FileCursor cursor(file, 4);
    if (cursor.text4() != "ftyp" || cursor.text4() != "avif") return found;
    unsigned turns = 0, mirror = kNotMirrored;
    // The boxes of properties are in ipco, which is in iprp, which is in meta after four bytes.
    for (cursor.go(0); !cursor.ended();) {
        const std::int64_t at = cursor.at();
        const std::int64_t size = cursor.big32();
        const std::string type = cursor.text4();
        if (type == "irot") turns = cursor.u8() & 3U;
        if (type == "imir") mirror = cursor.u8() & 1U;
        found.cropped = found.cropped || type == "clap";
        if (type == "meta") cursor.go(at + 12);
        if (type == "meta" || type == "iprp" || type == "ipco") continue;
        if (size < 8 || type == "mdat") break;
        cursor.go(at + size);
    }
    found.orientation = exif_orientation(turns, mirror);
    return found;
}

}  // namespace weft
