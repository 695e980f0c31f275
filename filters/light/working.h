// How a step computes between its input and its result: in linear light, with colours that are
// weighted by alpha, and rounded by a pattern.
#pragma once

#include "filters/filter.h"
#include "filters/frame_info.h"
#include "filters/params.h"

namespace weft {

// A step that asks for any of these converts its input, filters at a higher precision, and converts
// the result back.
//
// linear_light   The filter acts on light: on r, g and b, of YUV by the frame's matrix and range,
//                after the inverse of the frame's transfer function (light_transfer()), which is
//                ITU-T H.273's; that of HLG is the scene's light, without the system's gamma.
//                Negative components are mirrored, and results outside of the frame's range are
//                clipped at the end alone.
// weighted_alpha The colours of a pixel count by its alpha, so that a blur has no dark fringe:
//                Σ w a c / Σ w a. A colour stays where no visible pixel is in reach of the filter.
//                For pictures with straight alpha. Alpha itself is filtered as ever.
// dither         Results of 8 bits are rounded up where their fraction is above a threshold that
//                depends on the place of the sample alone: the fraction of x / φ2 + y / φ2² in
//                256ths, with φ2 the real root of x³ = x + 1 (M. Roberts, "The Unreasonable
//                Effectiveness of Quasirandom Sequences", 2018). Whole results stay.
//
// Linear light and weighted alpha of YUV filter each colour at the size of the picture, so that
// sizes such as sigma are in pixels for chroma as well. A sample of subsampled chroma holds for all
// pixels that it covers, and the result is their mean: a filter that changes nothing gives the
// chroma back, wherever its samples are sited.
struct Working {
    bool linear_light = false;
    bool weighted_alpha = false;
    bool dither = false;

    bool converts() const { return linear_light || weighted_alpha; }
    bool any() const { return converts() || dither; }
};

// Reads the parameters for frames like `info`. Alpha weighs nothing in frames without it, and
// nothing is dithered in frames that do not have 8 bits, which `notes` state; they also name the
// transfer function. Throws FilterError if that is one of which the inverse is not known here.
Working working_of(const Params& params, const FrameInfo& info, std::vector<std::string>& notes);

}  // namespace weft
