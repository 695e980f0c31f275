// The suites of weft-bench, in one table. Cases are added here and nowhere else.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/bench/limits.h"
#include "tests/bench/work.h"

namespace weft::bench {

struct BenchCase {
    std::string name;    // "u8 gray 5×5"
    std::string series;  // what a plot shows against `size`: "u8 gray"; may be empty
    int size = 0;        // side of the taps
    std::function<std::unique_ptr<Work>(const Device&)> open;
};

struct Suite {
    std::string_view name;
    std::string_view summary;
    bool needs_gpu = true;
    // Limits to measure in addition to the cases; null for none.
    std::vector<Limit> (*limits)(const Device&, const Effort&) = nullptr;
    // One of the two. Each seed draws other problems.
    std::vector<BenchCase> (*cases)() = nullptr;
    std::vector<BenchCase> (*random_cases)(unsigned seed) = nullptr;
};

std::span<const Suite> suites();

std::vector<BenchCase> cases_of(const Suite& suite, unsigned seed);

// Null if no suite has that name.
const Suite* find_suite(std::string_view name);

}  // namespace weft::bench
