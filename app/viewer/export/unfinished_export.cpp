#include "app/viewer/export/unfinished_export.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/pipeline/resumable.h"

namespace weft {
namespace {

std::string frames_text(const ExportForecast& forecast) {
    const std::int64_t finished = forecast.kept->frames;
    if (forecast.frames <= 0 && finished == 1) return "1 frame is finished";
    if (forecast.frames <= 0) return fmt::format("{} frames are finished", finished);
    return fmt::format("{} of {} frames are finished", finished, forecast.frames);
}

}  // namespace

std::string interrupted_output(const std::string& output) {
    if (has_segments(output)) return output;
    for (const Container* container : export_containers(OutputKind::video)) {
        if (!container->supports(kSegments)) continue;
        std::string name = renamed_for(output, *container);
        if (has_segments(name)) return name;
    }
    return output;
}

Unfinished unfinished_of(bool interrupted, const std::optional<ExportForecast>& forecast) {
    if (!interrupted) return Unfinished::none;
    if (!forecast) return Unfinished::unknown;
    if (!forecast->problem.empty()) return Unfinished::differs;
    if (!forecast->kept) return Unfinished::none;  // no segment was finished
    return forecast->kept->difference.empty() ? Unfinished::fits : Unfinished::differs;
}

std::string unfinished_text(Unfinished unfinished, const std::optional<ExportForecast>& forecast) {
    switch (unfinished) {
        case Unfinished::none:
            return "";
        case Unfinished::unknown:
            return "An unfinished export of this file exists.";
        case Unfinished::fits:
            return fmt::format("An unfinished export with these settings exists: {}.",
                               frames_text(*forecast));
        case Unfinished::differs:
            if (!forecast->kept) return "An unfinished export of this file exists.";
            return fmt::format(
                "An unfinished export with other settings exists ({}). Choose its settings to "
                "resume it, or another name to keep it.",
                forecast->kept->difference);
    }
    return "";
}

std::string start_over_text(const std::string& output,
                            const std::optional<ExportForecast>& forecast) {
    const std::int64_t frames = forecast && forecast->kept ? forecast->kept->frames : 0;
    return fmt::format("{}: starting over removes {} of its unfinished export", output,
                       frames == 1  ? "the finished frame"
                       : frames > 0 ? fmt::format("the {} finished frames", frames)
                                    : "the finished frames");
}

}  // namespace weft
