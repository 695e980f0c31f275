// The frames of a video as its packets show them, for tasks that decode parts of it.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "app/media/demux/closed_key.h"
#include "app/media/demux/reader_options.h"

namespace weft {

// A FrameList counts frames without decoding; a FrameLedger compares packets with decoded frames.
struct FrameList {
    std::int64_t frames = 0;      // in the wanted range
    std::vector<ClosedKey> keys;  // rising; those of the range, except its first frame
};

// Reads all packets of the video and decodes nothing. Nothing is returned if the packets do not
// show the number of each frame for certain: containers other than MP4 and Matroska, codecs other
// than H.264 and HEVC, field pictures, packets without a time of their own, frames hidden by an
// edit list. Throws MediaError as Demuxer, and Cancelled.
std::optional<FrameList> list_frames(const ReaderOptions& options, const std::stop_token& stop);

}  // namespace weft
