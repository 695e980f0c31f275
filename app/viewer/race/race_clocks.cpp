#include "app/viewer/race/race_clocks.h"

#include "app/viewer/race/race_rounds.h"

namespace weft {

void RaceClocks::note(const GpuReading& reading, std::int64_t number, std::int64_t samples) {
    if (samples < samples_) entries_.clear();
    samples_ = samples;
    const std::int64_t noted = entries_.empty() ? 0 : entries_.back().samples;
    if (number != number_ && samples > noted) {
        entries_.push_back({samples, reading});
        number_ = number;
    }
    constexpr auto kWindow = static_cast<std::int64_t>(RaceRounds::kWindow);
    while (!entries_.empty() && entries_.front().samples <= samples - kWindow) entries_.pop_front();
}

}  // namespace weft
