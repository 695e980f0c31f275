// Options shared by several commands, with the same names and the same meaning.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/command_line.h"
#include "app/pipeline/job_options.h"
#include "app/pipeline/stack_words.h"

namespace weft {

// Adds -vf and --preset.
void add_stack_options(OptionGroup group, StackWords& words);
// --gpu for commands that run on one device: see parse_one_gpu_request().
void add_gpu_option(OptionGroup group, std::string& words);
// --gpu for commands that run on several: see parse_gpu_request().
void add_gpus_option(OptionGroup group, std::string& words);

// Adds --cpus, the number for use_cores(); 0: the default.
void add_cpus_option(OptionGroup group, int& cpus);

// Options of job_options() on the command line of one command.
class JobOptionWords {
 public:
    // Declares all options of a group under its heading, or some of them under another one.
    void add_group(CommandLine& line, std::string_view group);
    void add(OptionGroup group, std::initializer_list<std::string_view> names);

    // The typed options by their long names, in the order of the help page, with their last values,
    // or all lines of those that add up.
    std::vector<std::pair<std::string, std::string>> given() const;
    // Sets the typed options in `job`. Throws Error(usage) for a wrong value.
    void set(FileJob& job) const;

 private:
    void add(OptionGroup& group, const JobOption& option);

    std::vector<const JobOption*> declared_;
    std::map<std::string_view, std::string>
        typed_;  // last values or all lines, "" of a flag, by JobOption::name
};

// Adds --explain, which sets `explain`.
void add_explain_option(OptionGroup group, bool& explain);

// Adds --json; `words` is then a path, or "-" without one.
void add_json_option(OptionGroup group, std::string& words);

}  // namespace weft
