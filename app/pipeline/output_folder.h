// Creates the missing folders of an output.
#pragma once

#include <filesystem>
#include <string>

namespace weft {

// Creates the parent folders of `output`. The destructor removes those that it created and are
// still empty unless keep() was called, so that a failure leaves no trace.
class OutputFolder {
 public:
    // "-" has no folder. Throws Error(not_written).
    explicit OutputFolder(const std::string& output);
    ~OutputFolder();
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;

    void keep() { first_made_.clear(); }

 private:
    std::filesystem::path folder_;
    std::filesystem::path first_made_;  // the outermost folder that was created; empty: none
};

}  // namespace weft
