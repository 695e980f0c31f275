#include "app/media/demux/heif_properties.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/media/demux/box.h"
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

// The number of a box's version; the flags after it are skipped.
unsigned read_version(FileCursor& cursor) {
    const unsigned version = cursor.u8();
    cursor.skip(3);
    return version;
}

// The items of a file are its pictures, tiles and metadata.
class Items {
 public:
    void read_primary(FileCursor& cursor) {
        primary_ = cursor.big(read_version(cursor) == 0 ? 2 : 4);
    }
    void read_entry(FileCursor& cursor) {
        const std::uint64_t item = cursor.big(read_version(cursor) == 3 ? 4 : 2);
        cursor.skip(2);
        kinds_.emplace_back(item, cursor.text4());
    }
    // libav looks for the primary item as it reads the places, which it takes for those in the
    // file.
    void read_places(FileCursor& cursor) {
        if (!primary_) return void(places_first_ = true);
        const unsigned version = read_version(cursor);
        const unsigned lengths = cursor.u8();
        const unsigned others = cursor.u8();
        const int item_bytes = version < 2 ? 2 : 4;
        const std::int64_t extent =
            (lengths >> 4U) + (lengths & 15U) + (version > 0 ? others & 15U : 0);
        for (std::uint64_t left = cursor.big(item_bytes); left > 0 && !cursor.ended(); --left) {
            const bool primary = cursor.big(item_bytes) == primary_;
            if (version > 0 && cursor.big(2) != 0 && primary) in_index_ = true;
            cursor.skip(2 + (others >> 4U));
            cursor.skip(extent * static_cast<std::int64_t>(cursor.big(2)));
        }
    }
    std::string_view unread() const {
        const bool tiles = std::ranges::any_of(kinds_, [this](const auto& kind) {
            return kind.first == primary_ && kind.second != "av01";
        });
        if (tiles) return "of several tiles";
        if (places_first_) return "whose main picture is named after the places of all";
        return in_index_ ? "whose pixels are in its index" : "";
    }

 private:
    std::optional<std::uint64_t> primary_;
    std::vector<std::pair<std::uint64_t, std::string>> kinds_;
    bool places_first_ = false;
    bool in_index_ = false;
};

}  // namespace

HeifProperties read_heif_properties(const InputFile& file) {
    HeifProperties found;
    FileCursor cursor(file, 4);
    if (cursor.text4() != "ftyp" || cursor.text4() != "avif") return found;
    unsigned turns = 0, mirror = kNotMirrored;
    Items items;
    // The boxes of properties are in ipco, which is in iprp, which is in meta after four bytes.
    for (cursor.go(0); !cursor.ended();) {
        const Box box = read_box(cursor);
        const std::string_view type = box.type;
        if (type == "irot") turns = cursor.u8() & 3U;
        if (type == "imir") mirror = cursor.u8() & 1U;
        if (type == "pitm") items.read_primary(cursor);
        if (type == "iloc") items.read_places(cursor);
        if (type == "infe") items.read_entry(cursor);
        found.cropped = found.cropped || type == "clap";
        if (type == "meta") cursor.skip(4);
        if (type == "iinf") cursor.skip(read_version(cursor) == 0 ? 2 : 4);
        if (type == "meta" || type == "iprp" || type == "ipco" || type == "iinf") continue;
        if (!box.fits(file.size()) || type == "mdat") break;
        cursor.go(box.end());
    }
    found.orientation = exif_orientation(turns, mirror);
    found.unread = items.unread();
    return found;
}

}  // namespace weft
