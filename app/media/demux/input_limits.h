// Refuses inputs, before libav sees them, whose few bytes would cost libav far more memory or time
// than their pictures need.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "app/media/demux/input_file.h"

namespace weft {

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
