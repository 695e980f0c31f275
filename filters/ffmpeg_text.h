// Stacks as ffmpeg's filters, for people who paste them there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "filters/stack.h"

namespace weft {

// What ffmpeg 5.1 is given for a step or a stack of YUV video. It makes pixels outside the picture
// its own way, so borders may always differ.
struct FfmpegText {
    std::string chain;  // as -vf takes it: "gblur=sigma=2:steps=6:planes=7"; empty: there is none
    std::vector<std::string> remarks = {};  // where the picture differs, or why there is no chain

    bool exists() const { return !chain.empty(); }
};

// Steps that cannot be computed (no matrix, a file that is missing) have none, with the reason.
FfmpegText ffmpeg_text(const Step& step);

// All steps in one chain, remarks led by their filter's name; none if a single step has none.
FfmpegText ffmpeg_text(const Stack& stack);

// For rows of the filter list.

// Bit k: ffmpeg's plane k of YUV video with alpha.
struct FfmpegPlanes {
    unsigned mask = 0;
    bool neutral_chroma = false;

    // The chain with chroma made gray behind it if that is asked for.
    std::string finish(std::string chain) const;
};

// YUV 4:4:4 with alpha, 8 bits: what the texts are made for.
FrameInfo ffmpeg_video();

// Of the parameter `planes`. Throws FilterError where YUV video has no such planes.
FfmpegPlanes ffmpeg_planes(const Params& params);

FfmpegText no_ffmpeg_text(std::string why);

// The taps of a step as ffmpeg's `convolution`: integers in a square of 3, 5 or 7 or in a line of
// up to 49, divided afterwards.
FfmpegText ffmpeg_convolution(const Params& params);

}  // namespace weft
