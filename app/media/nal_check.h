// Whether length-prefixed H.264 and HEVC packets (mp4, Matroska) can be what an encoder wrote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "app/media/ffmpeg.h"

namespace weft {

// Bytes of the length before each unit, or 0: units begin with start codes, or the codec has none.
std::size_t nal_length_bytes(const AVCodecParameters& codec);

// libav decodes a slice with a run of zeros in it (a hole that a download left) as a shorter one,
// and for HEVC says nothing. But no NAL unit holds 00 00 00, 00 00 01 or 00 00 02 (ITU-T H.264,
// 7.4.1.1): encoders escape them. Zeros that some muxers leave at a unit's end are no sign, nor is
// a start code: some put one length before several units, and libav decodes them all.
class NalCheck {
 public:
    explicit NalCheck(const AVCodecParameters& codec);

    // True where the lengths add up and no unit holds a forbidden sequence, and always for streams
    // without lengths (other codecs, ts). Looks at every byte, at memory speed where few are zero.
    bool sound(std::span<const std::uint8_t> packet) const;

 private:
    AVCodecID codec_;
    std::size_t length_bytes_ = 0;  // 0: nothing to check
};

}  // namespace weft
