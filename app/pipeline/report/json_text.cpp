#include "app/pipeline/report/json_text.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "filters/text/printable.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kSecond = 1'000'000'000;

bool is_unreserved(char c) {
    constexpr std::string_view kMarks = "-._~/";
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != std::string_view::npos;
}

std::string percent_encoded(std::string_view bytes) {
    std::string text;
    for (const char c : bytes)
        text += is_unreserved(c) ? std::string(1, c)
                                 : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    return text;
}

Json with_utf8_only(const Json& json) {
    if (json.is_string()) return with_bytes_escaped(json.get_ref<const std::string&>());
    if (!json.is_structured()) return json;
    Json out = json.is_array() ? Json::array() : Json::object();
    for (const auto& item : json.items()) {
        if (json.is_array()) {
            out.push_back(with_utf8_only(item.value()));
            continue;
        }
        const std::string key = with_bytes_escaped(item.key());
        out[key] = with_utf8_only(item.value());
        if (!item.value().is_string()) continue;
        const auto& bytes = item.value().get_ref<const std::string&>();
        if (!is_utf8(bytes)) out[key + "_bytes"] = percent_encoded(bytes);
    }
    return out;
}

// nlohmann escapes only C0 controls. The others can occur only inside strings, where JSON accepts
// \u009b as well.
std::string without_controls(std::string_view json) {
    std::string text;
    for (const char c : json)
        if (c == '\x7f')
            text += "\\u007f";
        else
            text += c;
    return printable(text);
}

std::string json_text(const Json& json, int indent) {
    try {
        return without_controls(json.dump(indent));
    } catch (const Json::type_error&) {  // not UTF-8
        return without_controls(with_utf8_only(json).dump(indent));
    }
}

}  // namespace

std::string json_line(const Json& json) {
    constexpr int kOneLine = -1;
    return json_text(json, kOneLine);
}

std::string json_page(const Json& json) {
    return json_text(json, 2) + "\n";
}

std::optional<std::string> percent_decoded(std::string_view text) {
    std::string bytes;
    for (std::size_t k = 0; k < text.size(); ++k) {
        unsigned value = 0;
        if (text[k] != '%') {
            bytes += text[k];
            continue;
        }
        const std::string_view digits = text.substr(k + 1, 2);
        const auto [stop, error] = std::from_chars(digits.begin(), digits.end(), value, 16);
        if (error != std::errc{} || digits.size() != 2 || stop != digits.end()) return std::nullopt;
        bytes += static_cast<char>(value);
        k += 2;
    }
    return bytes;
}

std::optional<std::int64_t> whole_number(const Json& json, std::int64_t least, std::int64_t most) {
    const bool fits = json.is_number_unsigned()
                          ? std::in_range<std::int64_t>(json.get<std::uint64_t>())
                          : json.is_number_integer();
    const std::int64_t number = fits ? json.get<std::int64_t>() : 0;
    return fits && number >= least && number <= most ? std::optional(number) : std::nullopt;
}

std::string json_time(std::int64_t ns) {
    const std::int64_t rest = (ns % kSecond + kSecond) % kSecond;
    return fmt::format("{}.{:09}", (ns - rest) / kSecond, rest);
}

std::optional<std::int64_t> parse_json_time(std::string_view text) {
    constexpr std::size_t kDigits = 9;
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / kSecond - 1;
    const std::size_t dot = std::min(text.find('.'), text.size());
    const std::string_view rest = text.substr(std::min(dot + 1, text.size()));
    if (rest.size() != kDigits || rest.find_first_not_of("0123456789") != std::string_view::npos)
        return std::nullopt;
    std::int64_t seconds = 0;
    std::int64_t ns = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + dot, seconds);
    if (error != std::errc{} || stop != text.data() + dot || seconds > kMost || seconds < -kMost)
        return std::nullopt;
    std::from_chars(rest.data(), rest.data() + rest.size(), ns);
    return seconds * kSecond + ns;
}

}  // namespace weft
