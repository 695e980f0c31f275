// Times in ffmpeg's common notations: 90, 1:30.5, 01:02:03.25, 1500ms, 250us.
#pragma once

#include <cstdint>
#include <string>

namespace weft {

// Microseconds. `option` is named in the message. Throws Error(usage) with the accepted spellings
// for negative and invalid times.
std::int64_t parse_time_us(const std::string& option, const std::string& text);

// Returns seconds as clock time, such as "0:07" or "1:02:03".
std::string clock_text(double seconds);

}  // namespace weft
