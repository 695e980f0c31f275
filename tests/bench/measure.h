// Proves every contender of a case correct, then times it.
#pragma once

#include <string>
#include <vector>

#include "tests/bench/suites.h"
#include "tests/bench/timing.h"

namespace weft::bench {

struct Measurement {
    std::string case_name;
    std::string series = {};
    int size = 0;
    std::string kernel;  // a contender's name, or "copy": moving the same bytes
    bool peer = false;
    bool planned = false;  // the planner would take it
    std::string note = {};
    std::string why_not = {};  // not timed: the row's own reason, or the error in its result
    bool wrong = false;        // `why_not` is an error
    Timing cold = {};          // buffers rotated over more than twice any L2 cache
    Timing hot = {};           // one input and one output; as cold for rows on the host
    Cost floor = {};           // the least that any method moves and computes

    bool timed() const { return why_not.empty(); }
};

// The contenders to measure; empty: all. "npp" names all "npp/…".
using Wanted = std::vector<std::string>;

// The copy first, then the contenders in order. A contender that throws is reported as wrong.
std::vector<Measurement> measure_case(const BenchCase& c, const Device& device,
                                      const Wanted& wanted, const Effort& effort);

}  // namespace weft::bench
