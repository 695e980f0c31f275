#include "app/viewer/edit/matrix_facts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <opencv2/core.hpp>

#include "filters/rank_one.h"

namespace weft {
namespace {

std::vector<double> singular_values(const Matrix& matrix) {
    cv::Mat weights(matrix.height, matrix.width, CV_64F);
    std::copy(matrix.weights.begin(), matrix.weights.end(), weights.begin<double>());
    cv::Mat values;
    cv::SVD::compute(weights, values, cv::SVD::NO_UV);
    return {values.begin<double>(), values.end<double>()};
}

int rank_of(const std::vector<double>& values, const Matrix& matrix) {
    const double noise = values.front() * std::max(matrix.width, matrix.height) *
                         static_cast<double>(std::numeric_limits<float>::epsilon());
    return static_cast<int>(
        std::count_if(values.begin(), values.end(), [&](double v) { return v > noise; }));
}

}  // namespace

Taps matrix_taps(const Matrix& matrix) {
    return with_factors(
        dense_taps(matrix.width, matrix.height, {matrix.weights.begin(), matrix.weights.end()}));
}

MatrixFacts matrix_facts(const Matrix& matrix) {
    constexpr double kWholeInFp32 = 1 << 24;
    const Taps taps = matrix_taps(matrix);
    MatrixFacts facts;
    facts.sum = std::accumulate(matrix.weights.begin(), matrix.weights.end(), 0.0);
    facts.absolute_sum = absolute_sum(taps);
    for (double w : matrix.weights) facts.largest = std::max(facts.largest, std::fabs(w));
    facts.singular_values = singular_values(matrix);
    facts.rank = rank_of(facts.singular_values, matrix);
    facts.separable = taps.separable();
    facts.exact_sums = integer_valued(taps) && facts.absolute_sum * 255 < kWholeInFp32;
    return facts;
}

}  // namespace weft
