// Decides which of several runs on one machine writes an output, and remembers the outputs that a
// run was at work on when it ended.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "filters/text/file_descriptor.h"

namespace weft {

// Keeps a hidden file in the output's folder locked while in scope, then removes it. For runs that
// share a list of files and skip finished ones: the lock keeps them from working on the same file
// at the same time. On file systems without locks, or between machines, it protects nothing, and
// the first complete output stays.
//
// A run that is killed leaves its claims. If the system had ended it for its memory, or a
// fault of the program (mark_claims()), the claim of the next run shows that: the input may end
// each run that reads it. A run that was asked to end does not count, and neither do processes that
// the system kills in other control groups, while the group is the same.
class OutputClaim {
 public:
    // `output` is a name or a pattern, in an existing folder.
    explicit OutputClaim(const std::string& output);
    // Waits until no other process on this machine holds it, or a stop is requested.
    OutputClaim(const std::string& output, const std::stop_token& stop);
    ~OutputClaim();
    OutputClaim(const OutputClaim&) = delete;
    OutputClaim& operator=(const OutputClaim&) = delete;

    // False: another process on this machine is working on the output.
    bool held() const { return held_; }

    // How an earlier run of this boot ended while it held the claim: "ended by signal 11
    // (Segmentation fault)", "killed"; empty if none did.
    const std::string& ended() const { return ended_; }
    // Whether another run is likely to end like that one.
    bool will_end_again() const { return fatal_; }
    // Leaves the claim as it was found, for the next run.
    void leave() { left_ = true; }

 private:
    void claim();
    bool lock();
    void take_over();

    std::filesystem::path path_;
    FileDescriptor file_;
    bool held_ = true;
    bool fatal_ = false;
    bool left_ = false;
    std::string ended_;
    std::string found_;  // the text of the earlier claim
};

// Writes the number of a signal that ends the process into the claims that it holds, for handlers:
// uses async-signal-safe calls alone. A request to end (SIGINT, SIGTERM, SIGHUP) is no proof
// against an input, nor is a fault of a process that holds several claims.
void mark_claims(int signal) noexcept;

// Removes the claims that the process holds, for an exit without destructors that is no fault.
void remove_claims() noexcept;

}  // namespace weft
