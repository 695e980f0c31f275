// Permissions and free space of the output folders, found without writing: for --dry-run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "app/pipeline/size_estimate.h"

namespace weft {

// A file system, and the space that the outputs need on it.
struct OutputPlace {
    dev_t device = 0;
    std::string folder;  // the first output's there, or the folder above it that exists
    std::int64_t free_bytes = 0;
    std::int64_t needed_bytes = 0;
    int unknown_sizes = 0;  // outputs without an estimate
};

class OutputPlaces {
 public:
    // Throws Error(not_written) if the output could not be created: its folder is read-only, or
    // would have to be made in one that is, or below a file.
    void add(const std::string& output, const std::optional<SizeEstimate>& size);

    const std::vector<OutputPlace>& list() const { return places_; }

 private:
    std::vector<OutputPlace> places_;
};

// "out: writable, 12.3 GB free, about 3.2 GB needed\n", one line per place, and a warning if more
// is needed than is free.
std::string places_text(const std::vector<OutputPlace>& places);

}  // namespace weft
