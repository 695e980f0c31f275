#include "filters/text/number_text.h"

#include <algorithm>
#include <clocale>
#include <cmath>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "filters/text/text_error.h"

namespace weft {
namespace {

struct BadNumber {
    std::string_view text;
    std::size_t offset;
};

template <class Parse>
void expect_error(const BadNumber& bad, Parse parse) {
    try {
        parse(bad.text);
        ADD_FAILURE() << "accepted " << bad.text;
    } catch (const TextError& error) {
        EXPECT_EQ(error.offset(), bad.offset) << bad.text << ": " << error.what();
    }
}

TEST(FiltersNumberText, ReadsDecimalsAndFractions) {
    EXPECT_EQ(parse_number("2"), 2);
    EXPECT_EQ(parse_number("-0.5"), -0.5);
    EXPECT_EQ(parse_number("+.25"), 0.25);
    EXPECT_EQ(parse_number("1."), 1);
    EXPECT_EQ(parse_number("1e-3"), 0.001);
    EXPECT_EQ(parse_number("1/9"), 1.0 / 9);
    EXPECT_EQ(parse_number("-1/-4"), 0.25);
}

TEST(FiltersNumberText, RefusesAnythingElse) {
    for (const BadNumber& bad : {
             BadNumber{"", 0}, {"x", 0},     {"1x", 1},    {"1,5", 1}, {"0x10", 1},
             {"inf", 0},       {"-nan", 0},  {"1e", 1},    {"--1", 0}, {"+-1", 0},
             {".", 0},         {"-", 0},     {"1e400", 0}, {"1/0", 2}, {"1/", 2},
             {"1//2", 2},      {"1/2/3", 3}, {"1 ", 1},    {" 1", 0},  {"1e-400", 0},
             {"1/1e-320", 2},  {"2px", 1},   {"1e5.5", 3},
         })
        expect_error(bad, parse_number);
}

TEST(FiltersNumberText, Seconds) {
    EXPECT_EQ(parse_seconds("0"), 0);
    EXPECT_EQ(parse_seconds("90.5"), 90.5);
    EXPECT_EQ(parse_seconds("1:30.5"), 90.5);
    EXPECT_EQ(parse_seconds("100:00"), 6000);
    EXPECT_EQ(parse_seconds("01:02:03.25"), 3723.25);
    for (const BadNumber& bad : {BadNumber{"", 0},
                                 {"-1", 0},
                                 {"1e10", 0},
                                 {":30", 0},
                                 {"1:", 2},
                                 {"1:60", 2},
                                 {"1:-2", 2},
                                 {"1:2x", 3},
                                 {"1.5:20", 0},
                                 {"1:60:00", 2},
                                 {"1:2:3:4", 4},
                                 {"2000000000:00", 0}})
        expect_error(bad, parse_seconds);
}

TEST(FiltersNumberText, WholeNumbers) {
    EXPECT_EQ(parse_integer("+12"), 12);
    EXPECT_EQ(parse_integer("-007"), -7);
    EXPECT_EQ(parse_integer("999999999999999999"), 999999999999999999);
    for (const BadNumber& bad : {BadNumber{"", 0},
                                 {"-", 0},
                                 {"2.5", 1},
                                 {"1e3", 1},
                                 {"x", 0},
                                 {"1000000000000000000", 0},
                                 {"--1", 0},
                                 {"1 ", 1}})
        expect_error(bad, parse_integer);
}

TEST(FiltersNumberText, Booleans) {
    for (const char* yes : {"1", "true", "yes", "on", "y", "enable", "enabled"})
        EXPECT_TRUE(parse_boolean(yes));
    for (const char* no : {"0", "false", "no", "off", "n", "disable", "disabled"})
        EXPECT_FALSE(parse_boolean(no));
    for (const BadNumber& bad : {BadNumber{"2", 0}, {"", 0}, {"True", 0}, {"1 ", 0}})
        expect_error(bad, parse_boolean);
}

TEST(FiltersNumberText, ReadsWholeNumbersOfARange) {
    EXPECT_EQ(parse_whole_number("007"), 7);
    EXPECT_EQ(parse_whole_number("9223372036854775807"), 9223372036854775807);
    EXPECT_EQ(parse_whole_number<int>("2147483647"), 2147483647);
    EXPECT_EQ(parse_whole_number("-3", -3, 3), -3);
    EXPECT_EQ(parse_whole_number("4", 4, 4), 4);
    for (const char* bad : {"", "-", "+1", " 1", "1 ", "1.0", "1e3", "0x1", "-1", "2147483648"})
        EXPECT_EQ(parse_whole_number<int>(bad), std::nullopt) << bad;
    EXPECT_EQ(parse_whole_number("3", 4, 9), std::nullopt);
    EXPECT_EQ(parse_whole_number("10", 4, 9), std::nullopt);
}

// Digits from the first to the last that is not 0.
int significant_digits(std::string text) {
    text.resize(std::min(text.find('e'), text.size()));
    std::erase_if(text, [](char c) { return c < '0' || c > '9'; });
    const std::size_t first = text.find_first_not_of('0');
    const std::size_t last = text.find_last_not_of('0');
    return static_cast<int>(last - first) + 1;
}

TEST(FiltersNumberText, PrintsTheShortestThatReadsBack) {
    EXPECT_EQ(format_number(2), "2");
    EXPECT_EQ(format_number(0.1), "0.1");
    EXPECT_EQ(format_number(-0.0), "0");
    EXPECT_EQ(parse_number(format_number(1.0 / 9)), 1.0 / 9);
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> exponent(-300, 300);
    for (int k = 0; k < 2000; ++k) {
        const double value = std::pow(10, exponent(random)) * (k % 2 == 0 ? 1 : -1);
        EXPECT_EQ(parse_number(format_number(value)), value);
        const int digits = significant_digits(format_number(value));
        ASSERT_GT(digits, 1);
        EXPECT_NE(parse_number(fmt::format("{:.{}e}", value, digits - 2)), value);
    }
}

// A locale with a decimal comma changes nothing; if none is installed, "C" must still work.
TEST(FiltersNumberText, IgnoresTheLocale) {
    for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C"}) {
        std::setlocale(LC_ALL, name);
        EXPECT_EQ(parse_number("1.5"), 1.5);
        EXPECT_EQ(format_number(1.5), "1.5");
    }
    std::setlocale(LC_ALL, "C");
}

// Exponents and hyphens are for parsers.
TEST(FiltersNumberText, NumbersForPeopleHaveNoExponent) {
    for (const auto& [value, text] : {std::pair{0.25, "0.25"},
                                      {12.34, "12.3"},
                                      {999.4, "999"},
                                      {999.6, "1000"},
                                      {4812.3, "4812"},
                                      {65535.0, "65535"},
                                      {-4812.3, "-4812"},
                                      {0.0001, "0.0001"},
                                      {0.0, "0"}})
        EXPECT_EQ(short_number(value), text);
    EXPECT_EQ(short_number(1234.5, 4), "1234");
    EXPECT_EQ(short_number(120, 2), "120");
    EXPECT_EQ(with_minus("-3.5 dB"), "−3.5 dB");
    EXPECT_EQ(with_minus("3 - 5"), "3 - 5");
}

}  // namespace
}  // namespace weft
