#include "app/media/nal_check.h"

#include <algorithm>
#include <cstring>

namespace weft {

namespace {

using Bytes = std::span<const std::uint8_t>;

bool holds_forbidden_sequence(Bytes unit) {
    while (!unit.empty() && unit.back() == 0) unit = unit.first(unit.size() - 1);
    const std::uint8_t* at = unit.data();
    const std::uint8_t* const end = at + unit.size();
    while (end - at >= 3) {
        const auto left = static_cast<std::size_t>(end - at) - 2;
        at = static_cast<const std::uint8_t*>(std::memchr(at, 0, left));
        if (!at) return false;
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

NalCheck::NalCheck(const AVCodecParameters& codec) : length_bytes_(nal_length_bytes(codec)) {}

bool NalCheck::sound(Bytes packet) const {
    if (length_bytes_ == 0) return true;
    while (!packet.empty()) {
        if (packet.size() < length_bytes_) return false;
        std::size_t length = 0;
        for (std::size_t i = 0; i < length_bytes_; ++i) length = length << 8U | packet[i];
        packet = packet.subspan(length_bytes_);
        if (length > packet.size() || holds_forbidden_sequence(packet.first(length))) return false;
        packet = packet.subspan(length);
    }
    return true;
}

}  // namespace weft
