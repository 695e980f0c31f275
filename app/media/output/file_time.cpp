#include "app/media/output/file_time.h"

#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include "app/media/libav/error.h"

namespace weft {

std::int64_t file_time_ns(const struct stat& info, const std::string& path) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / kSecond - 1;
    const std::int64_t seconds = info.st_mtim.tv_sec;
    if (std::abs(seconds) > kMost)
        throw Error(Outcome::usage,
                    fmt::format("{}: its modification time is after the year 2262 or before 1678, "
                                "which plans and receipts cannot store: set it (touch)",
                                path));
    return seconds * kSecond + info.st_mtim.tv_nsec;
}

}  // namespace weft
