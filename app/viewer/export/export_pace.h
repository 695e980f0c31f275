// The speed of a running export, and the time that it still needs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace weft {

// Made of recorded progress, without a clock of its own. Not thread-safe.
class ExportPace {
 public:
    // `seconds` of work since the start, without pauses; `frames` filtered and encoded since then.
    void add(double seconds, std::int64_t frames);
    // Frames per second in the second half of the time so far: opening the file, starting the
    // encoder and filling its queue of frames would make a short export look slow. Nothing before
    // the second half has frames.
    std::optional<double> fps() const;
    // For `frames` more; nothing without fps().
    std::optional<double> seconds_for(std::int64_t frames) const;

 private:
    struct Point {
        double seconds = 0;
        std::int64_t frames = 0;
    };
    static constexpr std::size_t kMost = 512;  // then every second one is forgotten

    std::vector<Point> points_;
    Point last_;
};

}  // namespace weft
