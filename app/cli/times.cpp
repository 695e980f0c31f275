#include "app/cli/times.h"

extern "C" {
#include <libavutil/parseutils.h>
}

#include <cmath>
#include <limits>

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

RequestedRange parse_time_range(const std::string& start, const std::string& duration,
                                const std::string& end) {
    RequestedRange range;
    if (!start.empty()) range.start_us = parse_time_us("-ss", start);
    if (!end.empty()) range.end_us = parse_time_us("-to", end);
    if (!duration.empty()) {
        const std::int64_t length = parse_time_us("-t", duration);
        const std::int64_t from = range.start_us.value_or(0);
        if (length > std::numeric_limits<std::int64_t>::max() - from)
            throw Error(Outcome::usage, fmt::format("-t {}: too long", shown(duration)));
        range.end_us = from + length;
    }
    if (range.end_us && *range.end_us <= range.start_us.value_or(0))
        throw Error(Outcome::usage, "nothing is left between -ss and the end given by -t or -to");
    return range;
}

std::string clock_text(double seconds) {
    const auto whole = static_cast<std::int64_t>(std::llround(std::max(seconds, 0.0)));
    const std::int64_t hours = whole / 3600;
    const std::int64_t minutes = whole / 60 % 60;
    if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60);
    return fmt::format("{}:{:02}", minutes, whole % 60);
}

}  // namespace weft
