#include <fmt/format.h>

#include "app/cli/command_line.h"
#include "app/cli/commands.h"
#include "app/cli/info/info_report.h"
#include "app/cli/shared_options.h"
#include "app/cli/stall_guard.h"
#include "app/cli/terminal/messages.h"
#include "app/pipeline/report/json_text.h"

namespace weft {
namespace {

constexpr const char* kExamples = R"(Examples:
  weft info holiday.mp4
  weft info --json holiday.mp4 | jq .weft.containers

The last table lists for each container which encoder `weft batch` would use, what the picture
would lose in this container, and which encoder --lossless would use.)";

struct InfoParser {
    bool json = false;
    JobOptionWords input;
    CommandLine line{"weft info [--json] FILE",
                     "Shows a file's streams and what each container would keep.", kExamples};

    InfoParser() {
        OptionGroup group = line.group("Options");
        group.add_flag("--json", json,
                       "Print JSON with ffprobe's field names, and ours under \"weft\"");
        input.add(group, {"-framerate"});
    }
};

}  // namespace

std::vector<OptionHelp> info_options() {
    return InfoParser().line.options();
}

Outcome run_info(Arguments arguments) {
    InfoParser parser;
    bool help_requested = false;
    const std::vector<std::string> inputs = parser.line.parse(arguments, help_requested);
    if (help_requested) {
        print_output(parser.line.help());
        return Outcome::ok;
    }
    if (inputs.size() != 1) throw Error(Outcome::usage, "weft info takes one file");
    FileJob job;
    parser.input.set(job);
    ReaderOptions options = job.reader;
    options.path = inputs.front();
    std::string text;
    StallGuard().run_alone(options.path, options.heartbeat, [&] {
        const Reader reader(options);
        text = parser.json ? json_page(info_json(reader, options.path))
                           : info_text(reader, options.path);
    });
    print_output(text);
    return Outcome::ok;
}

}  // namespace weft
