#include "app/media/check/frame_ledger.h"

#include <algorithm>
#include <array>
#include <utility>

#include "app/media/check/packet_check.h"

namespace weft {

namespace {

// The maximum size of a "nothing changed" packet, which replaces the second frame of the packed
// packet before it. Some small B-frames are no larger: a packet of this size may produce a frame
// but need not.
constexpr int kMpeg4PlaceholderBytes = 19;

// RFC 6386, 9.1, frame tag: bit 4 of the first byte is show_frame.
bool vp8_shown(const AVPacket& packet) {
    return (packet.data[0] & 0x10U) != 0;
}

// VP9's uncompressed header: marker (2), profile (2), one reserved bit in profile 3, then
// show_existing_frame, frame_type, show_frame. A superframe ends in 0b110xxxxx and shows one frame.
bool vp9_shown(const AVPacket& packet) {
    if ((packet.data[packet.size - 1] & 0xE0U) == 0xC0U) return true;
    const unsigned first = packet.data[0];
    const bool profile3 = (first & 0x30U) == 0x30U;
    const unsigned second = packet.size > 1 ? packet.data[1] : 0U;
    const unsigned bits = first << 8U | second;
    const unsigned after_profile = bits << (profile3 ? 5U : 4U);
    const bool existing = (after_profile & 0x8000U) != 0;
    return existing || (after_profile & 0x2000U) != 0;
}

// Codecs in which each packet makes one picture. Others (screen capture, some old game codecs) may
// produce no frame for "no change".
bool pairs_up(const AVStream& stream) {
    constexpr std::array kCodecs = {
        AV_CODEC_ID_H264,      AV_CODEC_ID_HEVC,   AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO,
        AV_CODEC_ID_MPEG4,     AV_CODEC_ID_VP8,    AV_CODEC_ID_VP9,        AV_CODEC_ID_AV1,
        AV_CODEC_ID_FFV1,      AV_CODEC_ID_MJPEG,  AV_CODEC_ID_PNG,        AV_CODEC_ID_APNG,
        AV_CODEC_ID_GIF,       AV_CODEC_ID_DNXHD,  AV_CODEC_ID_PRORES,     AV_CODEC_ID_RAWVIDEO,
        AV_CODEC_ID_MSMPEG4V3, AV_CODEC_ID_H263,   AV_CODEC_ID_FLV1,       AV_CODEC_ID_HUFFYUV,
        AV_CODEC_ID_FFVHUFF,   AV_CODEC_ID_UTVIDEO};
    const AVCodecParameters& codec = *stream.codecpar;
    // Interlaced H.264 may have one field per packet, so two packets per frame.
    const bool progressive =
        codec.field_order == AV_FIELD_PROGRESSIVE || codec.field_order == AV_FIELD_UNKNOWN;
    if (codec.codec_id == AV_CODEC_ID_H264 && !progressive) return false;
    return std::find(kCodecs.begin(), kCodecs.end(), codec.codec_id) != kCodecs.end();
}

// Counts as index_check.h counts an index's entries.
bool is_indexed(const AVPacket& packet) {
    return packet.size > 0 && (packet.flags & AV_PKT_FLAG_DISCARD) == 0;
}

bool is_intra_only(AVCodecID codec) {
    const AVCodecDescriptor* known = avcodec_descriptor_get(codec);
    return known && (known->props & AV_CODEC_PROP_INTRA_ONLY) != 0;
}

// H.264 and HEVC also mark frames as keys from which a decoder only recovers; key frames of the
// other codecs need no earlier frame, and their decoders skip leading B-frames without an error.
bool can_begin(const AVPacket& packet, const AVCodecParameters& codec) {
    const bool recovers = codec.codec_id == AV_CODEC_ID_H264 || codec.codec_id == AV_CODEC_ID_HEVC;
    return recovers ? is_closed_key(packet, codec) : (packet.flags & AV_PKT_FLAG_KEY) != 0;
}

}  // namespace

bool makes_frame(AVCodecID codec, const AVPacket& packet) {
    if (!is_indexed(packet)) return false;
    switch (codec) {
        case AV_CODEC_ID_VP8:
            return vp8_shown(packet);
        case AV_CODEC_ID_VP9:
            return vp9_shown(packet);
        case AV_CODEC_ID_MPEG4:
            return packet.size > kMpeg4PlaceholderBytes;
        default:
            return true;
    }
}

FrameLedger::FrameLedger(const AVStream& stream, bool starts_anywhere)
    : codec_(*stream.codecpar),
      tracked_(pairs_up(stream)),
      starts_anywhere_(starts_anywhere),
      intra_only_(is_intra_only(codec_.codec_id)) {}

void FrameLedger::sent(const AVPacket& packet) {
    // Some writers mark no key frames if every frame is one.
    const bool key = intra_only_ || (packet.flags & AV_PKT_FLAG_KEY) != 0;
    if (std::exchange(is_first_, false) && (intra_only_ || can_begin(packet, codec_)))
        starts_anywhere_ = false;
    if (key && !first_key_pts_) first_key_pts_ = packet.pts;
    if (is_indexed(packet)) ++sent_;
    if (!makes_frame(codec_.codec_id, packet)) return;
    if (tracked_ && packet.pts != AV_NOPTS_VALUE)
        open_.emplace(packet.pts, Sent{packet.pos, !first_key_pts_});
}

void FrameLedger::received(std::int64_t pts) {
    received_any_ = true;
    if (pts == AV_NOPTS_VALUE) return;
    if (!first_received_pts_) first_received_pts_ = pts;
    if (const auto found = open_.find(pts); found != open_.end()) open_.erase(found);
}

bool FrameLedger::leading() const {
    return !first_key_pts_ || (starts_anywhere_ && !received_any_);
}

// A stream without any key frame (flags lost, or a cut between two of them) begins at its first
// decoded frame.
std::vector<FrameLedger::Entry> FrameLedger::missing() const {
    const bool begins_late = starts_anywhere_ || !first_key_pts_;
    std::int64_t from = first_key_pts_.value_or(INT64_MIN);
    if (begins_late) from = std::max(from, first_received_pts_.value_or(INT64_MAX));
    std::vector<Entry> entries;
    for (const auto& [pts, sent] : open_)
        if (pts >= from && !(sent.before_key && first_key_pts_))
            entries.push_back({pts, sent.byte});
    return entries;
}

}  // namespace weft
