// One axis of a Gaussian at two rates: at which samples of the picture the low ones lie, and the
// weights of the three sums that lead there and back. Internal to kernels/.
#pragma once

#include <cstddef>
#include <vector>

#include "filters/operation.h"
#include "kernels/conv_problem.h"

namespace weft {

// Sums of neighbouring rows, each with weights of its own. Rows may lie beyond the ends of what is
// summed: those that the border puts there.
struct RowSums {
    static constexpr int kGroup = 4;  // sums that share the rows they load

    struct Group {
        int first = 0;         // row
        int rows = 0;          // that any sum of the group needs
        std::size_t taps = 0;  // where its weights begin: kGroup of each row, 0 where not needed
    };
    std::vector<Group> groups;
    std::vector<float> taps;
    int begin = 0;  // all rows that are needed: begin..end-1
    int end = 0;
};

// Sums of `window` neighbouring low rows each, for the rows of the picture.
struct RowsBetween {
    static constexpr int kMostRows = 16;

    // Rows that lie between the same low rows.
    struct Run {
        int row = 0;
        int count = 0;  // up to kMostRows
        int first = 0;  // low row
    };
    int window = 0;
    std::vector<Run> runs;
    std::vector<float> taps;  // `window` of each row
    int begin = 0;            // all low rows that are needed: begin..end-1
    int end = 0;
};

// How finely a Gaussian is computed. Lengths are in low samples, or in standard deviations of the
// Gaussian that is cut there.
struct TwoRates {
    double part = 0;        // the standard deviation of the Gaussian before and after
    double reach_down = 0;  // of the one before
    double reach_blur = 0;  // of the one between
    int window = 0;         // low samples of the one after
    double least = 0;       // the standard deviation of the whole Gaussian is at least this
    double most_step = 0;   // pixels from one low sample to the next, at most
};

// Both axes err by at most 0.2 level of 8 bits, and by 6e-7 of the range of other samples.
TwoRates two_rates_for(PixelType type);

// Gaussians of a smaller standard deviation are summed at the picture's rate.
constexpr float kLeastTwoRateSigma = 4;

struct TwoRateAxis {
    int length = 0;  // pixels
    int low = 0;     // low samples: `low` positions, `step` pixels apart
    double step = 1;
    Border border = Border::replicate;      // of the picture
    Border low_border = Border::replicate;  // of the low samples
    RowSums down;                           // from the picture's rows to low ones
    RowSums blur;                           // of low rows
    RowsBetween up;                         // from low rows to the picture's
};

// `factors` around `anchor` are used if sigma is smaller than kLeastTwoRateSigma.
TwoRateAxis two_rate_axis(int length, Border border, float sigma, const std::vector<float>& factors,
                          int anchor, const TwoRates& rates);

}  // namespace weft
