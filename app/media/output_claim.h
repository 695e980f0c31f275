// Which of several runs on one machine makes an output.
#pragma once

#include <filesystem>
#include <string>

namespace weft {

// Holds a hidden file in the output's folder locked while it is in scope; the file goes with it.
// For runs that share a list of files and skip what others have done: the lock keeps them from
// doing one file at the same time. Where file systems have no locks, or for other machines, it
// keeps nothing, and the first output to be complete stays.
class OutputClaim {
 public:
    // `output` is a name or a pattern, in a folder that exists.
    explicit OutputClaim(const std::string& output);
    ~OutputClaim();
    OutputClaim(const OutputClaim&) = delete;
    OutputClaim& operator=(const OutputClaim&) = delete;

    // False: another process of this machine is at work on the output.
    bool held() const { return held_; }

 private:
    bool lock();

    std::filesystem::path path_;
    int fd_ = -1;
    bool held_ = true;
};

}  // namespace weft
