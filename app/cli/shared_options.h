// Options shared by several commands, with the same names and the same meaning.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/pipeline/job_options.h"
#include "app/pipeline/stack_words.h"

namespace weft {

// Adds -vf and --preset.
void add_stack_options(CLI::App& app, StackWords& words, const std::string& group);
// --gpu for commands that run on one device: see parse_one_gpu_request().
void add_gpu_option(CLI::App& app, std::string& words, const std::string& group);
// --gpu for commands that run on several: see parse_gpu_request().
void add_gpus_option(CLI::App& app, std::string& words, const std::string& group);

// Options of job_options() on the command line of one command.
class JobOptionWords {
 public:
    // Declares all options of a group under its heading, or some of them under another one.
    void add_group(CLI::App& app, std::string_view group);
    void add(CLI::App& app, std::initializer_list<std::string_view> names,
             const std::string& group);

    // The typed options by CLI11's names, in the order of job_options(), with their last values.
    std::vector<std::pair<std::string, std::string>> given() const;
    // Sets the typed options in `job`. Throws Error(usage) for a wrong value.
    void set(FileJob& job) const;

 private:
    void add(CLI::App& app, const JobOption& option, const std::string& group);
    // The last value, "" of a flag, if the option was typed.
    std::optional<std::string> typed(const JobOption& option) const;

    std::map<std::string_view, const CLI::Option*> declared_;  // by JobOption::name
};

// Adds --explain, which sets `explain`.
void add_explain_option(CLI::App& app, bool& explain, const std::string& group);

// Adds --json; `words` is then a path, or "-" without one.
void add_json_option(CLI::App& app, std::string& words, const std::string& group);

// Checks with error messages in our own words, not CLI11's.
CLI::Validator one_of(std::vector<std::string_view> words);
CLI::Validator whole_number(std::int64_t least, std::int64_t most);

}  // namespace weft
