#include "app/media/check/closed_key.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "app/media/check/nal_check.h"

namespace weft {
namespace {

using Bytes = std::span<const std::uint8_t>;

// ITU-T H.264 table 7-1, ITU-T H.265 table 7-1. An IDR picture of HEVC may have leading pictures
// (RADL), but they refer to it alone.
enum class Kind { idr, other_slice, no_slice };

Kind kind_of(std::uint8_t header, AVCodecID codec) {
    if (codec == AV_CODEC_ID_H264) {
        const unsigned type = header & 0x1FU;
        return type == 5 ? Kind::idr : type >= 1 && type <= 4 ? Kind::other_slice : Kind::no_slice;
    }
    const unsigned type = header >> 1U & 0x3FU;
    return type == 19 || type == 20 ? Kind::idr : type < 32 ? Kind::other_slice : Kind::no_slice;
}

// The first unit with part of a picture determines the kind of the whole packet.
class Units {
 public:
    Units(Bytes packet, std::size_t length_bytes) : rest_(packet), length_bytes_(length_bytes) {}

    // The next unit's first byte, or nothing.
    std::optional<std::uint8_t> next() { return length_bytes_ > 0 ? by_length() : by_start_code(); }

 private:
    std::optional<std::uint8_t> by_length() {
        if (rest_.size() <= length_bytes_) return std::nullopt;
        std::size_t length = 0;
        for (std::size_t k = 0; k < length_bytes_; ++k) length = length << 8U | rest_[k];
        const std::uint8_t header = rest_[length_bytes_];
        rest_ = rest_.subspan(std::min(length_bytes_ + length, rest_.size()));
        return header;
    }
    std::optional<std::uint8_t> by_start_code() {
        constexpr std::uint8_t kCode[] = {0, 0, 1};
        const auto found = std::ranges::search(rest_, kCode);
        const auto after = static_cast<std::size_t>(found.end() - rest_.begin());
        if (found.empty() || after >= rest_.size()) return std::nullopt;
        rest_ = rest_.subspan(after);
        return rest_.front();
    }

    Bytes rest_;
    std::size_t length_bytes_;
};

bool begins_with_idr(Bytes packet, const AVCodecParameters& codec) {
    Units units(packet, nal_length_bytes(codec));
    while (const auto header = units.next()) {
        const Kind kind = kind_of(*header, codec.codec_id);
        if (kind != Kind::no_slice) return kind == Kind::idr;
    }
    return false;
}

}  // namespace

bool is_closed_key(const AVPacket& packet, const AVCodecParameters& codec) {
    if ((packet.flags & AV_PKT_FLAG_KEY) == 0 || packet.size <= 0) return false;
    switch (codec.codec_id) {
        case AV_CODEC_ID_VP8:
        case AV_CODEC_ID_VP9:
            return true;
        case AV_CODEC_ID_H264:
        case AV_CODEC_ID_HEVC:
            return begins_with_idr({packet.data, static_cast<std::size_t>(packet.size)}, codec);
        default:
            return false;
    }
}

}  // namespace weft
