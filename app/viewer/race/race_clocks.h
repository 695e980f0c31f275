// The GPU's clock and power while a race took its samples: a kernel is not blamed for samples that
// a slowed GPU took.
#pragma once

#include <cstdint>
#include <deque>

#include "kernels/device/gpu_monitor.h"

namespace weft {

class RaceClocks {
 public:
    // The GPU's state while the samples up to number `samples` were taken.
    struct Entry {
        std::int64_t samples = 0;
        GpuReading reading;
    };

    // `number` counts the readings, and 0 is none; `samples` is the number of samples of each
    // kernel so far. A reading without new samples is left out, because the clock of an idle GPU
    // explains none of them. Fewer samples than before are those of another race, so the older
    // readings are forgotten.
    void note(const GpuReading& reading, std::int64_t number, std::int64_t samples);

    // Those of the newest RaceRounds::kWindow samples, from the oldest to the newest.
    const std::deque<Entry>& entries() const { return entries_; }

 private:
    std::deque<Entry> entries_;
    std::int64_t samples_ = 0;  // of the last call
    std::int64_t number_ = 0;   // of the last entry
};

}  // namespace weft
