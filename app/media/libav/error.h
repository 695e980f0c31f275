// Errors, each with the outcome of the work that it ends.
#pragma once

#include <stdexcept>
#include <string>

namespace weft {

// How the work on a file, a batch or a command ended. app/cli/exit_code.h has its numbers.
enum class Outcome {
    ok,
    failed,
    usage,        // detected before decoding; nothing was written
    some_failed,  // of several files
    damaged,      // the input
    not_written,  // the output: a full disk, a missing permission
    no_gpu,
    interrupted,
    terminated,
};

// The origin of an error: a file, the GPU that worked on it, or an encoder of that GPU that others
// hold.
enum class Cause { file, device, encoder_in_use };

// `what()` names the problem, the file, the place and the remedy, in one line.
class Error : public std::runtime_error {
 public:
    Error(Outcome outcome, const std::string& message, Cause cause = Cause::file)
        : std::runtime_error(message), outcome_(outcome), cause_(cause) {}
    Outcome outcome() const { return outcome_; }
    Cause cause() const { return cause_; }

 private:
    Outcome outcome_;
    Cause cause_;
};

// Thrown when a stop was requested before the end. Not an Error: nothing has failed.
class Cancelled : public std::runtime_error {
 public:
    Cancelled() : std::runtime_error("stopped before the end") {}
};

}  // namespace weft
