// HDR pictures on a screen for SDR: which frames are tone-mapped, and the arithmetic of the shader
// in picture_shader.cpp for single colours.
//
// PQ or HLG is decoded to light in cd/m² (SMPTE ST 2084; ITU-R BT.2100 with a system gamma of 1.2
// for HLG). The largest component is compressed to the screen's white of 203 cd/m² (ITU-R BT.2408)
// by the curve of BT.2390's EETF, without its lift of black, and the others follow it, so that hues
// stay. BT.2020 primaries become BT.709's; colours outside are clipped. The result is coded with a
// gamma of 2.2. mpv shows such films in the same way.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "app/media/metadata/side_data.h"

namespace weft {

enum class HdrTransfer : std::uint8_t { none, pq, hlg };

struct HdrPicture {
    HdrTransfer transfer = HdrTransfer::none;
    bool wide = false;        // BT.2020 primaries
    double peak_nits = 1000;  // the brightest part of the film

    explicit operator bool() const { return transfer != HdrTransfer::none; }
};

inline constexpr double kScreenWhiteNits = 203;

// By the frame's tags. The peak is MaxCLL, else that of the mastering display, else 1000 cd/m²; HLG
// always has 1000.
HdrPicture hdr_of(const AVFrame& frame, const SideData& side_data);

// PQ's value, 0 to 1, of light in cd/m².
double pq_of(double nits);

using HdrColour = std::array<double, 3>;

// Red, green and blue, 0 to 1, as coded in the file and as shown on the screen. SDR is unchanged.
HdrColour shown_colour(const HdrPicture& hdr, const HdrColour& coded);

// "PQ tone-mapped to SDR (BT.2390), peak 1000 cd/m²"; "" for SDR.
std::string hdr_text(const HdrPicture& hdr);

}  // namespace weft
