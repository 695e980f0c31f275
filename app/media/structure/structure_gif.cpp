// GIF89a: blocks of pictures and extensions. The data of both are chains of sub-blocks up to one of
// length 0, so that a wrong length may hide what follows.
#include <fmt/format.h>

#include "app/media/demux/file_cursor.h"
#include "app/media/structure/structure.h"

namespace weft {

namespace {

constexpr unsigned kExtension = 0x21;
constexpr unsigned kPicture = 0x2C;
constexpr unsigned kTrailer = 0x3B;

std::int64_t colour_table_bytes(unsigned flags) {
    return (flags & 0x80U) != 0 ? 3LL << ((flags & 7U) + 1) : 0;
}

std::int64_t little16(FileCursor& cursor) {
    const std::int64_t low = cursor.u8();
    return low + 256LL * cursor.u8();
}

// Skips sub-blocks: a length byte each, up to one of length 0. False at the end of the file.
bool skip_sub_blocks(FileCursor& cursor) {
    for (;;) {
        const int length = cursor.u8();
        if (cursor.ended()) return false;
        if (length == 0) return true;
        cursor.skip(length);
    }
}

class GifWalk {
 public:
    explicit GifWalk(const InputFile& file) : file_(file), cursor_(file, 6), scout_(file) {}

    StructureReport walk() {
        width_ = little16(cursor_);
        height_ = little16(cursor_);
        const unsigned flags = cursor_.u8();
        cursor_.skip(2 + colour_table_bytes(flags));
        for (;;) {
            const std::int64_t at = cursor_.at();
            const unsigned block = cursor_.u8();
            if (!cursor_.ended() && block == kTrailer) break;
            if (!cursor_.ended() && block != kExtension && block != kPicture)
                return problem_at(at,
                                  fmt::format("byte {} is not the beginning of a GIF block", at));
            if (cursor_.ended() || !(block == kPicture ? pass_picture() : pass_extension()))
                return problem_at(file_.size(),
                                  fmt::format("the GIF ends too early, at byte {}", file_.size()));
        }
        return judge();
    }

 private:
    bool pass_picture() {
        report_.frames = report_.frames.value_or(0) + 1;
        cursor_.skip(8);
        cursor_.skip(colour_table_bytes(cursor_.u8()));
        cursor_.skip(1);  // LZW code size
        return pass_data();
    }

    // The first sub-block of the standard extensions has a fixed length, and that of a picture's
    // time and transparency is the only one.
    bool pass_extension() {
        constexpr unsigned kControl = 0xF9;
        constexpr unsigned kText = 0x01;
        constexpr unsigned kApplication = 0xFF;
        const std::int64_t at = cursor_.at() - 1;
        const unsigned label = cursor_.u8();
        const std::int64_t data = cursor_.at();
        const unsigned length = cursor_.u8();
        cursor_.go(data);
        if (!pass_data()) return false;
        const bool short_one = cursor_.at() - data == 6;
        const bool odd = (label == kControl && (length != 4 || !short_one)) ||
                         (label == kText && length != 12) ||
                         (label == kApplication && length != 11);
        if (odd) doubt(at, "is not one of its kind");
        return true;
    }

    // Skips sub-blocks, and searches them for a picture.
    bool pass_data() {
        const std::int64_t begin = cursor_.at();
        if (!skip_sub_blocks(cursor_)) return false;
        for (std::int64_t at = next_sign(begin); at < cursor_.at(); at = next_sign(at + 1))
            if (is_picture(at)) doubt(begin, "contains another picture");
        return true;
    }

    // The next byte that may begin a picture; in the blocks after this one, if it has none.
    std::int64_t next_sign(std::int64_t at) {
        if (sign_ >= at) return sign_;
        scout_.go(at);
        scout_.skip_to(kPicture);
        sign_ = scout_.at();
        return sign_;
    }

    // The block before it has ended with a zero byte, it is inside the screen, and its values are
    // possible: data have such bytes once in a terabyte.
    bool is_picture(std::int64_t at) {
        constexpr unsigned kReserved = 0x18;
        constexpr unsigned kMostBits = 8;
        scout_.go(at - 1);
        if (scout_.u8() != 0) return false;
        scout_.skip(1);
        const std::int64_t left = little16(scout_);
        const std::int64_t top = little16(scout_);
        const std::int64_t width = little16(scout_);
        const std::int64_t height = little16(scout_);
        const unsigned flags = scout_.u8();
        scout_.skip(colour_table_bytes(flags));
        const unsigned bits = scout_.u8();
        return width > 0 && height > 0 && left + width <= width_ && top + height <= height_ &&
               (flags & kReserved) == 0 && bits >= 2 && bits <= kMostBits;
    }

    void doubt(std::int64_t at, std::string_view what) {
        if (report_.doubt.empty()) report_.doubt = fmt::format("the block at byte {} {}", at, what);
    }

    // Something else may follow the end, but not the last bytes of a GIF: the end of a picture's
    // data and the trailer. Then an earlier length was wrong.
    StructureReport judge() {
        const std::int64_t at = cursor_.at() - 1;
        const bool more = cursor_.left() > 0;
        for (std::int64_t sign = next_sign(at); sign < file_.size(); sign = next_sign(sign + 1))
            if (is_picture(sign)) doubt(at, "ends the file, but another picture follows");
        cursor_.go(file_.size() - 2);
        if (more && cursor_.big(2) == kTrailer)
            return problem_at(at,
                              fmt::format("the GIF seems to end at byte {}, but it does not", at));
        report_.proof = "its end marker";
        return report_;
    }

    const InputFile& file_;
    FileCursor cursor_;
    FileCursor scout_;  // reads ahead, maybe past the end
    std::int64_t sign_ = -1;
    std::int64_t width_ = 0;
    std::int64_t height_ = 0;
    StructureReport report_;
};

}  // namespace

StructureReport check_gif(const InputFile& file) {
    return GifWalk(file).walk();
}

}  // namespace weft
