// Argument handling common to all commands: split, parse, help.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/cli/option_help.h"

namespace weft {

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
