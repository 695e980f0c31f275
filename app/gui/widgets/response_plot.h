// The frequency response of taps, as a map of all frequencies and as profiles.
#pragma once

#include <vector>

#include "app/viewer/edit/frequency_response.h"

namespace weft {

struct ResponsePlot {
    FrequencyResponse map;
    std::vector<double> x, y, diagonal;  // response_profile()s of equal length
};

ResponsePlot response_plot(const Taps& taps, double scale);

// A square map with zero frequency in the middle, in decibels below the strongest frequency.
void draw_response_map(const ResponsePlot& plot, float side);

// Decibels from 0 to half a cycle per pixel: along x, along y, along the diagonal.
void draw_response_profiles(const ResponsePlot& plot, float width, float height);

}  // namespace weft
