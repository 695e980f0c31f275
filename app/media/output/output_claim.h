// Decides which of several runs on one machine writes an output.
#pragma once

#include <filesystem>
#include <string>

namespace weft {

// Keeps a hidden file in the output's folder locked while in scope, then removes it. For runs that
// share a list of files and skip finished ones: the lock keeps them from working on the same file
// at the same time. On file systems without locks, or between machines, it protects nothing, and
// the first complete output stays.
class OutputClaim {
 public:
    // `output` is a name or a pattern, in an existing folder.
    explicit OutputClaim(const std::string& output);
    ~OutputClaim();
    OutputClaim(const OutputClaim&) = delete;
    OutputClaim& operator=(const OutputClaim&) = delete;

    // False: another process on this machine is working on the output.
    bool held() const { return held_; }

 private:
    bool lock();

    std::filesystem::path path_;
    int fd_ = -1;
    bool held_ = true;
};

}  // namespace weft
