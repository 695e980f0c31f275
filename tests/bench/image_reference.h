// Reference for an image convolution at many places: naive sums in double, without kernel code.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/conv_problem.h"
#include "tests/bench/work.h"

namespace weft::bench {

struct Place {
    int x = 0, y = 0, channel = 0;
};

class ImageReference {
 public:
    // `src` is on the host. Checks the corners, the last row and column, and 20,000 random places
    // (2,000 for taps above 63 × 63).
    ImageReference(const ConvProblem& problem, const ImageView& src);

    const std::vector<Place>& places() const { return places_; }

    // `got`: the result at places(). Empty if all are within the bound; otherwise where, got, want.
    std::string why_wrong(const Allowance& allowance, std::span<const double> got) const;

 private:
    struct Sum {
        double value = 0, absolute = 0, weights = 0;  // Σwx, Σ|wx|, Σ|w|
    };
    Sum sum_at(const Taps& taps, const ImageView& src, const Place& at) const;
    // The sum over the place's channel, or over all channels.
    Sum sum_of_set(std::size_t set, const ImageView& src, Place at) const;

    ConvProblem problem_;
    std::vector<Place> places_;
    std::vector<Sum> sums_;  // places × tap sets
    double largest_ = 0;     // see largest_sample
};

// A sample of an image on the host, as a number.
double sample_value(const std::byte* at, PixelType type);

}  // namespace weft::bench
