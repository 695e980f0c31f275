// weft view: loads the window's plug-in from the program's folder, or from the library folder next
// to that.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/batch/job_list.h"
#include "app/cli/command_line.h"
#include "app/cli/commands.h"
#include "app/cli/shared_options.h"
#include "app/cli/signals.h"
#include "app/cli/terminal/messages.h"
#include "app/cli/terminal/report_file.h"
#include "app/cli/view/window_plans.h"
#include "app/media/demux/image_sequence.h"
#include "app/media/libav/error.h"
#include "app/pipeline/device_choice.h"
#include "app/pipeline/report/json_text.h"
#include "app/pipeline/version.h"
#include "app/viewer/shell/view_options.h"
#include "filters/text/number_text.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

struct ViewCommand {
    ViewOptions view;  // all but the device
    GpuRequest gpu;
    std::optional<std::string> json;  // report file; "-": standard output
};

// ---- the command line ----

constexpr const char* kUsage = "weft view [FILE…] [-vf STACK | --preset NAME]";
constexpr const char* kSummary =
    "Opens a window that plays videos and pictures through a stack of filters, compares before and "
    "after, and races kernels on the current frame.";
constexpr const char* kExamples = R"(Examples:
  weft holiday.mp4
  weft view holiday.mp4 -vf gaussian=sigma=2,sobel
  weft view --preset outline -ss 1:30 holiday.mp4
  weft view --gpu off --window-size 1600x900 photo.png
  weft films.plan                              (the progress of weft batch --run films.plan)

In the window, ? shows all keys. Files can be dropped on the window.)";

struct ViewParser {
    ViewCommand command;
    StackWords stack;
    JobOptionWords input;
    std::string gpu = "auto";
    std::string size;
    std::string json;
    CommandLine line{kUsage, kSummary, kExamples};

    ViewParser();
    void finish(std::vector<std::string> inputs);
};

ViewParser::ViewParser() {
    OptionGroup playback = line.group("Playback");
    add_stack_options(playback, stack);
    input.add(playback, {"-ss", "-framerate"});
    OptionGroup window = line.group("Window");
    add_gpu_option(window, gpu);
    window.add_text("--window-size", "WIDTHxHEIGHT", size, "Initial window size [the last one]");
    add_json_option(line.group("Reports"), json);
}

void parse_size(const std::string& text, ViewOptions& view) {
    if (text.empty()) return;
    constexpr int kLeast = 200;
    constexpr int kMost = 16384;
    const std::size_t x = text.find('x');
    const auto width = parse_whole_number(text.substr(0, x), kLeast, kMost);
    const auto height =
        parse_whole_number(x == std::string::npos ? "" : text.substr(x + 1), kLeast, kMost);
    if (!width || !height)
        throw Error(Outcome::usage,
                    fmt::format("--window-size '{}': expected WIDTHxHEIGHT, {} to {} each", text,
                                kLeast, kMost));
    view.width = *width;
    view.height = *height;
}

void ViewParser::finish(std::vector<std::string> inputs) {
    ViewOptions& view = command.view;
    view.files = std::move(inputs);
    if (!stack.stack.empty() || !stack.preset.empty()) {
        check_stack_words(stack);
        view.stack = load_stack(stack);
    }
    FileJob job;
    input.set(job);
    view.start_seconds = static_cast<double>(job.reader.start_us.value_or(0)) * 1e-6;
    view.frame_rate = job.reader.frame_rate;
    command.gpu = parse_one_gpu_request(gpu);
    parse_size(size, view);
    if (!json.empty()) command.json = json;
}

// Returns nothing if help was requested. Throws Error(usage) or FilterError.
std::optional<ViewCommand> parse_view(std::span<const std::string> arguments) {
    ViewParser parser;
    bool help_requested = false;
    std::vector<std::string> inputs = parser.line.parse(arguments, help_requested);
    if (help_requested) return std::nullopt;
    parser.finish(std::move(inputs));
    return std::move(parser.command);
}

// ---- the report of a session ----

Json percentiles(const Durations& times) {
    const auto ms = [&](double fraction) { return times.quantile_seconds(fraction) * 1e3; };
    return {{"count", times.count()},
            {"median_ms", ms(0.5)},
            {"p95_ms", ms(0.95)},
            {"p99_ms", ms(0.99)},
            {"max_ms", ms(1)}};
}

