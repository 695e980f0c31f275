// The options of a job, as users give them. The command line and its help, plans, receipts, the
// facts that --resume compares and the window's estimates are loops over this table, so that a new
// option is a new row here and the code that acts on it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "app/media/write/resume.h"
#include "app/pipeline/file_job.h"

namespace weft {

// The part of an output that differs if the option does, from the most to the least.
enum class Affects : std::uint8_t {
    frames,    // which pictures and times are written
    encoding,  // how the encoder stores them
    file,      // the rest of the file, and what the writer itself compares: container and encoder
    nothing,   // how the work is done, and the limits at which an input is refused
};

struct JobOption {
    std::string_view name;   // as it is typed: "-c:v", "--strict"
    std::string_view value;  // the help's placeholder, "CODEC"; empty: a flag
    std::string_view group;  // the help's heading
    std::string_view help;
    Affects affects = Affects::nothing;
    // The value that `parse` takes, "yes" for a flag that is set, or "" for the default.
    std::string (*print)(const FileJob& job) = nullptr;
    // Sets the value; throws Error(usage) with the option's name.
    void (*parse)(FileJob& job, const std::string& text) = nullptr;
    bool adds_up = false;  // given several times, each adds a line NAME=VALUE to the text
};

// In the order in which receipts store them; help pages and plans sort them by heading. They are
// parsed in this order: -t counts from -ss.
std::span<const JobOption> job_options();

// The row of this name; throws std::out_of_range without one.
const JobOption& job_option(std::string_view name);

// The values of all options that affect as much as `least` or more; "" for a default.
JobFacts option_facts(const FileJob& job, Affects least);

}  // namespace weft
