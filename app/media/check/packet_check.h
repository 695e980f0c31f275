// Checks the bytes of a video packet: whether it is intact, and whether a decoder can begin with
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/media/libav/ffmpeg.h"

namespace weft {

// Size of the length field before each unit, or 0: units begin with start codes, or the codec has
// no NAL units.
std::size_t nal_length_bytes(const AVCodecParameters& codec);

// libav decodes a slice that contains a run of zeros (a hole left by a download) as a shorter one,
// for HEVC without an error. But no NAL unit contains 00 00 00, 00 00 01 or 00 00 02 (ITU-T H.264,
// 7.4.1.1): encoders escape them. Zeros that some muxers leave at the end of a unit are accepted,
// and so are start codes: some muxers write one length for several units, and libav decodes them
// all. Units that no picture depends on (SEI messages, such as x264's settings) may hold anything.
class NalCheck {
 public:
    explicit NalCheck(const AVCodecParameters& codec);

    // True if the lengths add up and no unit contains a forbidden sequence, and always for streams
    // without lengths (other codecs, ts). Scans every byte, at memory speed where few are zero.
    bool sound(std::span<const std::uint8_t> packet) const;

 private:
    AVCodecID codec_;
    std::size_t length_bytes_ = 0;  // 0: nothing to check
};

// Whether no picture from this packet of `codec` on refers to a picture before it: IDR pictures of
// H.264 and HEVC, key frames of VP8 and VP9. Pictures displayed before its own may follow (HEVC's
// IDR_W_RADL). False if unknown.
bool is_closed_key(const AVPacket& packet, const AVCodecParameters& codec);

// Whether a packet of H.264 has a sequence parameter set of gray video, or the codec's extradata.
bool is_gray_h264(const AVPacket& packet, const AVCodecParameters& codec);
bool is_gray_h264(const AVCodecParameters& codec);

// The parameter sets of H.264 or HEVC in a packet whose units follow their lengths; decoders keep
// them for later packets. Nothing if start codes in a unit may hide some.
std::optional<std::vector<std::string>> parameter_sets(const AVPacket& packet,
                                                       const AVCodecParameters& codec);

}  // namespace weft
