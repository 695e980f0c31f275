#include "filters/text/printable.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace weft {
namespace {

struct Character {
    char32_t code = 0;
    std::size_t bytes = 1;
    bool valid = false;
};

// The ranges of RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
Character first_character(std::string_view text) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const char32_t lead = byte(0);
    if (lead < 0x80) return {lead, 1, true};
    const std::size_t bytes = lead < 0xC2   ? 0
                              : lead < 0xE0 ? 2
                              : lead < 0xF0 ? 3
                              : lead < 0xF5 ? 4
                                            : 0;
    if (bytes == 0 || text.size() < bytes) return {};
    char32_t code = lead & (0xFFU >> (bytes + 1));
    for (std::size_t at = 1; at < bytes; ++at) {
        if ((byte(at) & 0xC0U) != 0x80U) return {};
        code = code << 6U | (byte(at) & 0x3FU);
    }
    constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (code < kLeast[bytes] || code > 0x10FFFF || surrogate) return {};
    return {code, bytes, true};
}

bool is_plain(char c) {
    return c >= 0x20 && c < 0x7F;
}

bool is_control(char32_t code) {
    const bool bidirectional = code == 0x61C || code == 0x200E || code == 0x200F ||
                               (code >= 0x202A && code <= 0x202E) ||
                               (code >= 0x2066 && code <= 0x2069);
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || bidirectional;
}

std::string control_text(char32_t code) {
    switch (code) {
        case U'\n':
            return "\\n";
        case U'\r':
            return "\\r";
        case U'\t':
            return "\\t";
        default:
            return code < 0x80 ? fmt::format("\\x{:02x}", static_cast<unsigned>(code))
                               : fmt::format("\\u{:04x}", static_cast<unsigned>(code));
    }
}

template <class IsEscaped>
std::string escaped(std::string_view text, const IsEscaped& is_escaped) {
    std::string out;
    while (!text.empty()) {
        const auto plain =
            static_cast<std::size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
        out += text.substr(0, plain);
        text.remove_prefix(plain);
        if (text.empty()) break;
        const Character character = first_character(text);
        if (!character.valid)
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
        else if (is_escaped(character.code))
            out += control_text(character.code);
        else
            out += text.substr(0, character.bytes);
        text.remove_prefix(character.bytes);
    }
    return out;
}

}  // namespace

std::string printable(std::string_view text) {
    return escaped(
        text, [](char32_t code) { return code != U'\n' && code != U'\t' && is_control(code); });
}

std::string printable_line(std::string_view text) {
    return escaped(text, is_control);
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const Character character = first_character(text);
        if (!character.valid) return false;
        text.remove_prefix(character.bytes);
    }
    return true;
}

std::string with_bytes_escaped(std::string_view text) {
    return escaped(text, [](char32_t) { return false; });
}

}  // namespace weft
