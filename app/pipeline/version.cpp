#include "app/pipeline/version.h"

#include <string_view>

#include <fmt/format.h>

#include "app/media/libav/ffmpeg.h"
#include "generated/commit.h"

namespace weft {

// WEFT_VERSION is the project's version, from CMake.
const char* const kVersion = WEFT_VERSION;

std::string version_text() {
    const std::string_view commit = kCommit;
    return fmt::format("weft {}{}\nFFmpeg {} ({})\nCUDA kernels: {}\n", kVersion,
                       commit.empty() ? "" : fmt::format(" (commit {})", commit), av_version_info(),
                       avcodec_license(), WEFT_BUILT_WITH_CUDA ? "built in" : "not in this build");
}

}  // namespace weft
