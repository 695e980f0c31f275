// Errors as types that map to exit codes at the edge.
#pragma once

#include <stdexcept>
#include <string>

namespace weft {

// Exit codes of every command; the table is in README.md.
enum class ExitCode : int {
    ok = 0,
    failed = 1,
    usage = 2,
    some_failed = 3,
    damaged = 4,
    not_written = 5,
    no_gpu = 6,
    interrupted = 130,
    terminated = 143,
};

// The origin of an error: a file, or the GPU that worked on it.
enum class Cause { file, device };

// An error with its exit code. `what()` names the problem, the file, the place and the remedy, in
// one line.
class Error : public std::runtime_error {
 public:
    Error(ExitCode code, const std::string& message, Cause cause = Cause::file)
        : std::runtime_error(message), code_(code), cause_(cause) {}
    ExitCode code() const { return code_; }
    Cause cause() const { return cause_; }

 private:
    ExitCode code_;
    Cause cause_;
};

// Thrown when a stop was requested before the end. Not an Error: nothing has failed.
class Cancelled : public std::runtime_error {
 public:
    Cancelled() : std::runtime_error("stopped before the end") {}
};

}  // namespace weft
