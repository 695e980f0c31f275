// The version of this build and of the libraries that it uses.
#pragma once

#include <string>

namespace weft {

extern const char* const kVersion;  // "0.1.0"

// "weft 0.1.0" and the libraries it uses, one per line.
std::string version_text();

}  // namespace weft
