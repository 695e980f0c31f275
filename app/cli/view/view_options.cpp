#include "app/cli/view/view_options.h"

#include <charconv>

#include <fmt/format.h>

#include "app/cli/command_line.h"
#include "app/cli/commands.h"
#include "app/media/libav/error.h"

namespace weft {
namespace {

constexpr const char* kUsage = "weft view [FILE…] [-vf STACK | --preset NAME]";
constexpr const char* kSummary =
    "Opens a window that plays videos and pictures through a stack of filters, compares before and "
    "after, and lets kernels race on the frame that is shown.";
constexpr const char* kExamples = R"(Examples:
  weft holiday.mp4
  weft view holiday.mp4 -vf gaussian=sigma=2,sobel
  weft view --preset outline -ss 1:30 holiday.mp4
  weft view --gpu off --window-size 1600x900 photo.png

In the window, ? shows all keys; files can be dropped on it.)";

struct ViewParser {
    ViewCommand command;
    StackWords stack;
    RangeWords range;
    std::string gpu = "auto";
    std::string size;
    std::string json;
    CommandLine line{kUsage, kSummary, kExamples};

    ViewParser();
    void finish(std::vector<std::string> inputs);
};

ViewParser::ViewParser() {
    CLI::App& app = line.app();
    add_stack_options(app, stack, "Playback");
    app.add_option("--start", range.start, "Start time: 90, 1:30.5, 1500ms")
        ->option_text("TIME")
        ->group("Playback");
    add_gpu_option(app, gpu, "Window");
    app.add_option("--window-size", size, "Initial window size [the last one]")
        ->option_text("WIDTHxHEIGHT")
        ->group("Window");
    add_json_option(app, json, "Reports");
}

int parse_side(std::string_view text) {
    int side = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), side);
    return error == std::errc{} && end == text.data() + text.size() ? side : 0;
}

void parse_size(const std::string& text, ViewOptions& view) {
    if (text.empty()) return;
    const std::size_t x = text.find('x');
    if (x != std::string::npos) {
        view.width = parse_side(std::string_view(text).substr(0, x));
        view.height = parse_side(std::string_view(text).substr(x + 1));
    }
    constexpr int kLeast = 200;
    constexpr int kMost = 16384;
    for (const int side : {view.width, view.height})
        if (side < kLeast || side > kMost || x == std::string::npos)
            throw Error(ExitCode::usage,
                        fmt::format("--window-size '{}': WIDTHxHEIGHT is needed, {} to {} each",
                                    text, kLeast, kMost));
}

void ViewParser::finish(std::vector<std::string> inputs) {
    ViewOptions& view = command.view;
    view.files = std::move(inputs);
    if (!stack.stack.empty() || !stack.preset.empty()) {
        check_stack_words(stack);
        view.stack = load_stack(stack);
    }
    const RequestedRange times = parse_range(range);
    view.start_seconds = static_cast<double>(times.start_us.value_or(0)) * 1e-6;
    command.gpu = parse_one_gpu_request(gpu);
    parse_size(size, view);
    if (!json.empty()) command.json = json;
}

}  // namespace

std::optional<ViewCommand> parse_view(std::span<const std::string> arguments) {
    ViewParser parser;
    bool help_requested = false;
    std::vector<std::string> inputs = parser.line.parse(arguments, help_requested);
    if (help_requested) return std::nullopt;
    parser.finish(std::move(inputs));
    return std::move(parser.command);
}

std::string view_help() {
    return ViewParser().line.help();
}

std::vector<OptionHelp> view_options() {
    return ViewParser().line.options();
}

}  // namespace weft
