#include "app/media/check/packet_check.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace weft {

namespace {

using Bytes = std::span<const std::uint8_t>;

// Whether an H.264 or HEVC unit can begin with this byte, the first after a start code: a zero bit,
// then the unit's type. A hole in a file may leave zeros or anything else here.
bool begins_unit(std::uint8_t byte, AVCodecID codec) {
    if ((byte & 0x80U) != 0) return false;
    const unsigned type = codec == AV_CODEC_ID_H264 ? byte & 0x1FU : byte >> 1U;
    return codec == AV_CODEC_ID_H264 ? type >= 1 && type <= 20 : type <= 40;
}

// `at` is the first of two or more zeros: after two or three, a start code with its unit.
bool is_start_code(const std::uint8_t* at, const std::uint8_t* end, AVCodecID codec) {
    if (end - at > 2 && at[2] == 0) ++at;
    return end - at > 3 && at[2] == 1 && begins_unit(at[3], codec);
}

// Units that no picture depends on, from their first byte: SEI messages, delimiters, filler.
bool is_remark(std::uint8_t byte, AVCodecID codec) {
    const unsigned type = codec == AV_CODEC_ID_H264 ? byte & 0x1FU : byte >> 1U;
    return codec == AV_CODEC_ID_H264 ? type == 6 || (type >= 9 && type <= 12)
                                     : type >= 35 && type <= 40;
}

bool holds_forbidden_sequence(Bytes unit, AVCodecID codec) {
    bool remark = !unit.empty() && is_remark(unit.front(), codec);
    while (!unit.empty() && unit.back() == 0) unit = unit.first(unit.size() - 1);
    const std::uint8_t* at = unit.data();
    const std::uint8_t* const end = at + unit.size();
    while (end - at >= 3) {
        const auto left = static_cast<std::size_t>(end - at) - 2;
        at = static_cast<const std::uint8_t*>(std::memchr(at, 0, left));
        if (!at) return false;
        if (at[1] == 0 && is_start_code(at, end, codec)) {
            at += at[2] == 1 ? 3 : 4;
            remark = is_remark(*at, codec);
            continue;
        }
        if (at[1] == 0 && at[2] <= 2 && !remark) return true;
        ++at;
    }
    return false;
}

}  // namespace

// avcC and hvcC boxes (ISO/IEC 14496-15) begin with version 1; Annex B extradata begins with zero.
std::size_t nal_length_bytes(const AVCodecParameters& codec) {
    const Bytes box(codec.extradata, static_cast<std::size_t>(std::max(codec.extradata_size, 0)));
    const bool avc = codec.codec_id == AV_CODEC_ID_H264 && box.size() > 6;
    const bool hevc = codec.codec_id == AV_CODEC_ID_HEVC && box.size() > 22;
    if ((!avc && !hevc) || box[0] != 1) return 0;
    return (box[avc ? 4 : 21] & 3U) + 1;
}

NalCheck::NalCheck(const AVCodecParameters& codec)
    : codec_(codec.codec_id), length_bytes_(nal_length_bytes(codec)) {}

bool NalCheck::sound(Bytes packet) const {
    if (length_bytes_ == 0) return true;
    while (!packet.empty()) {
        if (packet.size() < length_bytes_) return false;
        std::size_t length = 0;
        for (std::size_t i = 0; i < length_bytes_; ++i) length = length << 8U | packet[i];
        packet = packet.subspan(length_bytes_);
        if (length > packet.size() || holds_forbidden_sequence(packet.first(length), codec_))
            return false;
        packet = packet.subspan(length);
    }
    return true;
}

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

class Units {
 public:
    Units(Bytes packet, std::size_t length_bytes) : rest_(packet), length_bytes_(length_bytes) {}

    // The next unit that is not empty, or nothing. Without lengths it ends with the packet.
    Bytes next() { return length_bytes_ > 0 ? by_length() : by_start_code(); }

 private:
    Bytes by_length() {
        if (rest_.size() <= length_bytes_) return {};
        std::size_t length = 0;
        for (std::size_t k = 0; k < length_bytes_; ++k) length = length << 8U | rest_[k];
        rest_ = rest_.subspan(length_bytes_);
        const Bytes unit = rest_.first(std::clamp<std::size_t>(length, 1, rest_.size()));
        rest_ = rest_.subspan(std::min(length, rest_.size()));
        return unit;
    }
    Bytes by_start_code() {
        constexpr std::uint8_t kCode[] = {0, 0, 1};
        const auto found = std::ranges::search(rest_, kCode);
        const auto after = static_cast<std::size_t>(found.end() - rest_.begin());
        if (found.empty() || after >= rest_.size()) return {};
        rest_ = rest_.subspan(after);
        return rest_;
    }

