// RealMedia: chunks, of which MDPR describes a stream, and DATA states the number of its packets:
// version, length, stream, time. An INDX chunk follows. libav skips packets that it cannot use.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "app/media/demux/file_cursor.h"
#include "app/media/structure/structure.h"

namespace weft {

namespace {

// The picture of a video stream that is being put together from slices.
struct Picture {
    unsigned number = 0;
    std::int64_t size = 0;
    std::int64_t seen = 0;
    bool open() const { return seen < size; }
};

class RealWalk {
 public:
    explicit RealWalk(const InputFile& file) : file_(file), cursor_(file) {}

    StructureReport walk() {
        std::string id = cursor_.text4();
        while (id != "DATA") {
            const std::int64_t at = cursor_.at() - 4;
            const std::int64_t size = cursor_.big32();
            if (size < 10 || size > cursor_.left() + 8) return {};
            if (id == "MDPR") read_stream(at + size);
            cursor_.go(at + size);
            id = cursor_.text4();
        }
        cursor_.skip(6);  // its size, which FFmpeg overstates, and version
        const std::int64_t promised = cursor_.big32();
        cursor_.skip(4);
        return pass_packets(promised);
    }

 private:
    // The type of a picture's stream follows its properties, its name and its MIME type.
    void read_stream(std::int64_t end) {
        cursor_.skip(2);
        const auto number = static_cast<unsigned>(cursor_.big(2));
        bool video = false;
        std::uint32_t word = 0;
        constexpr std::uint32_t kVideo = 0x5649444F;  // VIDO
        while (cursor_.at() < end && !video) {
            word = word << 8U | cursor_.u8();
            video = word == kVideo;
            several_ = several_ || word == 0x4D4C5449;  // MLTI: streams of several rates
        }
        streams_.emplace(number, video);
    }

    StructureReport pass_packets(std::int64_t promised) {
        std::int64_t packets = 0;
        while (cursor_.left() >= 12 && (promised == 0 || packets < promised)) {
            const std::int64_t at = cursor_.at();
            const auto version = cursor_.big(2);
            const auto length = static_cast<std::int64_t>(cursor_.big(2));
            if (version > 1 && promised == 0) break;  // a live stream: its end is unknown
            if (version > 1 || length < 12)
                return problem_at(at, fmt::format("no packet begins at byte {}", at));
            if (at + length > file_.size()) return cut("a packet");
            if (!several_ && (version != 0 || !is_used(at + length)) && report_.doubt.empty())
                report_.doubt = fmt::format("the packet at byte {} cannot be used", at);
            cursor_.go(at + length);
            ++packets;
        }
        if (packets < promised) return cut("the data");
        constexpr int kFew = 2;
        if (jumps_ > 0 && jumps_ <= kFew && report_.doubt.empty())
            report_.doubt = "a number of its pictures does not follow the one before";
        if (has_stray_sound() && report_.doubt.empty())
            report_.doubt = "one packet of its sound is unlike the others";
        if (promised > 0) report_.proof = "the packet count in its header";
        return report_;
    }

    StructureReport cut(std::string_view inside) const {
        return problem_at(file_.size(),
                          fmt::format("the file ends inside {}, at byte {}", inside, file_.size()));
    }

    // Whether a packet belongs to a stream and continues its picture.
    bool is_used(std::int64_t end) {
        constexpr unsigned kMostReserved = 3;  // libav takes more for another stream
        const auto stream = static_cast<unsigned>(cursor_.big(2));
        cursor_.skip(4);  // time
        const unsigned reserved = cursor_.u8();
        cursor_.skip(1);
        const auto found = streams_.find(stream);
        if (found == streams_.end() || reserved > kMostReserved) return false;
        if (!found->second) lengths_[stream].push_back(end - cursor_.at());
        Picture& picture = pictures_[stream];
        while (found->second && cursor_.at() < end)
            if (!pass_part(picture, end)) return false;
        return true;
    }

    // A whole picture, the slice of one, or one of several pictures in a packet.
    bool pass_part(Picture& picture, std::int64_t end) {
        enum : unsigned { kSlice, kWhole, kLastSlice, kOneOfSeveral };
        const unsigned head = cursor_.u8();
        const unsigned type = head >> 6U;
        const unsigned order = type == kOneOfSeveral ? 0 : cursor_.u8() & 0x7FU;
        if (type == kWhole) {
            cursor_.go(end);
            return !picture.open();
        }
        const std::int64_t size = number();
        const std::int64_t place = number();  // the size, if it is a last slice
        const unsigned nth = cursor_.u8();
        if (type == kOneOfSeveral) {
            cursor_.skip(size);
            return !picture.open() && cursor_.at() <= end;
        }
        if (order == 1 || nth != picture.number) {
            if (picture.open()) return false;
            if (picture.size > 0 && nth != ((picture.number + 1) & 0xFFU)) ++jumps_;
            picture = {nth, size, 0};
        }
        const std::int64_t left = end - cursor_.at();
        const std::int64_t slice = type == kLastSlice ? std::min(left, place) : left;
        picture.seen += slice;
        cursor_.skip(slice);
        return slice >= 0 && picture.seen <= picture.size &&
               (type != kLastSlice || !picture.open());
    }

    // Two bytes, or four for large values.
    std::int64_t number() {
        constexpr std::int64_t kSmall = 0x4000;
        const auto value = static_cast<std::int64_t>(cursor_.big(2) & 0x7FFFU);
        return value >= kSmall ? value - kSmall
                               : value << 16U | static_cast<std::int64_t>(cursor_.big(2));
    }

    // Sound is in packets of one length, more or less, except for the last: one that differs may be
    // a picture.
    bool has_stray_sound() const {
        constexpr std::int64_t kDifference = 16;
        return std::ranges::any_of(lengths_, [](const auto& stream) {
            std::vector<std::int64_t> lengths(stream.second.begin(), stream.second.end() - 1);
            if (lengths.size() < 4) return false;
            const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
            std::ranges::nth_element(lengths, middle);
            return std::ranges::count_if(lengths, [usual = *middle](std::int64_t length) {
                       return std::abs(length - usual) > kDifference;
                   }) == 1;
        });
    }

    const InputFile& file_;
    FileCursor cursor_;
    std::map<unsigned, std::vector<std::int64_t>> lengths_;  // by stream: its packets of sound
    std::map<unsigned, bool> streams_;                       // by number; whether it is video
    std::map<unsigned, Picture> pictures_;
    bool several_ = false;
    int jumps_ = 0;  // in the numbers of pictures
    StructureReport report_;
};

}  // namespace

StructureReport check_real_media(const InputFile& file) {
    return RealWalk(file).walk();
}

}  // namespace weft
