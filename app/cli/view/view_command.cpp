// weft view: loads the window's plug-in from the program's folder, or from the library folder next
// to that.
#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>

#include <fmt/format.h>

#include "app/batch/job_list.h"
#include "app/cli/commands.h"
#include "app/cli/signals.h"
#include "app/cli/terminal/messages.h"
#include "app/cli/terminal/report_file.h"
#include "app/cli/view/view_json.h"
#include "app/cli/view/view_options.h"
#include "app/pipeline/report/json_text.h"
#include "app/viewer/shell/view_options.h"

namespace weft {
namespace {

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
        "there is no window in this build ({} is missing): install libimgui-dev, libglfw3-dev, "
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
    if (module.empty()) throw Error(ExitCode::failed, no_module_text());
    void* library = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        throw Error(ExitCode::failed, fmt::format("cannot load the window: {}", dlerror()));
    void* function = dlsym(library, kRunWindow);
    if (function == nullptr)
        throw Error(ExitCode::failed,
                    fmt::format("{} is of another version of weft", module.string()));
    return reinterpret_cast<RunWindow>(function);
}

void check_report(const ViewCommand& command) {
    RunFiles run;
    for (const std::string& file : command.view.files) run.add_source(file);
    check_report_path("--json", *command.json, {}, run);
    check_report_file("--json", *command.json, Overwrite::refuse);
}

}  // namespace

std::string why_no_window() {
    if (find_module().empty()) return no_module_text();
    return is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
               ? ""
               : "neither DISPLAY nor WAYLAND_DISPLAY is set";
}

ExitCode run_view(Arguments arguments) {
    std::optional<ViewCommand> command = parse_view(arguments);
    if (!command) {
        print_output(view_help());
        return ExitCode::ok;
    }
    if (command->json) check_report(*command);
    const DeviceChoice choice = choose_device(command->gpu);
    command->view.device = choice.device;
    if (!choice.reason.empty())
        command->view.device_note = fmt::format("no GPU, filtering on the CPU: {}", choice.reason);
    const SignalWatch signals;
    command->view.stop = signals.token();
    SessionReport report;
    load_window()(command->view, report);
    if (command->json) write_report(*command->json, json_page(view_json(report)));
    return signals.exit_code();
}

}  // namespace weft
