// The time of a file as plans and receipts store it.
#pragma once

#include <cstdint>
#include <string>
#include <sys/stat.h>

namespace weft {

// When the file was last written to, in nanoseconds since 1970. Throws Error(usage) for times that
// 64 bits do not hold, after the year 2262.
std::int64_t file_time_ns(const struct stat& info, const std::string& path);

}  // namespace weft