Json view_json(const SessionReport& report) {
    return {{"schema", 1},
            {"version", kVersion},
            {"device", report.device},
            {"opengl_renderer", report.renderer},
            {"interop", report.why_no_interop.empty()},
            {"why_no_interop", report.why_no_interop},
            {"decoded_on_gpu", report.decoded_on_gpu},
            {"frames_shown", report.frames_shown},
            {"frames_dropped", report.frames_dropped},
            {"redraws", report.redraws},
            {"redraw", percentiles(report.frame_seconds)},
            {"redraw_cpu", percentiles(report.frame_cpu_seconds)},
            {"slow_redraws", report.slow_redraws},
            {"slow_redraws_cpu", report.slow_redraws_cpu},
            {"swap", percentiles(report.swap_seconds)},
            {"shown_interval", percentiles(report.shown_interval_seconds)},
            {"stack_response", percentiles(report.stack_response_seconds)},
            {"seek_response", percentiles(report.seek_response_seconds)},
            {"errors", report.errors}};
}

// ---- the window ----

// The first candidate path with the plug-in; empty without one.
std::filesystem::path find_module() {
    const std::filesystem::path here =
        std::filesystem::read_symlink("/proc/self/exe").parent_path();
    std::error_code ignored;
    for (const std::filesystem::path& folder : {here, here / "../lib/warpweft"})
        if (std::filesystem::exists(folder / kWindowModule, ignored)) return folder / kWindowModule;
    return {};
}

std::string no_module_text() {
    return fmt::format(
        "this build has no window ({} is missing): install libimgui-dev, libglfw3-dev, "
        "libepoxy-dev and fonts-dejavu-core and run ./dev build",
        kWindowModule);
}

bool is_set(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0';
}

// Stays loaded until the program ends: desktop libraries do not survive unloading.
RunWindow load_window() {
    const std::filesystem::path module = find_module();
    if (module.empty()) throw Error(Outcome::failed, no_module_text());
    void* library = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        throw Error(Outcome::failed, fmt::format("cannot load the window: {}", dlerror()));
    void* function = dlsym(library, kRunWindow);
    if (function == nullptr)
        throw Error(Outcome::failed,
                    fmt::format("{} belongs to another version of weft", module.string()));
    return reinterpret_cast<RunWindow>(function);
}

void check_report(const ViewCommand& command) {
    RunFiles run;
    for (const std::string& file : command.view.files) run.add_source(file);
    check_report_path("--json", *command.json, {}, run);
    check_report_file("--json", *command.json, Overwrite::refuse);
}

// The window opens if at least one of the files exists, and shows which do not.
void check_files(const std::vector<std::string>& files) {
    const auto is_missing = [](const std::string& file) {
        std::error_code error;
        return file != "-" && !is_sequence(file) && !std::filesystem::exists(file, error);
    };
    if (!files.empty() && std::ranges::all_of(files, is_missing))
        throw Error(Outcome::failed, fmt::format("{}: no such file", files.front()));
}

}  // namespace

std::vector<OptionHelp> view_options() {
    return ViewParser().line.options();
}

std::string why_no_window() {
    if (find_module().empty()) return no_module_text();
    return is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
               ? ""
               : "neither DISPLAY nor WAYLAND_DISPLAY is set";
}

Outcome run_view(Arguments arguments) {
    std::optional<ViewCommand> command = parse_view(arguments);
    if (!command) {
        print_output(ViewParser().line.help());
        return Outcome::ok;
    }
    if (command->json) check_report(*command);
    check_files(command->view.files);
    if (const std::string why_not = why_no_window(); !why_not.empty())
        throw Error(Outcome::failed,
                    fmt::format("the window cannot open: {}; weft batch filters files without one",
                                why_not));
    const DeviceChoice choice = choose_devices(command->gpu);
    command->view.device = choice.devices.front();
    if (!choice.reason.empty())
        command->view.device_note = fmt::format("no GPU, filtering on the CPU: {}", choice.reason);
    command->view.plans = window_plans();
    const SignalWatch signals;
    command->view.stop = signals.token();
    SessionReport report;
    load_window()(command->view, report);
    if (command->json) write_report(*command->json, json_page(view_json(report)));
    return signals.outcome();
}

}  // namespace weft
