#include <fmt/format.h>

#include "app/batch/job_list.h"
#include "app/cli/commands.h"
#include "app/cli/compare/compare_options.h"
#include "app/cli/compare/compare_text.h"
#include "app/cli/signals.h"
#include "app/cli/terminal/live_text.h"
#include "app/cli/terminal/messages.h"
#include "app/cli/terminal/report_file.h"
#include "app/cli/terminal/terminal.h"
#include "app/cli/terminal/ticker.h"
#include "app/pipeline/report/json_text.h"

namespace weft {
namespace {

constexpr double kRedrawSeconds = 0.2;

// The table on standard error during the race, if that is a terminal.
class LiveTable {
 public:
    explicit LiveTable(const RaceHeading& heading) : heading_(&heading) {}
    ~LiveTable() { print_control(text_.erase()); }
    LiveTable(const LiveTable&) = delete;
    LiveTable& operator=(const LiveTable&) = delete;

    void show(const RaceReport& report) {
        if (!ticker_.due(kRedrawSeconds)) return;
        const Terminal terminal = error_terminal();  // its size may have changed
        if (terminal.interactive)
            print_control(text_.redraw(race_text(*heading_, report), terminal));
    }

 private:
    const RaceHeading* heading_;
    Ticker ticker_;
    LiveText text_;
};

RaceReport race_live(const FileJob& job, const RaceOptions& options, const RaceHeading& heading,
                     const std::stop_token& stop) {
    LiveTable table(heading);
    return race_kernels(job, options, stop, [&](const RaceReport& report) { table.show(report); });
}

// The last line of a run that failed; empty for a successful one.
std::string failure_text(const std::string& input, const RaceReport& report, ExitCode code) {
    if (code == ExitCode::ok) return "";
    if (code == ExitCode::damaged)
        return fmt::format("{}: damaged: {}", input, report.damage.reason);
    return "stopped by a signal; the table holds the measurements so far";
}

ExitCode code_of(const RaceReport& report, ExitCode signal) {
    if (signal != ExitCode::ok) return signal;
    return report.damage.damaged ? ExitCode::damaged : ExitCode::ok;
}

}  // namespace

ExitCode run_compare(Arguments arguments) {
    const std::optional<CompareOptions> options = parse_compare(arguments);
    if (!options) {
        print_output(compare_help());
        return ExitCode::ok;
    }
    FileJob job;
    job.stack = load_stack(options->stack);
    job.reader = options->reader;
    if (options->json) check_report_path("--json", *options->json, {}, RunFiles(job.reader.path));
    if (options->json) check_report_file("--json", *options->json, Overwrite::refuse);
    const SignalWatch signals;
    const RaceHeading heading{job.reader.path, print_stack(job.stack), choose_device(options->gpu)};
    job.device = heading.device.device;
    if (!heading.device.reason.empty())
        print_note(fmt::format("no GPU, comparing on the CPU: {}", heading.device.reason));

    const RaceReport report = race_live(job, options->race, heading, signals.token());
    const ExitCode code = code_of(report, signals.exit_code());
    for (const std::string& note : report.notes) print_note(note);
    if (options->json != "-")
        print_output(race_text(heading, report) +
                     (options->explain ? race_explanation(report) : "") +
                     race_legend(heading, report));
    if (options->json) write_report(*options->json, json_page(race_json(heading, report, code)));
    if (code != ExitCode::ok) print_error(failure_text(job.reader.path, report, code));
    return code;
}

}  // namespace weft
