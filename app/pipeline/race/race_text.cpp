#include "app/pipeline/race/race_text.h"

#include <cmath>

#include <fmt/format.h>

namespace weft {

std::string duration_text(double seconds) {
    if (seconds < 1e-3) return fmt::format("{:.1f} µs", seconds * 1e6);
    return fmt::format("{:.2f} ms", seconds * 1e3);
}

std::string number_text(double value, int decimals, const char* unit) {
    return value > 0 ? fmt::format("{:.{}f}{}", value, decimals, unit) : "-";
}

std::string median_text(const Samples& samples) {
    return samples.count() > 0 ? duration_text(samples.median_seconds()) : "-";
}

std::string p95_text(const Samples& samples) {
    return samples.count() > 0 ? duration_text(samples.p95_seconds()) : "-";
}

// Integer samples differ by whole steps.
std::string error_text(const ImageDifference& error) {
    if (error.pixels == 0) return "-";
    return error.largest == std::floor(error.largest) ? fmt::format("{:.0f}", error.largest)
                                                      : fmt::format("{:.2g}", error.largest);
}

std::string differing_text(const ImageDifference& error) {
    if (error.pixels == 0) return "-";
    const double percent = 100 * error.differing_fraction();
    if (percent > 0 && percent < 0.01) return "<0.01 %";
    return fmt::format("{:.2f} %", percent);
}

}  // namespace weft
