#include "app/pipeline/resumable.h"

#include <filesystem>

#include <fmt/format.h>

#include "app/media/demux/image_sequence.h"
#include "app/media/write/container_table.h"
#include "app/media/write/segment_store.h"
#include "app/pipeline/file_job.h"
#include "app/pipeline/version.h"

namespace weft {

std::string why_not_resumable(const std::string& input, const std::string& output,
                              const std::string& format) {
    if (output == kNoOutput) return "-o null: writes nothing to keep";
    if (output == "-") return "data written to standard output cannot be reused";
    if (input == "-") return "standard input cannot be read again";
    if (is_sequence(input)) return fmt::format("{} is a sequence of pictures, not one file", input);
    const Container& container = find_container(output, format);
    if (!container.supports(kSegments))
        return fmt::format(
            "{}: {} cannot be written in segments; mp4, mov, mkv, webm, avi and nut can", output,
            container.name);
    return "";
}

JobFacts program_facts() {
    return {{"weft", fmt::format("{} with FFmpeg {}", kVersion, av_version_info())}};
}

bool has_segments(const std::string& output) {
    std::error_code error;
    return std::filesystem::exists(segment_file(output), error);
}

}  // namespace weft
