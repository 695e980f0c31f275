// What this build is.
#pragma once

#include <string>

namespace weft {

extern const char* const kVersion;  // "0.1.0"

// "weft 0.1.0" and the libraries it runs with, a line each.
std::string version_text();

}  // namespace weft