    Bytes rest_;
    std::size_t length_bytes_;
};

// The first unit with part of a picture determines the kind of the whole packet.
bool begins_with_idr(Bytes packet, const AVCodecParameters& codec) {
    Units units(packet, nal_length_bytes(codec));
    for (Bytes unit = units.next(); !unit.empty(); unit = units.next()) {
        const Kind kind = kind_of(unit.front(), codec.codec_id);
        if (kind != Kind::no_slice) return kind == Kind::idr;
    }
    return false;
}

bool holds_start_code(Bytes unit) {
    while (unit.size() > 3) {
        const auto* zero =
            static_cast<const std::uint8_t*>(std::memchr(unit.data(), 0, unit.size() - 2));
        if (zero == nullptr) return false;
        if (zero[1] == 0 && zero[2] == 1) return true;
        unit = unit.subspan(static_cast<std::size_t>(zero - unit.data()) + 1);
    }
    return false;
}

// H.264: 7, 8, 13, 15; HEVC: 32 to 34.
bool is_parameter_set(std::uint8_t header, AVCodecID codec) {
    if (codec == AV_CODEC_ID_HEVC) return (header >> 1U & 0x3FU) - 32U < 3;
    const unsigned type = header & 0x1FU;
    return type == 7 || type == 8 || type == 13 || type == 15;
}

// ITU-T H.264, 7.3.2.1.1: after profile, constraints and level, the number of the set and
// chroma_format_idc in Exp-Golomb codes. The profiles below always have 4:2:0.
bool is_gray_sps(Bytes unit) {
    constexpr std::array<std::uint8_t, 9> kWithChromaFormat{100, 110, 122, 244, 44,
                                                            83,  86,  118, 128};
    constexpr std::uint8_t kSps = 7;
    if (unit.size() < 7 || (unit[0] & 0x1FU) != kSps) return false;
    if (std::ranges::find(kWithChromaFormat, unit[1]) == kWithChromaFormat.end()) return false;
    const std::uint32_t bits = std::uint32_t{unit[4]} << 24U | std::uint32_t{unit[5]} << 16U |
                               std::uint32_t{unit[6]} << 8U;
    const int number_bits = 2 * std::countl_zero(bits) + 1;
    return number_bits < 24 && (bits << number_bits >> 31U) == 1;
}

bool has_gray_sps(Units units) {
    for (Bytes unit = units.next(); !unit.empty(); unit = units.next())
        if (is_gray_sps(unit)) return true;
    return false;
}

}  // namespace

bool is_gray_h264(const AVPacket& packet, const AVCodecParameters& codec) {
    if (codec.codec_id != AV_CODEC_ID_H264 || packet.size <= 0) return false;
    return has_gray_sps(
        {{packet.data, static_cast<std::size_t>(packet.size)}, nal_length_bytes(codec)});
}

// avcC has its first set after the count of sets, with a length of two bytes.
bool is_gray_h264(const AVCodecParameters& codec) {
    if (codec.codec_id != AV_CODEC_ID_H264 || codec.extradata_size <= 0) return false;
    const Bytes extradata(codec.extradata, static_cast<std::size_t>(codec.extradata_size));
    if (nal_length_bytes(codec) == 0) return has_gray_sps({extradata, 0});
    return extradata.size() > 8 && is_gray_sps(extradata.subspan(8));
}

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

std::optional<std::vector<std::string>> parameter_sets(const AVPacket& packet,
                                                       const AVCodecParameters& codec) {
    std::vector<std::string> sets;
    Units units({packet.data, static_cast<std::size_t>(packet.size)}, nal_length_bytes(codec));
    for (Bytes unit = units.next(); !unit.empty(); unit = units.next()) {
        if (holds_start_code(unit)) return std::nullopt;
        if (is_parameter_set(unit.front(), codec.codec_id))
            sets.emplace_back(unit.begin(), unit.end());
    }
    return sets;
}

}  // namespace weft
