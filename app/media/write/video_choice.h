// Chooses an output's encoder and pixel format, and lists the losses.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/media/libav/ffmpeg.h"
#include "app/media/write/container_table.h"

namespace weft {

struct JpegTables;
struct WriterOptions;

// A FrameShape is the part of a frame's description on which the choice of an encoder depends.
struct FrameShape {
    AVPixelFormat format = AV_PIX_FMT_NONE;
    int width = 0;
    int height = 0;
};

struct VideoRequest {
    std::string codec = {};         // -c:v; empty: the container's default
    std::string pixel_format = {};  // -pix_fmt; empty: the closest to the source
    bool lossless = false;
    // -preset, and the encoder's other options: encoders without them are not chosen by default.
    bool preset = false;
    std::map<std::string, std::string> options = {};
};

struct VideoChoice {
    const AVCodec* encoder = nullptr;
    AVPixelFormat format = AV_PIX_FMT_NONE;
    std::vector<std::string> losses = {};  // what the format cannot hold, one sentence each
    std::vector<std::string> notes = {};   // harmless changes: 4:4:4 for an odd size
};

// Chooses by the container's row. Throws Error(usage) for an unknown encoder (with the nearest
// names), a codec that the container refuses (with containers that accept it), an unknown pixel
// format, or --lossless if nothing in this container holds the frame (with a container that
// does).
VideoChoice choose_video(const Container& container, const FrameShape& shape,
                         const VideoRequest& request);

// The quality and the chroma of pictures made from frames of the format `source`, and why they are
// so: "-q:v 2 (the default), chroma 4:2:0 (kept from the source)". Empty for encoders without a
// scale. `kept` are the source's.
std::string quality_text(const VideoChoice& choice, AVPixelFormat source,
                         const WriterOptions& options, const std::optional<JpegTables>& kept);

// Colour tags of the frame that are not stored and that change how it is shown.
std::vector<std::string> lost_colors(const Container& container, AVCodecID codec,
                                     const AVFrame& frame);

// Whether the container accepts the codec.
bool container_takes(const Container& container, AVCodecID codec);

}  // namespace weft
