// libswscale contexts, set up so that range and matrix are converted.
#pragma once

#include <string>

#include "app/media/libav/ffmpeg.h"

namespace weft {

// One side of a conversion. The format has no range of its own: see without_range().
struct ScalerSide {
    int width = 0;
    int height = 0;
    AVPixelFormat format = AV_PIX_FMT_NONE;
    bool full_range = false;
    AVColorSpace matrix = AVCOL_SPC_UNSPECIFIED;
    bool operator==(const ScalerSide&) const = default;
};

// Bicubic, with accurate rounding and no chroma shortcuts: exact for formats that differ only in
// layout. Throws MediaError(failed), naming `path`, if libswscale cannot convert between these.
SwsContextPtr open_scaler(const ScalerSide& from, const ScalerSide& to, const std::string& path);

}  // namespace weft
