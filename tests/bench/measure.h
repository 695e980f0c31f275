// Times one kernel row on one case.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/conv_kernel.h"
#include "kernels/image_buffer.h"
#include "tests/bench/bench_cases.h"

namespace weft::bench {

// Seconds of one launch over the samples taken; a sample is a graph of several launches.
struct Timing {
    double median = 0;
    double p95 = 0;
    int samples = 0;
    int launches_per_sample = 0;
};

struct Measurement {
    std::string case_name;
    std::string kernel;   // a row's name, or "copy": moving the same bytes within the device
    std::string why_not;  // not timed: the row's own reason, or what is wrong with its result
    bool wrong = false;   // `why_not` is an error
    Timing cold;          // buffers rotated over more than twice any L2 cache
    Timing hot;           // one input and one output
    double bytes = 0;     // read once plus written once
};

struct Effort {
    int samples = 50;
    int warm_up = 5;  // samples thrown away
};

// Images of one case: a host source, and device pairs of more than 120 MB in all.
class BenchImages {
 public:
    explicit BenchImages(const ConvProblem& problem);

    struct Pair {
        ImageBuffer src, dst;
    };
    const std::vector<Pair>& pairs() const { return pairs_; }
    const ImageView& source() const { return source_.view(); }
    // The first pair's output on the host; blocks.
    const ImageView& download(StreamView stream);

 private:
    ImageBuffer source_;
    ImageBuffer result_;
    std::vector<Pair> pairs_;
};

Measurement measure_copy(const BenchCase& c, BenchImages& images, const Effort& effort);
Measurement measure_row(const ConvKernel& row, const Device& device, const BenchCase& c,
                        BenchImages& images, const Effort& effort);

}  // namespace weft::bench
