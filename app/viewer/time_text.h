// Times as people read them.
#pragma once

#include <string>

namespace weft {

// "1:23.456", "1:01:23.456" from an hour on. Negative times are 0.
std::string time_text(double seconds);

}  // namespace weft
