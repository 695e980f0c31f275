#include "app/pipeline/report/durations.h"

#include <algorithm>
#include <cmath>

namespace weft {
namespace {

constexpr double kBinsAnOctave = 70;
constexpr double kShortest = 1e-9;
constexpr double kLongest = 1e6;

int bin_of(double seconds) {
    return static_cast<int>(
        std::floor(std::log2(std::clamp(seconds, kShortest, kLongest)) * kBinsAnOctave));
}

// The geometric mean of the bin's ends, within a factor of 2^(1/140) = 1.00496 of both.
double middle_of(int bin) {
    return std::exp2((bin + 0.5) / kBinsAnOctave);
}

}  // namespace

// Makes room for bins from `bin` up to but excluding `end`.
void Durations::cover(int bin, int end) {
    if (bins_.empty()) first_bin_ = bin;
    if (bin < first_bin_) {
        bins_.insert(bins_.begin(), static_cast<std::size_t>(first_bin_ - bin), 0);
        first_bin_ = bin;
    }
    const auto size = static_cast<std::size_t>(end - first_bin_);
    if (size > bins_.size()) bins_.resize(size);
}

void Durations::include(double smallest, double largest) {
    smallest_ = count_ == 0 ? smallest : std::min(smallest_, smallest);
    largest_ = count_ == 0 ? largest : std::max(largest_, largest);
}

void Durations::add(double seconds) {
    const int bin = bin_of(seconds);
    cover(bin, bin + 1);
    ++bins_[static_cast<std::size_t>(bin - first_bin_)];
    include(seconds, seconds);
    ++count_;
    total_ += seconds;
}

void Durations::merge(const Durations& other) {
    if (other.count_ == 0) return;
    cover(other.first_bin_, other.first_bin_ + static_cast<int>(other.bins_.size()));
    const auto offset = static_cast<std::size_t>(other.first_bin_ - first_bin_);
    for (std::size_t k = 0; k < other.bins_.size(); ++k) bins_[offset + k] += other.bins_[k];
    include(other.smallest_, other.largest_);
    count_ += other.count_;
    total_ += other.total_;
}

double Durations::quantile_seconds(double fraction) const {
    if (count_ == 0) return 0;
    const auto rank = static_cast<std::int64_t>(std::ceil(fraction * static_cast<double>(count_)));
    if (rank <= 1) return smallest_;
    if (rank >= count_) return largest_;
    int bin = first_bin_;
    std::int64_t up_to = 0;
    for (const std::int64_t in_bin : bins_) {
        up_to += in_bin;
        if (up_to >= rank) break;
        ++bin;
    }
    return std::clamp(middle_of(bin), smallest_, largest_);
}

}  // namespace weft
