#include "app/viewer/race/log_axis.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include <fmt/format.h>

namespace weft {

double LogAxis::share(double value) const {
    return std::log(value / least) / std::log(most / least);
}

double LogAxis::clamped_share(double value) const {
    return value > 0 ? std::clamp(share(value), 0.0, 1.0) : 0.0;
}

LogAxis axis_around(double least, double most, double span) {
    constexpr double kMargin = 1.08;
    const double missing = std::max(span / (most / least * kMargin * kMargin), 1.0);
    const double margin = kMargin * std::sqrt(missing);
    return {least / margin, most * margin};
}

std::vector<Tick> ticks_of(const LogAxis& axis, double label_share) {
    constexpr double kDecadesWithSteps = 4;
    const bool steps = std::log10(axis.most / axis.least) <= kDecadesWithSteps;
    std::vector<Tick> ticks;
    const int first = static_cast<int>(std::floor(std::log10(axis.least)));
    const int last = static_cast<int>(std::ceil(std::log10(axis.most)));
    for (int power = first; power <= last; ++power)
        for (const int step : {1, 2, 5}) {
            const double value = step * std::pow(10.0, power);
            if (value < axis.least || value > axis.most || (step > 1 && !steps)) continue;
            ticks.push_back({value, false});
        }
    double free = 0;  // the first share where a label may begin
    for (Tick& tick : ticks) {
        const double begin = axis.share(tick.value) - label_share / 2;
        tick.labelled = begin >= free && begin + label_share <= 1;
        if (tick.labelled) free = begin + label_share;
    }
    return ticks;
}

std::string tick_text_of_seconds(double seconds) {
    // A tick of 1 ms may be computed as slightly less.
    constexpr double kAlmost = 1 - 1e-9;
    if (seconds < 1e-6 * kAlmost) return fmt::format("{:.0f} ns", seconds * 1e9);
    if (seconds < 1e-3 * kAlmost) return fmt::format("{:.0f} µs", seconds * 1e6);
    if (seconds < kAlmost) return fmt::format("{:.0f} ms", seconds * 1e3);
    return fmt::format("{:.0f} s", seconds);
}

}  // namespace weft
