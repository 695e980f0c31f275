// Numbers as text, the same in every locale.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

// "2", "-0.5", "+1", "1e-3" or a fraction "1/9". Decimal point '.'; the whole text is the number;
// no infinities, no NaN, no hexadecimal. Throws TextError at the first wrong byte.
double parse_number(std::string_view text);

// "-3" or "+3", at most 18 digits. Throws TextError.
long long parse_integer(std::string_view text);

// "90.5", "1:30.5" or "0:01:30.5": seconds, after whole minutes or hours and minutes. None is
// negative, and what follows a colon is less than 60. Throws TextError.
double parse_seconds(std::string_view text);

// Digits, after '-' for a negative number; nothing for any other text and outside of the range.
template <std::integral Number = std::int64_t>
std::optional<Number> parse_whole_number(std::string_view text, Number least = 0,
                                         Number most = std::numeric_limits<Number>::max()) {
    Number number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    const bool whole = error == std::errc() && stop == end;
    return whole && number >= least && number <= most ? std::optional(number) : std::nullopt;
}

// 1 0, true false, yes no, on off, y n, enable(d) disable(d). Throws TextError.
bool parse_boolean(std::string_view text);

// The shortest decimal text that parses to the same double: "2", "0.1", "1e-07".
std::string format_number(double value);

// For people, not for parsers.

// So many significant digits, all of a larger whole part, and no exponent from 0.0001 on: "0.25",
// "12.3", "4810".
std::string short_number(double value, int digits = 3);

// With a minus sign in place of a hyphen at the begin: "−3 dB".
std::string with_minus(std::string text);

}  // namespace weft
