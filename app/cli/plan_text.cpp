#include "app/cli/plan_text.h"

#include <fmt/format.h>

#include "app/pipeline/stack/allowed_difference.h"
#include "filters/text/printable.h"

namespace weft {

std::string explanation_text(const std::vector<std::string>& explanation) {
    std::string text;
    for (const std::string& line : explanation)
        text += fmt::format("    {}\n", printable_line(line));
    return text;
}

std::string plan_text(const JobFile& file, const FilePlan& plan, bool explain) {
    const FrameInfo& info = plan.stack.info;
    std::string text =
        fmt::format("{} -> {}: {}x{} {}", printable_line(file.input), printable_line(file.output),
                    info.width, info.height, plan.pixel_format);
    if (plan.frames_estimated > 0) text += fmt::format(", {} frames", plan.frames_estimated);
    text += file.skip ? ", skipped: the output exists\n" : "\n";
    for (std::size_t s = 0; s < plan.stack.steps.size(); ++s) {
        const StepPlan& step = plan.stack.steps[s];
        text += fmt::format("  step {}  {}  {}  ({})\n", s, step.filter, step.kernel_names(),
                            step.reason());
        if (explain) text += explanation_text(step.explanation());
    }
    text += fmt::format("  result  {}\n", difference_text(plan.stack));
    for (const std::string& note : plan.notes)
        text += fmt::format("  note: {}\n", printable_line(note));
    for (const std::string& warning : plan.warnings)
        text += fmt::format("  warning: {}\n", printable_line(warning));
    return text;
}

}  // namespace weft
