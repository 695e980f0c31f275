// Options shared by several commands, with the same names and the same meaning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/cli/times.h"
#include "app/pipeline/stack_words.h"

namespace weft {

// -vf and --preset
void add_stack_options(CLI::App& app, StackWords& words, const std::string& group);
// --gpu for commands that run on one device: see parse_one_gpu_request().
void add_gpu_option(CLI::App& app, std::string& words, const std::string& group);
// --gpu for commands that run on several: see parse_gpu_request().
void add_gpus_option(CLI::App& app, std::string& words, const std::string& group);

// -ss, -t and -to: the range of the input.
struct RangeWords {
    std::string start, duration, end;
};
void add_range_options(CLI::App& app, RangeWords& words, const std::string& group);
// Throws Error(usage).
RequestedRange parse_range(const RangeWords& words);

// -framerate, for inputs without times
void add_frame_rate_option(CLI::App& app, std::string& words, const std::string& group);
// Frames per second in ffmpeg's notation: 24, 30000/1001, ntsc; none for an empty text. Throws
// Error(usage).
std::optional<double> parse_frame_rate(const std::string& words);

// --explain
void add_explain_option(CLI::App& app, bool& explain, const std::string& group);

// --json [FILE.json]
void add_json_option(CLI::App& app, std::string& words, const std::string& group);

// Checks with error messages in our own words, not CLI11's.
CLI::Validator one_of(std::vector<std::string> words);
CLI::Validator whole_number(std::int64_t least, std::int64_t most);

}  // namespace weft
