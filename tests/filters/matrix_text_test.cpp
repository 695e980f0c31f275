#include "filters/matrix_text.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "filters/text/text_error.h"

namespace weft {
namespace {

Matrix one(std::string_view text, MatrixShape shape = MatrixShape::automatic, int width = 0) {
    return shape_matrix(parse_matrices(text).at(0), shape, width);
}

TEST(FiltersMatrixText, EverySeparatorMeansTheSame) {
    const Matrix want{.width = 3, .height = 2, .weights = {1, -2, 3, 4, 5, 0.5}};
    for (std::string_view text :
         {"1 -2 3; 4 5 0.5", "1,-2,3;4,5,1/2", "1 -2 3\n4 5 .5", "1 -2 3\r\n4 5 0.5\r\n",
          "\n 1\t-2 , 3 ;\n\n 4 5 0.5 ;\n", "# rows\n1 -2 3 # first\n4 5 0.5", "1 -2 3;4 5 0.5;"})
        EXPECT_EQ(one(text), want) << text;
}

TEST(FiltersMatrixText, FlatListsAreSquareUnlessTheShapeIsGiven) {
    EXPECT_EQ(one("1 2 3 4").width, 2);
    EXPECT_EQ(one("7").width, 1);
    EXPECT_EQ(one("1 2 3 4", MatrixShape::row).height, 1);
    EXPECT_EQ(one("1 2 3 4", MatrixShape::column).width, 1);
    EXPECT_EQ(one("1 2 3 4 5 6", MatrixShape::automatic, 3).height, 2);
    EXPECT_EQ(one("1 2 3 4 5 6", MatrixShape::automatic, 2).height, 3);
}

TEST(FiltersMatrixText, SeveralMatrices) {
    const auto matrices = parse_matrices("1 2; 3 4 | 5 | 6 7 8 9");
    ASSERT_EQ(matrices.size(), 3U);
    EXPECT_EQ(matrices[1].rows, (std::vector<std::vector<double>>{{5}}));
    EXPECT_EQ(print_matrices(matrices), "1 2; 3 4 | 5 | 6 7 8 9");
    EXPECT_EQ(parse_matrices(print_matrices(matrices)), matrices);
}

TEST(FiltersMatrixText, LargestMatrix) {
    std::string text;
    for (int k = 0; k < 63 * 63; ++k) text += "1 ";
    EXPECT_EQ(one(text).width, 63);
    EXPECT_THROW(parse_matrices(text + "1"), TextError);
    EXPECT_EQ(parse_matrices(text + "|" + text + "|" + text + "|" + text).size(), 4U);
}

struct Bad {
    std::string_view text;  // '^' precedes the byte at fault
    MatrixShape shape = MatrixShape::automatic;
    int width = 0;
};

TEST(FiltersMatrixText, MistakesHaveAPosition) {
    using enum MatrixShape;
    for (const Bad& bad : {
             Bad{"^"},
             {" ^"},
             {"\n \n^"},
             {"^;1"},
             {"1;^;2"},
             {"1;\n^;2"},
             {"^,1"},
             {"1,^,2"},
             {"1,^;2"},
             {"1,^"},
             {"1,^\n2"},
             {"1 ^x 2"},
             {"1 2^x"},
             {"1 ^1e10"},
             {"1 ^nan"},
             {"1|^"},
             {"^|1"},
             {"1||"},
             {"1|2|3|4^|5"},
             {"1 2;^3"},
             {"1 2;3 4;^5 6 7"},
             {"^1 2 3"},
             {"^1 2 3 4", automatic, 3},
             {"^1 2;3 4", automatic, 3},
             {"^1 2", square},
             {"^1 2 3;4 5 6", square},
             {"^1 2;3 4", row},
             {"^1 2;3 4", column},
             {"1 0/^0"},
             {"# only a comment^"},
         }) {
        std::string text(bad.text);
        std::size_t want = text.find('^');
        if (want == std::string::npos) {
            want = 2;  // "1||": the second bar
        } else {
            text.erase(want, 1);
        }
        try {
            shape_matrix(parse_matrices(text).at(0), bad.shape, bad.width);
            ADD_FAILURE() << "accepted " << bad.text;
        } catch (const TextError& error) {
            EXPECT_EQ(error.offset(), want) << bad.text << ": " << error.what();
        }
    }
}

TEST(FiltersMatrixText, SidesAreLimited) {
    std::string row;
    for (int k = 0; k < 64; ++k) row += "1 ";
    EXPECT_THROW(one(row, MatrixShape::row), TextError);
    EXPECT_THROW(one(row, MatrixShape::column), TextError);
    EXPECT_EQ(one(row).width, 8);
    EXPECT_THROW(one(row + ";" + row), TextError);
}

}  // namespace
}  // namespace weft
