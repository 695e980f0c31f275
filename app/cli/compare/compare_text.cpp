#include "app/cli/compare/compare_text.h"

#include <fmt/format.h>

#include "app/cli/plan_text.h"
#include "app/cli/terminal/text_table.h"
#include "app/cli/times.h"
#include "app/pipeline/race/race_text.h"
#include "filters/text/printable.h"

namespace weft {
namespace {

// The last column of a kernel's row: the reason why it did not run, or its part in the race.
std::string note_text(const StepResult& step, const KernelResult& kernel) {
    if (!kernel.why_not.empty()) return kernel.why_not;
    std::vector<std::string> parts;
    if (kernel.kernel == step.reference) parts.emplace_back("reference");
    if (kernel.kernel == step.baseline) parts.emplace_back("baseline");
    if (kernel.planned) parts.emplace_back("planned");
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string step_table(const StepResult& step) {
    TextTable table(
        {"kernel", "median", "p95", "GB/s", "of limit", "speed-up", "max error", "differing", ""});
    table.align_right(1, 7);
    table.add({"(copy)", median_text(step.copy), p95_text(step.copy),
               number_text(gigabytes_per_second(step, step.copy), 1, ""), "100 %", "", "", "",
               "the limit"});
    for (const KernelResult& kernel : step.kernels)
        table.add({kernel.kernel, median_text(kernel.seconds), p95_text(kernel.seconds),
                   number_text(gigabytes_per_second(step, kernel.seconds), 1, ""),
                   number_text(100 * fraction_of_limit(step, kernel), 0, " %"),
                   number_text(speed_up(step, kernel), 2, "×"), error_text(kernel.error),
                   differing_text(kernel.error), note_text(step, kernel)});
    return table.text();
}

std::string step_text(std::size_t number, const StepResult& step) {
    const std::string head = fmt::format("\nstep {}  {}  ({})", number, step.filter, step.work);
    if (step.reference.empty()) return head + ": no kernels to compare\n";
    return fmt::format("{}\n{}", head, step_table(step));
}

std::string_view kind_of(const Device& device) {
    return device.is_gpu() ? "GPU" : "CPU";
}

}  // namespace

std::string race_text(const RaceHeading& heading, const RaceReport& report) {
    std::string text = fmt::format("{}: {}×{} {} on {} ({})\n", printable_line(heading.input),
                                   report.info.width, report.info.height, report.pixel_format,
                                   heading.device.device.name, kind_of(heading.device.device));
    text += fmt::format("{} frame{}", report.frames, report.frames == 1 ? "" : "s");
    if (report.frames_estimated > report.frames)
        text += fmt::format(" of {}", report.frames_estimated);
    if (report.media_seconds > 0)
        text += fmt::format(", {} of the video", clock_text(report.media_seconds));
    text += "\n";
    for (std::size_t s = 0; s < report.steps.size(); ++s) text += step_text(s, report.steps[s]);
    return text;
}

std::string race_legend(const RaceHeading& heading, const RaceReport& report) {
    std::string text = fmt::format(
        "\ntimes: {} around the kernel alone, all planes of a frame together, after unmeasured "
        "launches\nlimit: a copy of the same bytes on the same device, measured the same way\n",
        heading.device.device.is_gpu() ? "GPU events" : "the steady clock");
    for (std::size_t s = 0; s < report.steps.size(); ++s) {
        const StepResult& step = report.steps[s];
        if (step.reference.empty()) continue;
        text += fmt::format("errors of step {}: against {}, in steps of a sample; {}\n", s,
                            step.reference,
                            step.exact ? "its sums are exact, so that any difference is a fault"
                                       : "its fp32 sums are rounded themselves");
    }
    return text;
}

std::string race_explanation(const RaceReport& report) {
    std::string text = "\nplanned:\n";
    for (std::size_t s = 0; s < report.steps.size(); ++s)
        text += fmt::format("  step {}  {}\n{}", s, report.steps[s].filter,
                            explanation_text(report.steps[s].explanation));
    return text;
}

}  // namespace weft
