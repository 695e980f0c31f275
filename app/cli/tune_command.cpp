#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include <fmt/format.h>

#include "app/cli/command_line.h"
#include "app/cli/commands.h"
#include "app/cli/shared_options.h"
#include "app/cli/signals.h"
#include "app/cli/terminal/messages.h"
#include "app/media/libav/error.h"
#include "app/pipeline/device_choice.h"
#include "app/pipeline/measured_plans.h"
#include "app/pipeline/names.h"
#include "app/pipeline/opened_input.h"
#include "app/pipeline/race/kernel_race.h"
#include "filters/text/printable.h"

namespace weft {
namespace {

constexpr const char* kUsage = "weft tune FILE… (-vf STACK | --preset NAME)";
constexpr const char* kSummary =
    "Measures the kernels that can run a stack on this GPU, on frames of each file, and uses the "
    "fastest from then on. The planner's own choices were measured on Hopper GPUs.";
constexpr const char* kExamples = R"(Examples:
  weft tune holiday.mp4 -vf gaussian=sigma=2
  weft tune photo.jpg film.mkv -vf "gaussian=sigma=5,sobel" --gpu 1

Choices are stored in ~/.cache/warpweft/plans.json for this GPU, driver and version of weft; delete
the file to forget them. weft batch --kernel table ignores them for one run.
Exit codes: as for weft batch.)";

struct TuneOptions {
    StackWords stack;
    std::vector<std::string> inputs;
    std::string gpu = "require";
    std::int64_t frames = 30;
};

struct TuneParser {
    TuneOptions options;
    CommandLine line{kUsage, kSummary, kExamples};

    TuneParser() {
        OptionGroup group = line.group("Measure");
        add_stack_options(group, options.stack);
        add_gpu_option(group, options.gpu);
        group.add_number("--frames", options.frames, 5, std::numeric_limits<std::int64_t>::max(),
                         "Number of frames per file [30]");
    }
};

// Returns nothing if help was requested.
std::optional<TuneOptions> parse_tune(Arguments arguments) {
    TuneParser parser;
    bool help_requested = false;
    parser.options.inputs = parser.line.parse(arguments, help_requested);
    if (help_requested) return std::nullopt;
    if (parser.options.inputs.empty())
        throw Error(Outcome::usage, "no input was given: weft tune FILE -vf STACK");
    check_stack_words(parser.options.stack);
    return std::move(parser.options);
}

// The measured kernel of a name; null if it did not run.
const KernelResult* result_of(const StepResult& step, std::string_view kernel) {
    const auto found = std::ranges::find(step.kernels, kernel, &KernelResult::kernel);
    return found == step.kernels.end() || found->seconds.count() == 0 ? nullptr : &*found;
}

// A kernel replaces the planned one if it is more than 5 % faster and computes alike.
constexpr double kFaster = 1 / 1.05;

const KernelResult* fastest_alike(const StepResult& step, const KernelResult& planned) {
    const Arithmetic arithmetic = find_kernel(planned.kernel)->arithmetic;
    const KernelResult* best = &planned;
    for (const KernelResult& kernel : step.kernels) {
        if (kernel.seconds.count() == 0 || is_wrong(kernel)) continue;
        if (find_kernel(kernel.kernel)->arithmetic != arithmetic) continue;
        const double most = best == &planned ? kFaster * planned.seconds.median_seconds()
                                             : best->seconds.median_seconds();
        if (kernel.seconds.median_seconds() < most && !is_tie(kernel.seconds, planned.seconds))
            best = &kernel;
    }
    return best;
}

// Remembers the fastest kernel of a step; returns a line about it.
std::string tune_step(const StepPlan& plan, const StepResult& step, const Device& device,
                      MeasuredPlans& measured) {
    const KernelResult* planned = result_of(step, plan.kernel_names());
    if (planned == nullptr)
        return fmt::format("  {}: {} stays\n", plan.filter, plan.kernel_names());
    const KernelResult* best = fastest_alike(step, *planned);
    for (const ConvProblem* problem : plan.problems())
        if (problem != nullptr) measured.remember(*problem, device, best->kernel);
    const std::string time = duration_text(best->seconds.median_seconds());
    if (best == planned)
        return fmt::format("  {}: {} stays, {}\n", plan.filter, planned->kernel, time);
    return fmt::format("  {}: {} from now on, {} instead of {} with {}\n", plan.filter,
                       best->kernel, time, duration_text(planned->seconds.median_seconds()),
                       planned->kernel);
}

std::string tune_file(const FileJob& job, const TuneOptions& options, const SignalWatch& signals,
                      MeasuredPlans& measured) {
    const RaceOptions race{.choice = {.caches = CacheState::cold}, .frames = options.frames};
    const std::vector<StepPlan> steps = open_input(job).plans.front().steps;
    const RaceReport report = race_kernels(job, race, signals.token(), {});
    if (signals.outcome() != Outcome::ok) return "";
    std::string text =
        fmt::format("{}: {}×{} {} on {}\n", printable_line(job.reader.path), report.info.width,
                    report.info.height, report.pixel_format, job.device.name);
    for (std::size_t s = 0; s < steps.size(); ++s)
        text += tune_step(steps[s], report.steps[s], job.device, measured);
    return text;
}

}  // namespace

std::vector<OptionHelp> tune_options() {
    return TuneParser().line.options();
}

Outcome run_tune(Arguments arguments) {
    const std::optional<TuneOptions> options = parse_tune(arguments);
    if (!options) {
        print_output(TuneParser().line.help());
        return Outcome::ok;
    }
    FileJob job;
    job.stack = load_stack(options->stack);
    job.forced.every_step = kTableKernels;
    job.device = choose_devices(parse_one_gpu_request(options->gpu)).devices.front();
    if (!job.device.is_gpu())
        throw Error(Outcome::no_gpu, "the CPU has only one kernel, so there is nothing to choose");
    const std::filesystem::path file = measured_plans_file();
    if (file.empty())
        throw Error(Outcome::not_written,
                    "neither HOME nor XDG_CACHE_HOME is set: the choices cannot "
                    "be stored");
    for (const std::string& sentence : unlike_ffmpeg(job.stack)) print_note(sentence);
    MeasuredPlans measured(file);
    SignalWatch signals;
    for (const std::string& input : options->inputs) {
        job.reader.path = input;
        job.reader.audio = job.reader.subtitles = false;
        print_output(tune_file(job, *options, signals, measured));
        if (signals.outcome() != Outcome::ok) return signals.outcome();
        measured.save(file);
    }
    return Outcome::ok;
}

}  // namespace weft
