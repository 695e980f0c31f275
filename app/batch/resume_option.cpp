#include "app/batch/resume_option.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/media/write/container_table.h"
#include "app/media/write/segment_store.h"
#include "app/pipeline/file_job.h"
#include "app/pipeline/version.h"

namespace weft {

std::string why_not_resumable(const JobFile& file, const std::string& format) {
    if (file.output == kNoOutput) return "--resume: -o null: writes nothing that could be kept";
    if (file.output == "-") return "--resume: what went to standard output cannot be taken over";
    if (file.input == "-") return "--resume: standard input cannot be read again";
    if (is_sequence(file.input))
        return fmt::format("--resume: {} is a sequence of pictures, not one file", file.input);
    const Container& container = find_container(file.output, format);
    if (!container.segments)
        return fmt::format(
            "--resume: {}: {} is not made of segments; mp4, mov, mkv, webm, avi and "
            "nut are",
            file.output, container.name);
    return "";
}

void check_resume(const std::vector<JobFile>& files, const std::string& format) {
    std::string first;
    for (const JobFile& file : files) {
        const std::string reason = why_not_resumable(file, format);
        if (reason.empty()) return;
        if (first.empty()) first = reason;
    }
    if (!first.empty()) throw Error(Outcome::usage, first);
}

JobFacts program_facts() {
    return {{"weft", fmt::format("{} with FFmpeg {}", kVersion, av_version_info())}};
}

std::string stopped_text(const std::vector<JobFile>& files, bool resume) {
    const auto is_kept = [](const JobFile& file) {
        std::error_code error;
        return std::filesystem::exists(segment_file(file.output), error);
    };
    std::string text = "stopped by a signal; no unfinished output is left";
    if (resume && std::ranges::any_of(files, is_kept))
        text +=
            ", but its finished frames are: the same command with --resume continues after them";
    return text;
}

}  // namespace weft
