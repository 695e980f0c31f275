// Reference for many elements of a layer's output, computed by the oracle.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "kernels/layer_problem.h"
#include "tests/bench/work.h"
#include "tests/support/layer_error.h"
#include "tests/support/oracle.h"

namespace weft::bench {

class LayerReference {
 public:
    // `input`: the whole tensor, in the problem's layout. Checks the first and last outputs and
    // random ones, 20,000 or as many as eight million products allow.
    LayerReference(const LayerProblem& problem, std::span<const float> input);

    // Indices into the output tensor.
    const std::vector<std::size_t>& places() const { return places_; }

    // `got`: the outputs at places(). Empty if all are within the bound, which is widened by the
    // allowance's arithmetic and by `relative` times Σ|w x|; otherwise which, got and want.
    std::string why_wrong(const Allowance& allowance, std::span<const double> got) const;

 private:
    struct Right {
        oracle::Interval interval;
        double absolute = 0;  // Σ|w x|
    };

    std::vector<std::size_t> places_;
    test::LayerError error_;
    std::vector<Right> right_;
    double step_ = 0;  // a result's relative step: half precision
};

}  // namespace weft::bench
