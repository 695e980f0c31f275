// A logarithmic axis of a plot, and its ticks.
#pragma once

#include <string>
#include <vector>

namespace weft {

struct LogAxis {
    double least = 1;
    double most = 10;  // above `least`, which is above 0

    // From 0 at `least` to 1 at `most`; beyond for values outside.
    double share(double value) const;
    // The same, from 0 to 1.
    double clamped_share(double value) const;
};

// The values with a margin. The axis spans a factor of `span` at least, so that noise does not fill
// the plot. `least` and `most` are above 0.
LogAxis axis_around(double least, double most, double span);

struct Tick {
    double value = 0;
    bool labelled = false;
};
// At 1, 2 and 5 of each decade, and labels where they have room: `label_share` is that of a label
// and its gap. Along an axis of more than a few decades, decades alone.
std::vector<Tick> ticks_of(const LogAxis& axis, double label_share);

// "5 µs", "20 ms", "1 s": a value of a tick.
std::string tick_text_of_seconds(double seconds);

}  // namespace weft
