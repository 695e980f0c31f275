// What taps let through, as a map of all frequencies and as profiles.
#pragma once

#include <vector>

#include "app/viewer/frequency_response.h"

namespace weft {

struct ResponsePlot {
    FrequencyResponse map;
    std::vector<double> x, y, diagonal;  // response_profile()s of one length
};

ResponsePlot response_plot(const Taps& taps, double scale);

// A square map, zero frequency in its middle, by decibels under the strongest frequency.
void draw_response_map(const ResponsePlot& plot, float side);

// Decibels over 0 to half a cycle a pixel: along x, along y, along the diagonal.
void draw_response_profiles(const ResponsePlot& plot, float width, float height);

}  // namespace weft
