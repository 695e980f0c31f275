// The GPU's clock and power while a race took its samples: a kernel is not blamed for samples that
// a slowed GPU took.
#pragma once

#include <cstdint>
#include <deque>

#include "app/viewer/screen/gpu_watch.h"

namespace weft {

class RaceClocks {
 public:
    // What the GPU did while the samples up to number `samples` were taken.
    struct Entry {
        std::int64_t samples = 0;
        GpuReading reading;
    };

    // `samples` is the number of samples of each kernel so far. A reading without new samples is
    // left out, because the clock of an idle GPU explains none of them. Fewer samples than before
    // are those of another race, so the older readings are forgotten.
    void note(const GpuWatch::View& view, std::int64_t samples);

    // Those of the newest RaceRounds::kWindow samples, from the oldest to the newest.
    const std::deque<Entry>& entries() const { return entries_; }

 private:
    std::deque<Entry> entries_;
    std::int64_t samples_ = 0;  // of the last call
    std::int64_t readings_ = 0;
};

}  // namespace weft
