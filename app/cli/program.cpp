#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/commands.h"
#include "app/cli/terminal/messages.h"
#include "app/media/libav/shortage.h"
#include "app/media/write/container_table.h"
#include "app/pipeline/names.h"
#include "app/pipeline/version.h"
#include "filters/filter.h"

namespace weft {
namespace {

constexpr std::array kCommands = {
    Command{"batch", "Filter videos and images", run_batch, batch_options},
    Command{"bench", "Time every kernel, and other libraries that do the same work", run_bench,
            nullptr},
    Command{"clean", "Remove leftovers of crashed runs on other machines", run_clean,
            clean_options},
    Command{"compare", "Race kernels on a playing video", run_compare, compare_options},
    Command{"info", "Show a file's streams and what each container would keep", run_info,
            info_options},
    Command{"list", "Show filters, kernels, devices, presets or keys", run_list, list_options},
    Command{"motion", "List the moments of films in which something moves", run_motion,
            motion_options},
    Command{"prove", "Verify outputs against their receipts, on any machine", run_prove,
            prove_options},
    Command{"track", "Follow an object through a video and write its boxes", run_track,
            track_options},
    Command{"tune", "Find the fastest kernels for this GPU, and use them from then on", run_tune,
            tune_options},
    Command{"view", "Open a window to play, filter and compare (weft FILE… does the same)",
            run_view, view_options},
};

constexpr const char* kUsage = "Usage: weft COMMAND …\n       weft [FILE…]\n";

std::string program_help() {
    std::string text = fmt::format(
        "weft filters video and images with convolutions, on the GPU or the CPU.\n\n"
        "{}\nCommands:\n",
        kUsage);
    for (const Command& command : kCommands)
        text += fmt::format("  {:<10}{}\n", command.name, command.summary);
    return text +
           "  --version  Show the version\n\n"
           "Examples:\n"
           "  weft holiday.mp4\n"
           "  weft batch -vf gaussian=sigma=2 -o soft.mp4 holiday.mp4\n"
           "  weft compare holiday.mp4 -vf gaussian=sigma=2\n"
           "  weft list filters gaussian\n"
           "  weft info holiday.mp4\n\n"
           "weft COMMAND --help shows the options of a command.\n";
}

// The names of output formats, and the extensions that choose them.
std::string formats_text() {
    std::string text;
    for (const Container& container : containers())
        text += fmt::format("{:<10}.{}\n", container.name, fmt::join(container.extensions, " ."));
    return text;
}

std::vector<std::string_view> command_names() {
    std::vector<std::string_view> names;
    std::ranges::transform(kCommands, std::back_inserter(names), &Command::name);
    return names;
}

const Command& find_command(const std::string& name) {
    for (const Command& command : kCommands)
        if (command.name == name) return command;
    throw unknown_name("command", name, command_names());
}

// "weft holiday.mp4", "weft -- -x.mp4", "weft -ss 5 holiday.mp4": an existing file that is not
// named like a command, and options, are passed to the window.
bool is_for_window(const std::string& word) {
    const auto names = command_names();
    std::error_code error;
    return word.starts_with('-') ||
           (std::ranges::find(names, word) == names.end() && std::filesystem::exists(word, error));
}

// A word that can only mean a file: "clips/a" or "a.mp4".
bool is_file_name(const std::string& word) {
    return word.find_first_of("/.") != std::string::npos;
}

// Called for "weft" without arguments.
Outcome open_window() {
    const std::string why_not = why_no_window();
    if (why_not.empty()) return run_view({});
    print_lines(kUsage);
    throw Error(
        Outcome::usage,
        fmt::format("no command was given, and the window cannot open: {}; weft --help lists "
                    "the commands",
                    why_not));
}

// Called for "weft help" and "weft help batch".
Outcome help(Arguments rest) {
    if (!rest.empty() && !rest.front().starts_with('-')) {
        const std::vector<std::string> page = {"--help"};
        return find_command(rest.front()).run(page);
    }
    print_output(program_help());
    return Outcome::ok;
}

Outcome dispatch(Arguments arguments) {
    if (arguments.empty()) return open_window();
    const std::string& first = arguments.front();
    if (first == "--help" || first == "-h" || first == "help") return help(arguments.subspan(1));
    if (first == "--version" || first == "-version") {
        print_output(version_text());
        return Outcome::ok;
    }
    if (first == "-filters") {
        const std::vector<std::string> list = {"filters"};
        return run_list(list);
    }
    if (first == "-formats" || first == "-muxers") {
        print_output(formats_text());
        return Outcome::ok;
    }
    if (first == "complete") return print_completions(arguments.subspan(1));
    if (is_for_window(first)) return run_view(arguments);
    if (is_file_name(first))
        throw Error(Outcome::failed, fmt::format("{}: no such file, and no command with that name "
                                                 "(weft --help)",
                                                 first));
    return find_command(first).run(arguments.subspan(1));
}

}  // namespace

std::span<const Command> commands() {
    return kCommands;
}

Outcome run_program(Arguments arguments) {
    try {
        return dispatch(arguments);
    } catch (const FilterError& error) {
        print_error(error.with_caret());
        return Outcome::usage;
    } catch (const Error& error) {
        print_error(error.what());
        return error.outcome();
    } catch (const std::exception& error) {
        print_error(reason_of(error));
    }
    return Outcome::failed;
}

}  // namespace weft
