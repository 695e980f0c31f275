// Which encoder and pixel format an output gets, and what that loses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/media/container_table.h"
#include "app/media/ffmpeg.h"

namespace weft {

// The picture that goes into the encoder.
struct PictureShape {
    AVPixelFormat format = AV_PIX_FMT_NONE;
    int width = 0;
    int height = 0;
};

struct VideoWish {
    std::string codec = {};         // -c:v; empty: the container's default
    std::string pixel_format = {};  // -pix_fmt; empty: the closest to the source
    bool lossless = false;
    bool preset = false;  // -preset is given: encoders without it are no default
};

struct VideoChoice {
    const AVCodec* encoder = nullptr;
    AVPixelFormat format = AV_PIX_FMT_NONE;
    std::vector<std::string> losses = {};  // what the format cannot hold, one sentence each
    std::vector<std::string> notes = {};   // harmless changes: 4:4:4 for an odd size
};

// Chooses by the container's row. Throws Error(usage): no such encoder (with the nearest names), a
// codec that the container refuses (with containers that take it), an unknown pixel format, or
// --lossless where nothing in this container holds the picture (with one that does).
VideoChoice choose_video(const Container& container, const PictureShape& shape,
                         const VideoWish& wish);

// What storing `from` as `to` loses, one sentence each; empty: nothing but its layout changes.
std::vector<std::string> format_losses(AVPixelFormat from, AVPixelFormat to);

// Whether every sample of `from` can be had back from `to`: the same depth, chroma size and colour
// family, and alpha if there is any; gray may gain neutral colour.
bool is_exact(AVPixelFormat from, AVPixelFormat to);

// The format itself for yuvj formats' plain twins: range is a tag of ours, not a format.
AVPixelFormat without_range(AVPixelFormat format);

// "libx264" -> whether this container takes what the encoder makes.
bool container_takes(const Container& container, AVCodecID codec);

}  // namespace weft
