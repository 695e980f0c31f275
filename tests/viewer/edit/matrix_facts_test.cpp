
#include <cmath>

#include <gtest/gtest.h>

#include "app/viewer/edit/matrix_ops.h"
#include "app/viewer/edit/matrix_paste.h"

namespace weft {
namespace {

struct Row {
    std::string_view matrix;
    double sum, absolute_sum, largest;
    int rank;
    bool separable, exact_sums;
};

constexpr Row kRows[]{
    {"1", 1, 1, 1, 1, true, true},
    {"0 0; 0 0", 0, 0, 0, 0, false, true},
    {"1 2 1; 2 4 2; 1 2 1", 16, 16, 4, 1, true, true},
    {"-1 0 1; -2 0 2; -1 0 1", 0, 8, 2, 1, true, true},
    {"0 -1 0; -1 5 -1; 0 -1 0", 1, 9, 5, 2, false, true},
    {"1 0 0; 0 1 0; 0 0 1", 3, 3, 1, 3, false, true},
    {"0.5 0.25; 0.25 0.125", 1.125, 1.125, 0.5, 1, true, false},
    {"1/3 1/7; 1/9 1/21", 1.0 / 3 + 1.0 / 7 + 1.0 / 9 + 1.0 / 21, 0.63492063, 1.0 / 3, 1, true,
     false},
    {"1 2 3 4 5", 15, 15, 5, 1, true, true},
    {"1000000 1; 0 0", 1000001, 1000001, 1000000, 1, true, false},
};

TEST(ViewerMatrixFacts, Rows) {
    for (const Row& row : kRows) {
        SCOPED_TRACE(row.matrix);
        const MatrixFacts facts = matrix_facts(pasted_matrices(row.matrix).front());
        EXPECT_NEAR(facts.sum, row.sum, 1e-6);
        EXPECT_NEAR(facts.absolute_sum, row.absolute_sum, 1e-6);
        EXPECT_EQ(facts.largest, row.largest);
        EXPECT_EQ(facts.rank, row.rank);
        EXPECT_EQ(facts.separable, row.separable);
        EXPECT_EQ(facts.exact_sums, row.exact_sums);
    }
}

TEST(ViewerMatrixFacts, SingularValuesOfADiagonalAreItsEntries) {
    const MatrixFacts facts = matrix_facts(pasted_matrices("0 0 -7 0; 3 0 0 0; 0 5 0 0").front());
    ASSERT_EQ(facts.singular_values.size(), 3U);
    EXPECT_NEAR(facts.singular_values[0], 7, 1e-12);
    EXPECT_NEAR(facts.singular_values[1], 5, 1e-12);
    EXPECT_NEAR(facts.singular_values[2], 3, 1e-12);
}

// A product of r columns and rows has rank r at every size, whatever the rounding of its weights.
TEST(ViewerMatrixFacts, RankIsThatOfTheProduct) {
    for (int side : {1, 2, 7, 32, 63})
        for (int rank = 0; rank <= std::min(side, 3); ++rank) {
            Matrix matrix = filled_matrix(side, side, 0);
            for (int y = 0; y < side; ++y)
                for (int x = 0; x < side; ++x) {
                    double w = 0;
                    for (int r = 1; r <= rank; ++r) w += std::sin(r * x + 1) * std::cos(r * y + 2);
                    set_weight(matrix, {x, y}, w);
                }
            EXPECT_EQ(matrix_facts(matrix).rank, rank) << side;
        }
}

}  // namespace
}  // namespace weft
