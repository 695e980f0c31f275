#include "app/viewer/edit/matrix_paste.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/viewer/edit/matrix_edit.h"
#include "filters/text/text_error.h"

namespace weft {
namespace {

struct Row {
    std::string_view pasted;
    std::string_view matrices;  // joined by " | "
};

constexpr Row kRows[]{
    {"0 -1 0; -1 5 -1; 0 -1 0", "0 -1 0; -1 5 -1; 0 -1 0"},
    {"1/9 1/9\n1/9 1/9 # a box",
     "0.1111111111111111 0.1111111111111111; 0.1111111111111111 "
     "0.1111111111111111"},
    {"1 2 1 2 4 2 1 2 1", "1 2 1; 2 4 2; 1 2 1"},
    {"1 2 1", "1 2 1"},
    {"1\n2\n1", "1; 2; 1"},
    {"1 2; 3 4 | 5 6; 7 8", "1 2; 3 4 | 5 6; 7 8"},
    {"1\t2\t3\r\n4\t5\t6\r\n", "1 2 3; 4 5 6"},
    {"1,2,3\n4,5,6\n", "1 2 3; 4 5 6"},
    {"1, 2, 3,\n4, 5, 6,\n", "1 2 3; 4 5 6"},
    {"0,5;1;0,5\n1;2;1\n0,5;1;0,5", "0.5 1 0.5; 1 2 1; 0.5 1 0.5"},
    {"1 2;\n3 4", "1 2; 3 4"},
    {"[[1, 2, 1], [2, 4, 2]]", "1 2 1; 2 4 2"},
    {"[1, 2, 1, 2, 4, 2, 1, 2, 1]", "1 2 1; 2 4 2; 1 2 1"},
    {"[[ 0. -1.  0.]\n [-1.  5. -1.]\n [ 0. -1.  0.]]", "0 -1 0; -1 5 -1; 0 -1 0"},
    {"array([[1., 2.],\n       [3., 4.]], dtype=float32)", "1 2; 3 4"},
    {"np.array([[1e-3, -2E2], [.5, +4]])", "0.001 -200; 0.5 4"},
    {"torch.tensor([[1., 2.], [3., 4.]], device='cuda:0', dtype=torch.float64)", "1 2; 3 4"},
    {"[[[1, 2], [3, 4]], [[5, 6], [7, 8]], [[9, 9], [9, 9]]]", "1 2; 3 4 | 5 6; 7 8 | 9 9; 9 9"},
    {"const float k[2][3] = {\n    {1.0f, 0.5f, 1.f},\n    {-1.0f, .25f, 2}\n};",
     "1 0.5 1; -1 "
     "0.25 2"},
    {"[1 2 3\n 4 5 6\n 7 8 9]", "1 2 3; 4 5 6; 7 8 9"},
    {"  7 ", "7"},
};

TEST(ViewerMatrixPaste, ReadsSpreadsheetsNumpyAndC) {
    for (const Row& row : kRows) {
        SCOPED_TRACE(row.pasted);
        std::string text;
        for (const Matrix& matrix : pasted_matrices(row.pasted))
            text += (text.empty() ? "" : " | ") + matrix_text(matrix);
        EXPECT_EQ(text, row.matrices);
    }
}

// Any clipboard text gives a matrix or an error message, quickly.
TEST(ViewerMatrixPaste, ReadsLongTexts) {
    for (const char* piece : {"1;", "a", "f", "=", ",a=", "[", "]", "[1", "1]", "1 ", "1\n", ";",
                              "|", "1;2\n", "{{1,2},", ", x = 1f", "\n", "#", "1,"}) {
        std::string text = "[1, 2";
        for (int repeat = 0; repeat < 2; ++repeat, text.clear()) {
            while (text.size() < 1'000'000) text += piece;
            try {
                EXPECT_LE(pasted_matrices(text).size(), 4U) << piece;
            } catch (const TextError& error) {
                EXPECT_STRNE(error.what(), "") << piece;
            }
        }
    }
}

struct Refusal {
    std::string pasted;
    std::string_view why;
};

const Refusal kRefusals[]{
    {"", "empty"},
    {"[[]]", "empty"},
    {"hello", "number"},
    {"[[1, nan], [2, 3]]", "number"},
    {"1 2\n3", "row 2 has 1 numbers"},
    {"[[1, 2], [3]]", "row 2 has 1 numbers"},
    {"1|2|3|4|5", "more than 4 matrices"},
    {"1 2e10\n3 4", "outside"},
    {std::string(2 << 20, '1'), "1 MiB"},
    {[] {
         std::string wide;
         for (int k = 0; k < 65; ++k) wide += "1\t";
         return wide + "\n" + wide;
     }(),
     "at most 63"},
};

TEST(ViewerMatrixPaste, ReportsWhyTextIsRefused) {
    for (const Refusal& row : kRefusals) {
        SCOPED_TRACE(row.pasted.substr(0, 40));
        try {
            pasted_matrices(row.pasted);
            ADD_FAILURE() << "was taken";
        } catch (const TextError& error) {
            EXPECT_THAT(error.what(), testing::HasSubstr(std::string(row.why)));
        }
    }
}

}  // namespace
}  // namespace weft
