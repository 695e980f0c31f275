#include "app/batch/resume_option.h"

#include <algorithm>

#include "app/pipeline/resumable.h"

namespace weft {

void check_resume(const std::vector<JobFile>& files, const std::string& format) {
    std::string first;
    for (const JobFile& file : files) {
        const std::string reason = why_not_resumable(file.input, file.output, format);
        if (reason.empty()) return;
        if (first.empty()) first = reason;
    }
    if (!first.empty()) throw Error(Outcome::usage, "--resume: " + first);
}

std::string stopped_text(const std::vector<JobFile>& files, bool resume) {
    const auto is_kept = [](const JobFile& file) { return has_segments(file.output); };
    std::string text = "stopped by a signal; no unfinished output is left";
    if (resume && std::ranges::any_of(files, is_kept))
        text +=
            ", but finished frames are kept: the same command with --resume continues after them";
    return text;
}

}  // namespace weft
