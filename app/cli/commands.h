// The commands of the program. Each takes the arguments after its name, writes data to standard
// output and everything else to standard error, and returns the exit code or throws an exception
// that main() converts to one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/media/libav/error.h"

namespace weft {

using Arguments = std::span<const std::string>;

// One option's entry on a help page: "-vf", "STACK", "Filters in ffmpeg's grammar: …". The value is
// a kind of thing in capitals, or the possible words separated by '|'; empty for a flag.
struct OptionHelp {
    std::string word, value, text;
};

Outcome run_batch(Arguments arguments);
Outcome run_bench(Arguments arguments);  // replaces this process if the program exists
Outcome run_clean(Arguments arguments);
Outcome run_compare(Arguments arguments);
Outcome run_info(Arguments arguments);
Outcome run_list(Arguments arguments);
Outcome run_motion(Arguments arguments);
Outcome run_prove(Arguments arguments);
Outcome run_track(Arguments arguments);
Outcome run_tune(Arguments arguments);
Outcome run_view(Arguments arguments);

// `weft complete WORD…`, which the scripts of shells call: one candidate per line, followed by a
// tab and its help, then the lines ":files" and ":continues" if they apply.
Outcome print_completions(Arguments words);

// Why run_view() cannot open a window here; empty if it may.
std::string why_no_window();

std::vector<OptionHelp> batch_options();
std::vector<OptionHelp> clean_options();
std::vector<OptionHelp> compare_options();
std::vector<OptionHelp> info_options();
std::vector<OptionHelp> list_options();
std::vector<OptionHelp> motion_options();
std::vector<OptionHelp> prove_options();
std::vector<OptionHelp> track_options();
std::vector<OptionHelp> tune_options();
std::vector<OptionHelp> view_options();

struct Command {
    std::string_view name;
    std::string_view summary;
    Outcome (*run)(Arguments);
    std::vector<OptionHelp> (*options)();  // null: the options of another program
};

// All commands, in the order of their names.
std::span<const Command> commands();

// Runs a command line without the program's name: finds the command, catches its exceptions and
// ends the output on standard error with the line "weft: error: …".
Outcome run_program(Arguments arguments);

}  // namespace weft
