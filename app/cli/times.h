// Times in ffmpeg's common notations: 90, 1:30.5, 01:02:03.25, 1500ms, 250us.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace weft {

// Microseconds. `option` is named in the message. Throws Error(usage) with the accepted spellings
// for negative and invalid times.
std::int64_t parse_time_us(const std::string& option, const std::string& text);

// The combination of -ss, -t and -to, in the file's own time: -t counts from -ss and takes
// precedence over -to, as in ffmpeg.
struct RequestedRange {
    std::optional<std::int64_t> start_us;
    std::optional<std::int64_t> end_us;
};

// Empty texts are options that were not given. Throws Error(usage), also if nothing is left between
// start and end.
RequestedRange parse_time_range(const std::string& start, const std::string& duration,
                                const std::string& end);

// Seconds as clock time: "0:07", "1:02:03".
std::string clock_text(double seconds);

}  // namespace weft
