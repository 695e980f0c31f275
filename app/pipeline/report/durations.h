// Statistics of a duration measured once per frame, over a run of any length.
#pragma once

#include <cstdint>
#include <vector>

namespace weft {

// Count, total, smallest and largest are exact; in between, durations are counted in bins, 70 per
// octave, so that a quantile is off by at most 0.5 % of itself. Holds 8 bytes for each bin between
// the smallest and the largest duration: 4 KB if the ratio is a hundred, never more than 28 KB.
// Durations below 1 ns count as 1 ns, those above 11 days as 11 days.
// Not thread-safe.
class Durations {
 public:
    // Allocates only for a duration outside the range of the earlier ones.
    void add(double seconds);
    void merge(const Durations& other);

    std::int64_t count() const { return count_; }
    double total_seconds() const { return total_; }
    // The smallest duration such that `fraction` of all are not larger (nearest rank); 0 without
    // any. `fraction` is in 0..1.
    double quantile_seconds(double fraction) const;
    double median_seconds() const { return quantile_seconds(0.5); }
    double p95_seconds() const { return quantile_seconds(0.95); }

 private:
    void cover(int bin, int end);
    void include(double smallest, double largest);

    std::vector<std::int64_t> bins_;
    int first_bin_ = 0;  // of bins_.front()
    std::int64_t count_ = 0;
    double total_ = 0;
    double smallest_ = 0;
    double largest_ = 0;
};

}  // namespace weft
