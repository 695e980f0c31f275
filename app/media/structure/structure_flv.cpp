// FLV: a header and a chain of tags, each with its type, size and time, followed by its size again.
// The first byte of sound or of a picture states its format.
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "app/media/demux/file_cursor.h"
#include "app/media/structure/structure.h"

namespace weft {

namespace {

constexpr unsigned kSound = 8;
constexpr unsigned kPicture = 9;
constexpr unsigned kScript = 18;
constexpr std::int64_t kHeader = 9;
constexpr std::int64_t kTagHeader = 11;

// The formats of successive tags of one type. A recording that changes its format keeps the new
// one, so a format of one or two tags is a changed byte, or that of a tag of another type: libav
// makes these a stream of their own.
class FormatRuns {
 public:
    void add(unsigned format) {
        if (format == format_) {
            ++tags_;
            return;
        }
        short_one_ = short_one_ || (format_ && tags_ < kShortest);
        changes_ = changes_ || format_.has_value();
        format_ = format;
        tags_ = 1;
    }
    bool has_stray() const { return short_one_ || (changes_ && tags_ < kShortest); }

 private:
    static constexpr int kShortest = 3;
    std::optional<unsigned> format_;
    int tags_ = 0;
    bool short_one_ = false;
    bool changes_ = false;
};

class FlvWalk {
 public:
    explicit FlvWalk(const InputFile& file) : file_(file), cursor_(file, 5) {}

    StructureReport walk() {
        const std::int64_t header = cursor_.big32();
        header_fits_ = header == kHeader;
        cursor_.go(header + 4);
        while (cursor_.left() > 0) {
            const std::int64_t at = cursor_.at();
            const unsigned type = cursor_.u8() & 0x1FU;
            const auto size = static_cast<std::int64_t>(cursor_.big(3));
            const std::int64_t end = at + kTagHeader + size;
            if (type != kSound && type != kPicture && type != kScript)
                return problem_at(at, fmt::format("no FLV tag begins at byte {}", at));
            if (end > file_.size())
                return problem_at(
                    file_.size(),
                    fmt::format("the file ends inside a tag, at byte {}", file_.size()));
            cursor_.go(at + kTagHeader);
            if (size > 0 && !is_content(type, size) && odd_at_ < 0) odd_at_ = at;
            cursor_.go(end);
            compare_size(at, size);
        }
        return judge();
    }

 private:
    // Whether the bytes at the cursor fit the type of their tag.
    bool is_content(unsigned type, std::int64_t size) {
        constexpr unsigned kName = 2;     // of AMF's types, the one that begins a script
        constexpr unsigned kCommand = 5;  // to a player, instead of a picture: one byte
        constexpr std::int64_t kMostCommand = 6;
        const unsigned first = cursor_.u8();
        if (type == kScript) return first == kName;
        (type == kSound ? sound_ : picture_).add(type == kSound ? first : first & 0xFU);
        if (type == kPicture && first >> 4U == kCommand) return size <= kMostCommand;
        return !is_header(type, first) || is_short_header(type, size);
    }

    // AAC, AVC and MPEG-4 have a second byte, which is zero for the decoder's header.
    bool is_header(unsigned type, unsigned first) {
        constexpr unsigned kAac = 10;
        constexpr unsigned kAvc = 7;
        const bool has_headers = type == kSound ? first >> 4U == kAac : (first & 0xFU) == kAvc;
        return has_headers && cursor_.u8() == 0;
    }

    // AVC's header begins with its version, pictures with the four bytes of a size.
    bool is_short_header(unsigned type, std::int64_t size) {
        constexpr std::int64_t kMostOfSound = 64;
        if (type == kSound) return size <= kMostOfSound;
        cursor_.skip(3);
        return size <= 5 || cursor_.u8() == 1;
    }

    // libav drops a tag whose size is not repeated after it, alone or with 10 or 11 bytes for the
    // header, and unless it is the sum of all sizes so far.
    void compare_size(std::int64_t at, std::int64_t size) {
        ++tags_;
        sum_ += size + kTagHeader;
        if (cursor_.left() < 4) {
            cursor_.go(file_.size());
            return;
        }
        const std::int64_t repeated = cursor_.big32();
        if (repeated == size + kTagHeader || repeated == size + kTagHeader - 1 ||
            (repeated == size && size > 0) || repeated == (sum_ & 0xFFFFFFFF))
            return;
        if (wrong_++ == 0) wrong_at_ = at;
    }

    // Some writers repeat no size correctly, and libav knows them.
    StructureReport judge() const {
        StructureReport report;
        if (wrong_ > 0 && wrong_ * 2 < tags_)
            return problem_at(wrong_at_,
                              fmt::format("the size of the tag at byte {} contradicts the "
                                          "one after it",
                                          wrong_at_));
        if (!header_fits_)
            report.doubt = "its header is longer than those of other files, and may hide tags";
        else if (odd_at_ >= 0)
            report.doubt =
                fmt::format("the content of the tag at byte {} is not of its type", odd_at_);
        else if (sound_.has_stray() || picture_.has_stray())
            report.doubt = "some of its tags have another format than those around them";
        return report;
    }

    const InputFile& file_;
    FileCursor cursor_;
    FormatRuns sound_;
    FormatRuns picture_;
    bool header_fits_ = true;
    std::int64_t tags_ = 0;
    std::int64_t sum_ = 0;
    std::int64_t wrong_ = 0;
    std::int64_t wrong_at_ = -1;
    std::int64_t odd_at_ = -1;
};

}  // namespace

StructureReport check_flv(const InputFile& file) {
    return FlvWalk(file).walk();
}

}  // namespace weft
