#include "app/cli/compare/compare_options.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "app/cli/command_line.h"
#include "app/cli/commands.h"
#include "app/cli/require_kernel.h"
#include "app/media/libav/error.h"

namespace weft {
namespace {

constexpr const char* kUsage = "weft compare FILE (-vf STACK | --preset NAME)";
constexpr const char* kSummary =
    "Plays a video through a stack and lets kernels race on the same frames: how long each takes, "
    "how close that is to what memory allows, and how far its pixels are from the reference.";
constexpr const char* kExamples = R"(Examples:
  weft compare holiday.mp4 -vf gaussian=sigma=2
  weft compare holiday.mp4 -vf gaussian=sigma=2,sobel --frames 200
  weft compare holiday.mp4 -vf kirsch --kernels direct,column_row_reuse --baseline direct
  weft compare photo.png -vf box=radius=9 --gpu off --json box.json

FILE is a video, a picture, a numbered sequence (shot_%04d.png) or - for standard input. The table
is redrawn on a terminal while the video plays and printed at its end; Ctrl-C ends it early.
Exit codes: as for weft batch.)";

struct Texts {
    RangeWords range;
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
    CLI::App& app = line.app();
    add_stack_options(app, options.stack, "Race");
    app.add_option("--kernels", texts.kernels,
                   "Race only these [all that can run]: weft list kernels")
        ->option_text("NAME,NAME")
        ->group("Race");
    app.add_option("--baseline", options.race.choice.baseline,
                   "Baseline of the speed-up column [the reference]")
        ->option_text("NAME")
        ->group("Race");
    add_gpu_option(app, texts.gpu, "Race");
    add_range_options(app, texts.range, "Range");
    app.add_option("--frames", options.race.frames,
                   "Number of frames, or of runs on a still picture [50]")
        ->option_text("N")
        ->check(whole_number(1, std::numeric_limits<std::int64_t>::max()))
        ->group("Range");
    add_explain_option(app, options.explain, "Reports");
    add_json_option(app, texts.json, "Reports");
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
        throw Error(ExitCode::usage, inputs.empty()
                                         ? "no input was given: weft compare FILE -vf STACK"
                                         : fmt::format("weft compare takes one file, not {}: {}",
                                                       inputs.size(), fmt::join(inputs, ", ")));
    check_stack_words(options.stack);
    options.reader.path = inputs.front();
    options.reader.audio = false;
    options.reader.subtitles = false;
    const RequestedRange range = parse_range(texts.range);
    options.reader.start_us = range.start_us;
    options.reader.end_us = range.end_us;
    options.race.choice.kernels = kernel_names(texts.kernels);
    const std::string& baseline = options.race.choice.baseline;
    if (!baseline.empty()) (void)require_kernel(baseline);
    options.gpu = parse_one_gpu_request(texts.gpu);
    if (!texts.json.empty()) options.json = texts.json;
}

}  // namespace

std::optional<CompareOptions> parse_compare(std::span<const std::string> arguments) {
    CompareParser parser;
    bool help_requested = false;
    const std::vector<std::string> inputs = parser.line.parse(arguments, help_requested);
    if (help_requested) return std::nullopt;
    parser.finish(inputs);
    return std::move(parser.options);
}

std::string compare_help() {
    return CompareParser().line.help();
}

std::vector<OptionHelp> compare_options() {
    return CompareParser().line.options();
}

}  // namespace weft
