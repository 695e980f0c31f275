// Argument handling common to all commands: ffmpeg-style words, options, help.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/cli/commands.h"

namespace weft {

// ---- ffmpeg-style words, converted for CLI11: pure functions ----

// An option of a command by its long name, "--output".
struct KnownOption {
    std::string name;
    bool takes_value = true;
};

// Every option as "--name=value" or "--flag", and everything else in order.
struct SplitArguments {
    std::vector<std::string> options;
    std::vector<std::string> inputs;
};

// Splits the arguments after the command. Rules:
//   -vf -ss -t -to -y -n -an -sn -c:v -c:a -crf -b:v -preset -pix_fmt -f -o -h are words with
//   ffmpeg's meaning, -i precedes an input, -loglevel (-v) is accepted, -hide_banner and -nostdin
//   have no effect; every other word with one dash is an error; "--" ends the options; "-" is an
//   input. A value is the next argument, even if it starts with a dash, unless it is an option of
//   the command. `--json` means `--json=-` unless a name that ends in .json follows.
// Throws Error(usage) with the nearest words for an unknown one.
SplitArguments split_arguments(std::span<const std::string> arguments,
                               std::span<const KnownOption> known);

// "--video-codec" as users type it, "-c:v"; names without a short word are unchanged.
std::string typed_form(const std::string& long_name);

// Returns the long name of a typed word: "--video-codec" for "-c:v".
std::string long_form(std::string_view typed);

// A message of CLI11 with its long names replaced by the words that users type.
std::string in_typed_words(std::string message);

// ---- options ----

// A command's options are declared on an app by their long names. Parse errors are Error(usage)
// with the words that the user typed.
class CommandLine {
 public:
    // `usage`: "weft batch -vf STACK -o OUTPUT INPUT…"; `examples` are shown below the options.
    CommandLine(const std::string& usage, const std::string& summary, const std::string& examples);

    CLI::App& app() { return app_; }

    // Returns the inputs, in order. For -h it sets `help_requested` and parses nothing else.
    std::vector<std::string> parse(std::span<const std::string> arguments, bool& help_requested);

    std::string help() const { return app_.help(); }
    std::vector<OptionHelp> options() const;

 private:
    CLI::App app_;
};

}  // namespace weft
