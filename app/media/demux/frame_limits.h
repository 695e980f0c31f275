// Refuses sizes before anything is allocated for them, and inputs whose few bytes would cost libav
// far more memory or time than their pictures need.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "app/media/demux/input_file.h"
#include "app/media/demux/reader_options.h"
#include "app/media/libav/ffmpeg.h"

namespace weft {

// Throws MediaError(failed), naming the limit, if a frame of this size is over it.
void check_size(std::int64_t width, std::int64_t height, const ReaderLimits& limits,
                const std::string& path);

// Whether can_hold() has a limit for the codec.
bool has_expansion_limit(AVCodecID codec);

// Whether a packet, or a GIF file, of `packet_bytes` can make frames of `frame_bytes`. Frames of up
// to 16 MiB always pass, as do codecs without a limit, whose compression is unbounded.
bool can_hold(AVCodecID codec, std::int64_t frame_bytes, std::int64_t packet_bytes);
std::string too_large_text(const std::string& path, AVCodecID codec, int width, int height,
                           std::int64_t bytes);

// Throws MediaError(damaged) for a PNG whose header promises more pixels than its bytes can hold,
// (failed) for one over the limits or those of check_png_chunks().
void check_png(const AVPacket& packet, const ReaderLimits& limits, const std::string& path);

// Checks the chunks of a PNG file, or of an APNG's head as its demuxer returns it (with or without
// the signature). libav keeps texts in a list that it searches for each (200,000 take 80 s), and
// inflates texts and colour profiles without a limit (1.5 MB to 4.4 GB). Throws MediaError(failed)
// with the limit. Any bytes are accepted.
void check_png_chunks(std::span<const std::uint8_t> data, const std::string& path);

// Checks the edit lists of an mp4 or mov file: libav scans its index for each edit (200,000 take 32
// s). Throws MediaError(failed) with the limit. Files without a movie box pass.
void check_edit_lists(const InputFile& file);

// Throws MediaError(damaged) for a GIF whose screen is too large for a file of `bytes`.
void check_gif_screen(int width, int height, std::int64_t bytes, const std::string& path);

}  // namespace weft
