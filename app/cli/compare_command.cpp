#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/batch/job_list.h"
#include "app/cli/command_line.h"
#include "app/cli/commands.h"
#include "app/cli/exit_code.h"
#include "app/cli/reports.h"
#include "app/cli/shared_options.h"
#include "app/cli/signals.h"
#include "app/cli/terminal/messages.h"
#include "app/cli/terminal/report_file.h"
#include "app/cli/terminal/terminal.h"
#include "app/cli/terminal/text_table.h"
#include "app/media/libav/error.h"
#include "app/media/read/reader.h"
#include "app/pipeline/device_choice.h"
#include "app/pipeline/known_gpus.h"
#include "app/pipeline/names.h"
#include "app/pipeline/race/kernel_race.h"
#include "app/pipeline/race/race_limits.h"
#include "app/pipeline/race/race_report.h"
#include "app/pipeline/report/json_text.h"
#include "app/pipeline/result_text.h"
#include "app/pipeline/times.h"
#include "app/pipeline/version.h"
#include "filters/text/printable.h"

namespace weft {
namespace {

struct CompareOptions {
    StackWords stack;
    ReaderOptions reader;
    RaceOptions race;
    GpuRequest gpu;
    bool explain = false;
    std::optional<std::string> json;  // report file; "-": standard output
};

// ---- the command line ----

constexpr const char* kUsage = "weft compare FILE (-vf STACK | --preset NAME)";
constexpr const char* kSummary =
    "Plays a video through a stack and races kernels on the same frames. Shows the time of each "
    "kernel, which limit of the device binds it, and how far the kernel's pixels are from "
    "the reference.";
constexpr const char* kExamples = R"(Examples:
  weft compare holiday.mp4 -vf gaussian=sigma=2
  weft compare holiday.mp4 -vf gaussian=sigma=2,sobel --frames 200
  weft compare holiday.mp4 -vf kirsch --kernels direct,column_row_reuse --baseline direct
  weft compare photo.png -vf box=radius=9 --gpu off --json box.json

FILE is a video, a picture, a numbered sequence (shot_%04d.png) or - for standard input. The table
is redrawn on a terminal while the video plays and printed at the end; Ctrl-C stops the race early.
Exit codes: as for weft batch.)";

struct Texts {
    JobOptionWords input;
    std::string gpu = "auto";
    std::string kernels;
    std::string json;
};

struct CompareParser {
    CompareOptions options;
    Texts texts;
    CommandLine line{kUsage, kSummary, kExamples};

    CompareParser();
    void finish(const std::vector<std::string>& inputs);
};

CompareParser::CompareParser() {
    OptionGroup race = line.group("Race");
    add_stack_options(race, options.stack);
    race.add_text("--kernels", "NAME,NAME", texts.kernels,
                  "Race only these kernels of weft list kernels [all that can run]");
    race.add_text("--baseline", "NAME", options.race.choice.baseline,
                  "Baseline of the speed-up column [the reference]");
    add_gpu_option(race, texts.gpu);
    OptionGroup range = line.group("Range");
    texts.input.add(range, {"-ss", "-t", "-to", "-framerate"});
    range.add_number("--frames", options.race.frames, 1, std::numeric_limits<std::int64_t>::max(),
                     "Number of frames, or of runs for a still picture [50]");
    add_explain_option(line.group("Reports"), options.explain);
    add_json_option(line.group("Reports"), texts.json);
}

// "a,b,c": each name must be that of a kernel; duplicates are dropped.
std::vector<std::string> kernel_names(std::string_view list) {
    std::vector<std::string> names;
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        const std::string name(list.substr(0, comma));
        list.remove_prefix(std::min(comma + 1, list.size()));
        (void)require_kernel(name);
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    return names;
}

void CompareParser::finish(const std::vector<std::string>& inputs) {
    if (inputs.size() != 1)
        throw Error(Outcome::usage, inputs.empty()
                                        ? "no input was given: weft compare FILE -vf STACK"
                                        : fmt::format("weft compare takes one file, not {}: {}",
                                                      inputs.size(), fmt::join(inputs, ", ")));
    check_stack_words(options.stack);
    FileJob job;
    texts.input.set(job);
    options.reader = job.reader;
    options.reader.path = inputs.front();
    options.reader.audio = false;
    options.reader.subtitles = false;
    options.race.choice.kernels = kernel_names(texts.kernels);
    const std::string& baseline = options.race.choice.baseline;
    if (!baseline.empty()) (void)require_kernel(baseline);
    options.gpu = parse_one_gpu_request(texts.gpu);
    if (!texts.json.empty()) options.json = texts.json;
}

// Returns nothing if help was requested. Throws Error(usage).
std::optional<CompareOptions> parse_compare(std::span<const std::string> arguments) {
    CompareParser parser;
    bool help_requested = false;
    const std::vector<std::string> inputs = parser.line.parse(arguments, help_requested);
    if (help_requested) return std::nullopt;
    parser.finish(inputs);
    return std::move(parser.options);
}

// ---- the table, as text and as JSON ----

// Facts of the race that are not in the RaceReport.
struct RaceHeading {
    std::string input;
    std::string stack;
    DeviceChoice choice;

