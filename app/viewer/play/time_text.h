// Formats times for display.
#pragma once

#include <string>

namespace weft {

// "1:23.456", or "1:01:23.456" for an hour or more. Negative times are shown as 0.
std::string time_text(double seconds);

}  // namespace weft
