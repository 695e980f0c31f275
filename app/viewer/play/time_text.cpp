#include "app/viewer/play/time_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace weft {

std::string time_text(double seconds) {
    const long long ms = std::llround(std::max(seconds, 0.0) * 1000);
    const long long hours = ms / 3'600'000;
    const std::string rest = fmt::format("{:02}.{:03}", ms / 1000 % 60, ms % 1000);
    const long long minutes = ms / 60'000 % 60;
    if (hours > 0) return fmt::format("{}:{:02}:{}", hours, minutes, rest);
    return fmt::format("{}:{}", minutes, rest);
}

}  // namespace weft