    const Device& device() const { return choice.devices.front(); }
};

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
    TextTable table({"kernel", "median", "p95", "GB/s", "bound by", "of peak", "speed-up",
                     "max error", "differing", ""});
    table.align_right(1, 8);
    table.add({"(empty launch)", median_text(step.empty), p95_text(step.empty), "", "", "", "", "",
               "", ""});
    table.add({"(copy)", median_text(step.copy), p95_text(step.copy),
               number_text(gigabytes_per_second(step, step.copy), 1, ""), "", "", "", "", "", ""});
    table.add({"(peak)", peak_time_text(step), "", number_text(step.peak.bytes * 1e-9, 1, ""), "",
               "", "", "", "", operations_text(step.peak.operations)});
    for (const KernelResult& kernel : step.kernels)
        table.add({kernel.kernel, median_text(kernel.seconds), p95_text(kernel.seconds),
                   number_text(gigabytes_per_second(step, kernel.seconds), 1, ""),
                   bound_text(bound_of(step, kernel)),
                   number_text(100 * fraction_of_peak(step, kernel), 0, " %"),
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

// The file and the device, the progress through the file, and a table for each step.
std::string race_text(const RaceHeading& heading, const RaceReport& report) {
    std::string text = fmt::format("{}: {}×{} {} on {} ({})\n", printable_line(heading.input),
                                   report.info.width, report.info.height, report.pixel_format,
                                   heading.device().name, kind_of(heading.device()));
    text += frames_text(report.frames);
    if (report.frames_estimated > report.frames)
        text += fmt::format(" of {}", report.frames_estimated);
    if (report.media_seconds > 0)
        text += fmt::format(", {} of the video", clock_text(report.media_seconds));
    text += "\n";
    for (std::size_t s = 0; s < report.steps.size(); ++s) text += step_text(s, report.steps[s]);
    return text;
}

// How the columns were measured: printed below the last table.
std::string race_legend(const RaceHeading& heading, const RaceReport& report) {
    std::string text = fmt::format(
        "\ntimes: {} around the kernel only, all planes of a frame together, after warm-up "
        "launches\nbound by: the limit that leaves the least of the time unexplained: a launch for "
        "each plane that computes nothing, a copy of the same bytes, or the arithmetic at its "
        "peak; below 50 % no limit explains the time\npeak: the highest rates of the device's "
        "memory and "
        "arithmetic\n",
        heading.device().is_gpu() ? "GPU events" : "the steady clock");
    for (std::size_t s = 0; s < report.steps.size(); ++s) {
        const StepResult& step = report.steps[s];
        if (step.reference.empty()) continue;
        text += fmt::format("errors of step {}: differences from {} in sample levels; {}\n", s,
                            step.reference,
                            step.exact ? "all sums are exact, so any difference is a fault"
                                       : "the reference rounds its fp32 sums, too");
    }
    return text;
}

// The text of the limit of each kernel that ran and the planner's reasons, one paragraph per step.
std::string race_explanation(const RaceReport& report) {
    std::string text = "\nplanned:\n";
    for (std::size_t s = 0; s < report.steps.size(); ++s)
        text += fmt::format("  step {}  {}\n{}", s, report.steps[s].filter,
                            explanation_text(report.steps[s].explanation));
    text += "\nwhy:\n";
    for (std::size_t s = 0; s < report.steps.size(); ++s)
        for (const KernelResult& kernel : report.steps[s].kernels)
            if (const std::vector<std::string> sentences = why(report.steps[s], kernel);
                !sentences.empty())
                text +=
                    fmt::format("  step {}  {}: {}\n", s, kernel.kernel, fmt::join(sentences, " "));
    return text;
}

// Schema 1; fields are added, never renamed.
nlohmann::ordered_json race_json(const RaceHeading& heading, const RaceReport& report,
                                 Outcome outcome) {
    auto steps = nlohmann::ordered_json::array();
    for (std::size_t s = 0; s < report.steps.size(); ++s)
        steps.push_back(race_step_json(s, report.steps[s]));
    return {{"schema", 1},
            {"weft", kVersion},
            {"device", device_json(heading.choice)},
            {"input", heading.input},
            {"stack", heading.stack},
            {"exit_code", exit_code(outcome)},
            {"width", report.info.width},
            {"height", report.info.height},
            {"pix_fmt", report.pixel_format},
            {"frames", report.frames},
            {"media_seconds", report.media_seconds},
            {"clock", heading.device().is_gpu() ? "gpu_events" : "steady_clock"},
            {"notes", report.notes},
            {"damage", damage_json(report.damage)},
            {"steps", std::move(steps)}};
}

// ---- the race ----

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

// SIGUSR1 prints the number of frames where no table is drawn.
RaceReport race_live(const FileJob& job, const RaceOptions& options, const RaceHeading& heading,
                     SignalWatch& signals) {
    LiveTable table(heading);
    const auto frames = std::make_shared<std::atomic<std::int64_t>>(0);
    signals.on_progress_requested([frames, input = printable_line(heading.input)] {
        if (!error_terminal().interactive)
            print_lines(fmt::format("{}: {} compared\n", input, frames_text(frames->load())));
    });
    return race_kernels(job, options, signals.token(), [&](const RaceReport& report) {
        *frames = report.frames;
        table.show(report);
    });
}

// The last line of a run that failed; empty for a successful one.
std::string failure_text(const std::string& input, const RaceReport& report, Outcome outcome) {
    if (outcome == Outcome::ok) return "";
    if (outcome == Outcome::damaged)
        return fmt::format("{}: damaged: {}", input, report.damage.reason);
    return "stopped by a signal; the table shows the measurements so far";
}

Outcome outcome_of(const RaceReport& report, Outcome signal) {
    if (signal != Outcome::ok) return signal;
    return report.damage.damaged ? Outcome::damaged : Outcome::ok;
}

}  // namespace

std::vector<OptionHelp> compare_options() {
    return CompareParser().line.options();
}

Outcome run_compare(Arguments arguments) {
    const std::optional<CompareOptions> options = parse_compare(arguments);
    if (!options) {
        print_output(CompareParser().line.help());
        return Outcome::ok;
    }
    FileJob job;
    job.stack = load_stack(options->stack);
    job.reader = options->reader;
    if (options->json) check_report_path("--json", *options->json, {}, RunFiles(job.reader.path));
    if (options->json) check_report_file("--json", *options->json, Overwrite::refuse);
    SignalWatch signals;
    const RaceHeading heading{job.reader.path, print_stack(job.stack, Names::typed),
                              choose_devices(options->gpu)};
    job.device = heading.device();
    if (!heading.choice.reason.empty() && remember_reason(heading.choice.reason))
        print_note(fmt::format("no GPU, comparing on the CPU: {}", heading.choice.reason));
    for (const std::string& sentence : unlike_ffmpeg(job.stack)) print_note(sentence);

    const RaceReport report = race_live(job, options->race, heading, signals);
    const Outcome outcome = outcome_of(report, signals.outcome());
    for (const std::string& note : report.notes) print_note(note);
    if (options->json != "-")
        print_output(race_text(heading, report) +
                     (options->explain ? race_explanation(report) : "") +
                     race_legend(heading, report));
    if (options->json) write_report(*options->json, json_page(race_json(heading, report, outcome)));
    if (outcome != Outcome::ok) print_error(failure_text(job.reader.path, report, outcome));
    return outcome;
}

}  // namespace weft
