// One measured unit of the benchmark and its contenders.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/conv_kernel.h"
#include "tests/bench/timing.h"

namespace weft::bench {

// Allowed deviation of a result from the true value, in addition to the rounding of fp32 sums.
struct Allowance {
    Arithmetic arithmetic = Arithmetic::fp32;
    double relative = 0;  // times Σ|w x|: a peer's own products (TF32, half)
    double steps = 0;     // of the output: a peer's own rounding
    int margin = 0;       // pixels along the edge that are not compared: another border
};

struct Contender {
    std::string name;  // a row's name, or "npp/filter_border_f32"
    bool peer = false;
    bool planned = false;  // the planner would take it
    MemorySpace space = MemorySpace::device;
    Allowance allowance = {};
    ConvProblem (*solves)(const ConvProblem&) = nullptr;  // in place of the work's own problem
    std::string note = {};                                // for the reader: "interior compared"
    std::string why_not = {};                             // empty: can run; else a sentence
    // Uploads, selects and warms up everything that a launch needs; the result may be called any
    // number of times while the work lives. May report its choice in `note`. Throws.
    std::function<Enqueue(std::string& note)> prepare = {};
};

// Buffers, the reference, and the minimum of data and computation for any method. Lives on one
// device; not thread-safe.
class Work {
 public:
    Work() = default;
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    virtual ~Work() = default;

    virtual Cost floor() const = 0;
    virtual std::vector<Contender> contenders() = 0;
    virtual std::size_t sets() const = 0;  // of buffers, on the device
    // Moves one set's input bytes to its output: the minimum cost of the work.
    virtual void copy(std::size_t set, StreamView stream) = 0;
    // Fills the first set's output, so that samples that a contender skips are detected.
    virtual void poison(MemorySpace space, StreamView stream) = 0;
    // Compares the first set's output with a naive sum in double at many places; blocks. Empty if
    // all are within the contender's bound; otherwise where, got and want.
    virtual std::string why_wrong(const Contender& contender, StreamView stream) = 0;
};

}  // namespace weft::bench
