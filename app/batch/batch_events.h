// Output of a batch while it runs: a bar on a terminal, one line per file elsewhere, or JSON lines.
#pragma once

#include <cstddef>
#include <new>
#include <string>

#include "app/pipeline/file_job.h"

namespace weft {

// How the files of a batch ended.
struct BatchTally {
    std::size_t done = 0;
    std::size_t skipped = 0;
    std::size_t damaged = 0;
    std::size_t failed = 0;
    std::size_t stopped = 0;  // not finished when a signal ended the run
    double seconds = 0;
};

// Files are identified by their number, 0 to count - 1. Thread-safe: called by the threads that run
// the files. In a batch of several files, errors are printed as they occur; a single file's error
// is left to the program's last line.
class BatchEvents {
 public:
    BatchEvents() = default;
    BatchEvents(const BatchEvents&) = delete;
    BatchEvents& operator=(const BatchEvents&) = delete;
    virtual ~BatchEvents() = default;

    virtual void begin(std::size_t files) = 0;
    virtual void file_begin(std::size_t file, const std::string& input,
                            const std::string& output) = 0;
    // The file starts again, on another device or later, because of `why`.
    virtual void file_moved(std::size_t file, const std::string& input, const std::string& why) = 0;
    virtual void file_progress(std::size_t file, const FileProgress& progress) = 0;
    virtual void file_end(std::size_t file, const FileResult& result) = 0;
    // Reports the progress immediately, in any mode.
    virtual void progress_requested() = 0;
    virtual void end(Outcome outcome, const BatchTally& tally) = 0;
};

// Runs `line`, which prints something. Running out of memory for a line does not fail the file,
// whose output may already have its name.
template <class Line>
void print_event(const Line& line) {
    try {
        line();
    } catch (const std::bad_alloc&) {
        return;
    }
}

}  // namespace weft
