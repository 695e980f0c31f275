// Random numbers for one case of a table: reproducible, and different from its neighbours in every
// respect.
#pragma once

#include <cstdint>
#include <iterator>
#include <random>

namespace weft::test {

class Dice {
 public:
    explicit Dice(std::uint32_t seed) : random_(seed * 2654435761U + 1) {}
    int below(int n) { return static_cast<int>(random_() % static_cast<std::uint32_t>(n)); }
    double fraction() { return static_cast<double>(random_()) / 4294967296.0; }
    template <class Range>
    const auto& of(const Range& range) {
        return range[below(static_cast<int>(std::size(range)))];
    }

 private:
    std::mt19937 random_;
};

}  // namespace weft::test
