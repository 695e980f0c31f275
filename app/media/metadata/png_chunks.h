// The chunks of a PNG that describe the picture and hold no pixels.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/media/demux/input_file.h"
#include "app/media/libav/ffmpeg.h"

namespace weft {

struct PngChunk {
    std::string type;  // four letters
    std::vector<std::uint8_t> data;
};

struct PngChunks {
    std::vector<PngChunk> list;
    std::int64_t end = 0;  // of IEND; 0: it was not reached
};

// All chunks but the pixels (IDAT, APNG's frames) up to IEND, in file order; empty for other files.
// Ends early, without an error, in a damaged file, and where the chunks exceed 64 MiB.
PngChunks read_png_chunks(const InputFile& file);

// The keyword of a text chunk (tEXt, zTXt, iTXt).
std::string png_keyword(const PngChunk& chunk);

// Puts the chunks after the header of an encoded PNG, before its palette and pixels, and removes
// its own chunks of those types, except texts. Throws MediaError(failed) if it is no PNG.
std::vector<std::uint8_t> add_png_chunks(std::span<const std::uint8_t> encoded,
                                         const std::vector<PngChunk>& chunks);

// The parts of the frame's description that libav's encoder (5.1) leaves out: colours that gAMA and
// cHRM cannot express (cICP), the mastering display (mDCV) and the light level (cLLI), as in the
// third edition of the PNG specification.
std::vector<PngChunk> png_chunks_of(const AVFrame& frame);

// Adds the chunks to a packet of libav's PNG or APNG encoder that has a header, and removes the
// size of a pixel (pHYs) that libav writes as 0 by 1 if it is unknown.
void complete_png(AVPacket& packet, const std::vector<PngChunk>& chunks);

}  // namespace weft
