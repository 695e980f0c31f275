// Durations to compare with each other, in bounded memory. Reports on a run need less: Durations.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace weft {

// Keeps every sample up to kKept; after that an evenly drawn subset of all samples so far
// (reservoir sampling with a fixed seed, so that equal input gives equal numbers). Count and total
// are always exact. 4096 samples put the median within 1 % of rank and p95 within 0.4 %.
// Not thread-safe.
class Samples {
 public:
    static constexpr std::size_t kKept = 4096;

    Samples() = default;
    // Keeps the newest `window` samples instead of a subset of all; quantiles are of these.
    static Samples latest(std::size_t window);
    // Stands for samples that are not stored. Each quantile is the nearest of these three, and the
    // total is that of samples as long as the median.
    static Samples summary(std::int64_t count, double p5, double median, double p95);

    void add(double seconds);

    std::int64_t count() const { return count_; }
    double total_seconds() const { return total_; }
    // The smallest kept sample such that `fraction` of all samples are not larger (nearest rank); 0
    // without samples. `fraction` is in 0..1.
    double quantile_seconds(double fraction) const;
    double median_seconds() const { return quantile_seconds(0.5); }
    double p95_seconds() const { return quantile_seconds(0.95); }

    // For latest(), from the oldest to the newest; otherwise in no particular order.
    std::vector<double> kept() const;

 private:
    std::vector<double> kept_;
    std::int64_t count_ = 0;
    double total_ = 0;
    std::size_t window_ = 0;  // 0: a subset of all
    std::minstd_rand random_{1};
};

}  // namespace weft
