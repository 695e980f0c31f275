// Durations of something that happens once a frame, in bounded memory.
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

    void add(double seconds);
    // Adds what `other` counted; where both kept a subset, the union is a subset of the same kind.
    void merge(const Samples& other);

    std::int64_t count() const { return count_; }
    double total_seconds() const { return total_; }
    // The smallest kept sample such that `fraction` of all samples are not larger (nearest rank);
    // 0 without samples. `fraction` lies in 0..1.
    double quantile_seconds(double fraction) const;
    double median_seconds() const { return quantile_seconds(0.5); }
    double p95_seconds() const { return quantile_seconds(0.95); }

 private:
    std::vector<double> kept_;
    std::int64_t count_ = 0;
    double total_ = 0;
    std::minstd_rand random_{1};
};

}  // namespace weft
