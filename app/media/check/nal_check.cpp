#include "app/media/check/nal_check.h"

#include <algorithm>
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

bool holds_forbidden_sequence(Bytes unit, AVCodecID codec) {
    while (!unit.empty() && unit.back() == 0) unit = unit.first(unit.size() - 1);
    const std::uint8_t* at = unit.data();
    const std::uint8_t* const end = at + unit.size();
    while (end - at >= 3) {
        const auto left = static_cast<std::size_t>(end - at) - 2;
        at = static_cast<const std::uint8_t*>(std::memchr(at, 0, left));
        if (!at) return false;
        if (at[1] == 0 && is_start_code(at, end, codec)) {
            at += 3;
            continue;
        }
        if (at[1] == 0 && at[2] <= 2) return true;
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

}  // namespace weft
