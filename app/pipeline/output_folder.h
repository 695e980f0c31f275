// The folders of an output, made when they are missing.
#pragma once

#include <filesystem>
#include <string>

namespace weft {

// Makes the folders that `output` lies in. Those that were made and are still empty go again with
// this object unless keep() was called, so that a failure leaves no trace.
class OutputFolder {
 public:
    // "-" has none. Throws Error(not_written).
    explicit OutputFolder(const std::string& output);
    ~OutputFolder();
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;

    void keep() { first_made_.clear(); }

 private:
    std::filesystem::path folder_;
    std::filesystem::path first_made_;  // the outermost folder that was made; empty: none
};

}  // namespace weft
