#include "app/pipeline/times.h"

extern "C" {
#include <libavutil/parseutils.h>
}

#include <cmath>

#include <fmt/format.h>

#include "app/media/libav/error.h"
#include "filters/text/nearest.h"

namespace weft {

std::int64_t parse_time_us(const std::string& option, const std::string& text) {
    if (text.starts_with('-'))
        throw Error(Outcome::usage,
                    fmt::format("{} {}: times count from the start of the file and cannot be "
                                "negative",
                                option, shown(text)));
    // libav skips leading blanks and signs.
    const bool starts_well = !text.empty() && text[0] >= '0' && text[0] <= '9';
    std::int64_t time_us = 0;
    if (!starts_well || av_parse_time(&time_us, text.c_str(), 1) < 0 || time_us < 0)
        throw Error(Outcome::usage,
                    fmt::format("{} {}: expected a time such as 90, 1:30.5, 01:02:03, 1500ms or "
                                "250us",
                                option, shown(text)));
    return time_us;
}

std::string clock_text(double seconds) {
    const auto whole = static_cast<std::int64_t>(std::llround(std::max(seconds, 0.0)));
    const std::int64_t hours = whole / 3600;
    const std::int64_t minutes = whole / 60 % 60;
    if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60);
    return fmt::format("{}:{:02}", minutes, whole % 60);
}

}  // namespace weft
