#include "app/viewer/race/roofline.h"

#include <algorithm>
#include <limits>

namespace weft {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Range {
    double least = kInfinity;
    double most = 0;

    void take(double value) {
        if (value <= 0) return;
        least = std::min(least, value);
        most = std::max(most, value);
    }
    LogAxis axis() const {
        constexpr double kSpan = 10;
        constexpr double kRoom = 2;  // around points and labels
        return axis_around(least / kRoom, most * kRoom, kSpan);
    }
};

}  // namespace

double roof_at(double intensity, double bytes_per_second, double operations_per_second) {
    const double memory = bytes_per_second > 0 ? intensity * bytes_per_second : kInfinity;
    const double arithmetic = operations_per_second > 0 ? operations_per_second : kInfinity;
    return std::min(memory, arithmetic);
}

Roofline roofline_of(const RaceSnapshot& snapshot, std::span<const RaceRow> rows) {
    const StepResult& step = snapshot.step;
    Roofline roofline;
    roofline.peak = step.peak;
    if (const double seconds = step.copy.median_seconds(); seconds > 0)
        roofline.copy_bytes = step.bytes / seconds;
    Range intensities;
    Range rates;
    for (const RaceRow& row : rows) {
        const double operations = step.kernels[row.index].operations;
        if (!row.races || !row.measured() || operations <= 0) continue;
        const RooflinePoint point{row.index, operations / step.bytes,
                                  operations / row.median_seconds, operations / row.p5_seconds,
                                  operations / row.p95_seconds};
        roofline.points.push_back(point);
        intensities.take(point.intensity);
        rates.take(point.fastest);
        rates.take(point.slowest);
    }
    if (roofline.points.empty()) return roofline;
    const DevicePeak& peak = roofline.peak;
    for (const double operations : {peak.operations, peak.half_operations}) {
        if (peak.bytes > 0) intensities.take(operations / peak.bytes);
        rates.take(operations);
    }
    roofline.intensities = intensities.axis();
    roofline.rates = rates.axis();
    return roofline;
}

}  // namespace weft
