// Refuses sizes before anything is allocated for them.
#pragma once

#include <cstdint>
#include <string>

#include "app/media/demux/reader_options.h"
#include "app/media/libav/ffmpeg.h"

namespace weft {

// Throws MediaError(failed), naming the limit, if a frame of this size is over it.
void check_size(std::int64_t width, std::int64_t height, const ReaderLimits& limits,
                const std::string& path);

// Whether can_hold() knows the codec.
bool has_expansion_limit(AVCodecID codec);

// Whether a packet, or a GIF file, of `packet_bytes` can make frames of `frame_bytes`. Frames of up
// to 16 MiB always pass, as do codecs without a limit, whose compression is unbounded.
bool can_hold(AVCodecID codec, std::int64_t frame_bytes, std::int64_t packet_bytes);
std::string does_not_fit_text(const std::string& path, AVCodecID codec, int width, int height,
                              std::int64_t bytes);

// Throws MediaError(damaged) for a PNG whose header promises more pixels than its bytes can hold,
// (failed) for one over the limits or those of check_png_chunks().
void check_png(const AVPacket& packet, const ReaderLimits& limits, const std::string& path);

}  // namespace weft
