// Stacks as ffmpeg filters, for users who paste them there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "filters/stack.h"

namespace weft {

// The ffmpeg 5.1 filters for a step or a stack on YUV video. ffmpeg extends the picture in its own
// way, so borders may always differ.
struct FfmpegText {
    std::string chain;  // as -vf takes it: "gblur=sigma=2:steps=6:planes=7"; empty: no equivalent
    std::vector<std::string> remarks = {};  // where the picture differs, or why no chain exists

    bool exists() const { return !chain.empty(); }
};

// Steps that cannot be computed (no matrix, a missing file) have no chain but the reason.
FfmpegText ffmpeg_text(const Step& step);

// All steps in one chain, remarks led by their filter's name; empty if a single step has none.
FfmpegText ffmpeg_text(const Stack& stack);

// The rows of the filter list use the functions below.

// Bit k: ffmpeg's plane k of YUV video with alpha.
struct FfmpegPlanes {
    unsigned mask = 0;
    bool neutral_chroma = false;

    // The chain, followed by a filter that makes chroma gray if requested.
    std::string finish(std::string chain) const;
};

// 8-bit YUV 4:4:4 with alpha, the format the texts are made for.
FrameInfo ffmpeg_video();

// The ffmpeg planes that the parameter `planes` selects. Throws FilterError if YUV video has no
// such planes.
FfmpegPlanes ffmpeg_planes(const Params& params);

FfmpegText no_ffmpeg_text(std::string why);

// The taps of a step as ffmpeg's `convolution`: integers in a square of 3, 5 or 7 or in a line of
// up to 49, divided afterwards.
FfmpegText ffmpeg_convolution(const Params& params);

}  // namespace weft
