// Argument handling common to all commands: ffmpeg-style words, options, help.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/commands.h"

namespace weft {

// ---- ffmpeg-style words, converted to long names: pure functions ----

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

// ---- options ----

// An option that a command declares by its long name.
struct DeclaredOption {
    std::string group;        // its heading on the help page
    std::string name;         // "--output"
    std::string placeholder;  // stands for the value on the help page; empty for a flag
    std::string help;
    // Called with each value, "" of a flag. Throws Error(usage) for a wrong one.
    std::function<void(const std::string& value)> take;
    bool once = false;  // given twice, it is refused; of others, the last value counts
};

// Declares the options under one heading of a help page. The variables must outlive parse().
class OptionGroup {
 public:
    OptionGroup(std::vector<DeclaredOption>& options, std::string name)
        : options_(options), name_(std::move(name)) {}

    DeclaredOption& add(std::string name, std::string placeholder, std::string help,
                        std::function<void(const std::string&)> take);
    void add_flag(std::string name, bool& given, std::string help);
    DeclaredOption& add_text(std::string name, std::string placeholder, std::string& text,
                             std::string help);
    void add_choice(const std::string& name, std::string placeholder, std::string& text,
                    std::vector<std::string_view> words, std::string help);
    template <class Number>
    void add_number(const std::string& name, Number& number, std::int64_t least, std::int64_t most,
                    const std::string& help) {
        add(name, "N", help, [=, &number](const std::string& text) {
            number = static_cast<Number>(parse_whole(name, text, least, most));
        });
    }

 private:
    static std::int64_t parse_whole(const std::string& name, const std::string& text,
                                    std::int64_t least, std::int64_t most);

    std::vector<DeclaredOption>& options_;
    std::string name_;
};

// A command's options and its help page. Errors have the words that users type.
class CommandLine {
 public:
    // `usage`: "weft batch -vf STACK -o OUTPUT INPUT…"; `examples` are shown below the options.
    CommandLine(std::string usage, std::string summary, std::string examples);

    OptionGroup group(std::string name) { return {options_, std::move(name)}; }

    // Returns the inputs, in order. For -h it sets `help_requested` and takes no values. Throws
    // Error(usage).
    std::vector<std::string> parse(std::span<const std::string> arguments, bool& help_requested);

    std::string help() const;
    std::vector<OptionHelp> options() const;

 private:
    void take(const std::string& word, std::span<const std::string> words) const;

    std::string usage_, summary_, examples_;
    std::vector<DeclaredOption> options_;
};

}  // namespace weft
