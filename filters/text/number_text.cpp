#include "filters/text/number_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "filters/text/nearest.h"
#include "filters/text/text_error.h"

namespace weft {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// A decimal number that starts at `begin`; returns its value and moves `begin` past it.
double parse_decimal(std::string_view text, std::size_t& begin) {
    std::size_t digits = begin;
    if (digits < text.size() && (text[digits] == '+' || text[digits] == '-')) ++digits;
    const bool starts =
        digits < text.size() &&
        (is_digit(text[digits]) ||
         (text[digits] == '.' && digits + 1 < text.size() && is_digit(text[digits + 1])));
    if (!starts) throw TextError(fmt::format("'{}' is not a number", shown(text)), begin);
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + digits, end, value);
    if (error != std::errc())
        throw TextError(fmt::format("'{}' is out of range for a number", shown(text)), begin);
    const bool negative = text[begin] == '-';
    begin = static_cast<std::size_t>(stop - text.data());
    return negative ? -value : value;
}

}  // namespace

double parse_number(std::string_view text) {
    std::size_t at = 0;
    const double numerator = parse_decimal(text, at);
    if (at == text.size()) return numerator;
    if (text[at] != '/')
        throw TextError(fmt::format("'{}' is not part of a number", shown(text.substr(at))), at);
    const std::size_t divisor = ++at;
    const double denominator = parse_decimal(text, at);
    if (at != text.size())
        throw TextError(fmt::format("'{}' is not part of a number", shown(text.substr(at))), at);
    const double value = numerator / denominator;
    if (!std::isfinite(value)) throw TextError("the divisor is zero or too small", divisor);
    return value;
}

long long parse_integer(std::string_view text) {
    const std::size_t digits = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
    const auto stop =
        std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(digits), text.end(), is_digit);
    const auto at = static_cast<std::size_t>(stop - text.begin());
    if (at == digits || at != text.size())
        throw TextError(fmt::format("'{}' is not a whole number", shown(text)),
                        at == digits ? 0 : at);
    if (text.size() - digits > 18)
        throw TextError(fmt::format("'{}' is too large", shown(text)), 0);
    long long value = 0;
    std::from_chars(text.data() + digits, text.data() + text.size(), value);
    return text[0] == '-' ? -value : value;
}

double parse_seconds(std::string_view text) {
    constexpr long long kMost = 1'000'000'000;  // of hours, minutes or seconds alone
    constexpr const char* kForm =
        "a time is seconds, M:SS or H:MM:SS, not negative, with less than 60 after a colon";
    double minutes = 0;
    std::size_t at = 0;
    int colons = 0;
    for (std::size_t end = text.find(':'); end != std::string_view::npos;
         end = text.find(':', at), ++colons) {
        const auto part =
            parse_whole_number(text.substr(at, end - at), 0LL, colons == 0 ? kMost : 59LL);
        if (!part || colons == 2) throw TextError(kForm, at);
        minutes = minutes * 60 + static_cast<double>(*part);
        at = end + 1;
    }
    double seconds = 0;
    try {
        seconds = parse_number(text.substr(at));
    } catch (const TextError& error) {
        throw TextError(error.what(), at + error.offset());
    }
    const bool fits = colons == 0 ? seconds <= kMost : seconds < 60;
    if (seconds < 0 || !fits) throw TextError(kForm, at);
    return minutes * 60 + seconds;
}

bool parse_boolean(std::string_view text) {
    static constexpr std::array<std::string_view, 7> kTrue{"1", "true",   "yes",    "on",
                                                           "y", "enable", "enabled"};
    static constexpr std::array<std::string_view, 7> kFalse{"0", "false",   "no",      "off",
                                                            "n", "disable", "disabled"};
    if (std::find(kTrue.begin(), kTrue.end(), text) != kTrue.end()) return true;
    if (std::find(kFalse.begin(), kFalse.end(), text) != kFalse.end()) return false;
    throw TextError(
        fmt::format("'{}' is neither 1 nor 0 (true, false, yes, no, on, off)", shown(text)), 0);
}

std::string format_number(double value) {
    return fmt::format("{}", value == 0 ? 0.0 : value);
}

std::string short_number(double value, int digits) {
    return std::abs(value) < std::pow(10, digits) - 0.5 ? fmt::format("{:.{}g}", value, digits)
                                                        : fmt::format("{:.0f}", value);
}

std::string with_minus(std::string text) {
    if (text.starts_with('-')) text.replace(0, 1, "−");
    return text;
}

}  // namespace weft
