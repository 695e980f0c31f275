// The properties of a pixel format that determine which samples it can hold.
#pragma once

#include <string>
#include <vector>

#include "app/media/libav/ffmpeg.h"

struct AVPixFmtDescriptor;

namespace weft {

struct PixelTraits {
    bool alpha = false;
    bool rgb = false;
    bool gray = false;
    bool floating = false;
    bool palette = false;
    int depth = 8;  // bits of the first component
    int log2_chroma_w = 0;
    int log2_chroma_h = 0;
    int bits = 0;  // per pixel, all components
};

// Throws Error for formats unknown to libav.
PixelTraits pixel_traits(AVPixelFormat format);

// Bytes per sample of a format whose components have the same depth: 1, 2 or 4.
int sample_bytes(const AVPixFmtDescriptor& format);

// Maps yuvj formats to their plain twins: range is a separate tag here, not a format.
AVPixelFormat without_range(AVPixelFormat format);

// Whether every sample of `from` can be recovered from `to`: the same depth, chroma size and colour
// family, and alpha if present; gray may gain neutral colour.
bool is_exact(AVPixelFormat from, AVPixelFormat to);

// The losses of storing `from` as `to`, one sentence each; empty: only the layout changes.
std::vector<std::string> format_losses(AVPixelFormat from, AVPixelFormat to);

}  // namespace weft
