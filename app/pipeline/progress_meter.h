// Progress and speed of a batch: numbers only, without a clock of its own and without output.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/pipeline/file_job.h"

namespace weft {

struct BatchPace {
    std::size_t files_done = 0;
    std::int64_t frames = 0;            // for all files so far
    double fps = 0;                     // frames per second of work, not counting those taken over
    double speed = 0;                   // seconds of media per second of work
    std::optional<double> fraction;     // 0..1; unknown while the length of a running file is
    std::optional<double> eta_seconds;  // unknown with the fraction, and before any work
};

// One thread at a time may use a ProgressMeter.
class ProgressMeter {
 public:
    explicit ProgressMeter(std::size_t files) : files_(files) {}

    void update(std::size_t file, const FileProgress& progress);
    void finish(std::size_t file);
    // `elapsed_seconds` since the start of the batch.
    BatchPace pace(double elapsed_seconds) const;

 private:
    struct File {
        FileProgress progress;
        bool started = false;
        bool done = false;
    };
    std::optional<double> fraction() const;
    double fraction_taken_over() const;  // relative to all that fraction() counts

    std::vector<File> files_;
};

}  // namespace weft
