// Banks of matrices from a file against sums made from the definition.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <gtest/gtest.h>

#include "filters/stack.h"
#include "tests/filters/frames.h"
#include "tests/filters/oracle.h"

namespace weft {
namespace {

using test::at;
using test::convolution;
using test::frame;
using test::sum;

class FiltersBank : public testing::Test {
 protected:
    void TearDown() override { std::filesystem::remove(path_); }

    // The step with these matrices and further parameters.
    std::string bank(const std::string& matrices, const std::string& more = "") const {
        std::ofstream(path_) << matrices;
        return "bank=file=" + path_.string() + more;
    }
    std::string message(const std::string& step) const {
        try {
            test::make(step, frame("gray"));
        } catch (const FilterError& error) {
            return error.what();
        }
        return "accepted";
    }

    std::filesystem::path path_ =
        std::filesystem::temp_directory_path() / ("weft-bank-test-" + std::to_string(getpid()));
};

TEST_F(FiltersBank, TakesUpToSixteenMatrices) {
    std::string sixteen = "1 2";
    for (int k = 1; k < 16; ++k) sixteen += "\n|\n" + std::to_string(k) + "; 7";
    const Convolution bank_of_16 = convolution(bank(sixteen), frame("gray"));
    EXPECT_EQ(bank_of_16.combine, Combine::maximum);
    ASSERT_EQ(bank_of_16.components.size(), 1U);
    ASSERT_EQ(bank_of_16.components[0].taps.size(), 16U);
    EXPECT_EQ(at(bank_of_16.components[0].taps[15], 0, 0), 15);
    EXPECT_EQ(at(bank_of_16.components[0].taps[15], 0, 1), 7);
    EXPECT_NE(message(bank(sixteen + "|1")).find("more than 16 matrices"), std::string::npos);
}

// Matrices of different sizes are aligned at their centres.
TEST_F(FiltersBank, SumsAreOneMatrix) {
    const Convolution summed = convolution(
        bank("1 2 3; 4 5 6; 7 8 9 | 10 20 | 100; 200; 300; 400", ":combine=sum"), frame("gray"));
    EXPECT_EQ(summed.combine, Combine::single);
    ASSERT_EQ(summed.components[0].taps.size(), 1U);
    const Taps& taps = summed.components[0].taps[0];
    EXPECT_EQ(at(taps, -1, -1), 1);
    EXPECT_EQ(at(taps, 0, -1), 2 + 100);
    EXPECT_EQ(at(taps, 0, 0), 5 + 10 + 200);
    EXPECT_EQ(at(taps, 1, 0), 6 + 20);
    EXPECT_EQ(at(taps, 0, 1), 8 + 300);
    EXPECT_EQ(at(taps, 0, 2), 400);
    EXPECT_EQ(sum(taps), 45 + 30 + 1000);
}

TEST_F(FiltersBank, CombinesByDefinition) {
    const std::string matrices =
        "1 0 -1; 2 0 -2; 1 0 -1 | 1 2 1; 0 0 0; -1 -2 -1 | 0 1 0; 1 -4 1; 0 1 0";
    const test::Picture in = test::noise(17, 11);
    const auto one = [&](const std::string& matrix) {
        return test::filtered(in, convolution(bank(matrix), frame("gray")));
    };
    test::Picture x = one("1 0 -1; 2 0 -2; 1 0 -1");
    test::Picture y = one("1 2 1; 0 0 0; -1 -2 -1");
    test::Picture l = one("0 1 0; 1 -4 1; 0 1 0");
    const auto all = [&](const std::string& how) {
        return test::filtered(in, convolution(bank(matrices, how), frame("gray")));
    };
    const test::Picture largest = all(":combine=max:scale=2:bias=3");
    const test::Picture total = all(":combine=sum");
    const test::Picture root = all(":combine=magnitude");
    for (std::size_t k = 0; k < in.pixels.size(); ++k) {
        const double a = x.pixels[k];
        const double b = y.pixels[k];
        const double c = l.pixels[k];
        EXPECT_EQ(largest.pixels[k], 2 * std::max({a, b, c}) + 3);
        EXPECT_EQ(total.pixels[k], a + b + c);
        EXPECT_NEAR(root.pixels[k], std::sqrt(a * a + b * b + c * c), 1e-9);
    }
}

TEST_F(FiltersBank, OneMatrixIsItselfOrItsAbsoluteValue) {
    const test::Picture in = test::noise(9, 9);
    const test::Picture plain = test::filtered(in, convolution(bank("1 -3 1", ""), frame("gray")));
    const test::Picture size =
        test::filtered(in, convolution(bank("1 -3 1", ":combine=magnitude"), frame("gray")));
    for (std::size_t k = 0; k < in.pixels.size(); ++k)
        EXPECT_EQ(size.pixels[k], std::fabs(plain.pixels[k]));
}

TEST_F(FiltersBank, ActsOnLumaInLevelsOfTheDepth) {
    const Operation operation = test::make(bank("1", ":bias=2"), frame("yuv444p10"));
    EXPECT_EQ(operation.selection.filtered, std::vector<Component>{Component::y});
    EXPECT_TRUE(operation.selection.neutral_chroma);
    EXPECT_EQ(std::get<Convolution>(operation.compute).components[0].bias, 8);
}

TEST_F(FiltersBank, ReadsRgbByThrees) {
    const Operation operation =
        test::make(bank("1 | 2 | 3 | 4 | 5 | 6", ":in=rgb:bias=1"), frame("rgb24"));
    EXPECT_EQ(operation.selection.filtered,
              (std::vector<Component>{Component::r, Component::g, Component::b}));
    EXPECT_FALSE(operation.selection.rgb_luma);
    const auto& conv = std::get<Convolution>(operation.compute);
    EXPECT_TRUE(conv.sums_rgb);
    EXPECT_EQ(conv.combine, Combine::maximum);
    ASSERT_EQ(conv.components.size(), 3U);
    EXPECT_EQ(at(conv.components[0].taps.at(1), 0, 0), 4);
    EXPECT_EQ(at(conv.components[2].taps.at(0), 0, 0), 3);
    EXPECT_EQ(conv.components[0].bias, 1);
    const Convolution size =
        convolution(bank("1|2|3", ":in=rgb:combine=magnitude"), frame("rgb24"));
    EXPECT_EQ(size.combine, Combine::maximum);
    EXPECT_EQ(at(size.components[1].taps.at(1), 0, 0), -2);
    const Convolution sums = convolution(bank("1|2|3|4|5|6", ":in=rgb:combine=sum"), frame("gbrp"));
    EXPECT_EQ(at(sums.components[1].taps.at(0), 0, 0), 2 + 5);
}

TEST_F(FiltersBank, ExplainsWhyItCannotReadRgb) {
    EXPECT_NE(message(bank("1|2|3", ":in=rgb")).find("no r, g and b"), std::string::npos);
    EXPECT_NE(message(bank("1|2|3", ":in=rgb:planes=all")).find("goes to r, g and b"),
              std::string::npos);
    try {
        test::make(bank("1|2", ":in=rgb"), frame("rgb24"));
        FAIL() << "two matrices are no three";
    } catch (const FilterError& error) {
        EXPECT_NE(std::string(error.what()).find("multiple of three matrices, and there are 2"),
                  std::string::npos);
    }
}

TEST_F(FiltersBank, ReportsThePositionInTheFile) {
    EXPECT_NE(message(bank("1 2 3\n|\n1 2\n3 x")).find(":4:3: a number is expected here"),
              std::string::npos);
    EXPECT_NE(message(bank("1 2; 3 4 | 1 2; 3")).find("row 2 has 1 numbers"), std::string::npos);
    EXPECT_NE(message(bank("1 |")).find("a matrix is missing"), std::string::npos);
    EXPECT_NE(message("bank=file=/nowhere/x").find("there is no such file"), std::string::npos);
}

}  // namespace
}  // namespace weft
