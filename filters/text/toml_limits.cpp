#include "filters/text/toml_limits.h"

#include <algorithm>

#include <fmt/format.h>

namespace weft {
namespace {

constexpr std::string_view kQuotes = "\"'";

// The position after a comment or string that begins at `at`.
std::size_t skip_comment(std::string_view text, std::size_t at) {
    return std::min(text.find('\n', at), text.size());
}

std::size_t skip_short_string(std::string_view text, std::size_t at) {
    const char quote = text[at];
    for (++at; at < text.size() && text[at] != '\n'; ++at) {
        if (text[at] == quote) return at + 1;
        if (text[at] == '\\' && quote == '"') ++at;
    }
    return std::min(at, text.size());
}

// Up to two quotes before the closing three belong to the string.
std::size_t skip_long_string(std::string_view text, std::size_t at) {
    const char quote = text[at];
    const std::string closing(3, quote);
    for (at += closing.size(); at < text.size(); ++at) {
        if (text[at] == '\\' && quote == '"') {
            ++at;
            continue;
        }
        if (!text.substr(at).starts_with(closing)) continue;
        at += closing.size();
        for (int k = 0; k < 2 && at < text.size() && text[at] == quote; ++k) ++at;
        return at;
    }
    return text.size();
}

std::size_t skip_string(std::string_view text, std::size_t at) {
    const std::string opening(3, text[at]);
    return text.substr(at).starts_with(opening) ? skip_long_string(text, at)
                                                : skip_short_string(text, at);
}

}  // namespace

// A number has one dot, and numbers have separators between them: only keys have several dots.
std::optional<TomlExcess> toml_excess(std::string_view toml) {
    int parts = 1;
    int depth = 0;
    for (std::size_t at = 0; at < toml.size();) {
        const char c = toml[at];
        if (c == '#') {
            at = skip_comment(toml, at);
        } else if (kQuotes.find(c) != std::string_view::npos) {
            at = skip_string(toml, at);
        } else {
            if (c == '.') ++parts;
            if (std::string_view("=,[]{}\n").find(c) != std::string_view::npos) parts = 1;
            if (c == '[' || c == '{') ++depth;
            if (c == ']' || c == '}') depth = std::max(depth - 1, 0);
            if (parts > kMaxTomlKeyParts)
                return TomlExcess{fmt::format("a key has at most {} parts", kMaxTomlKeyParts), at};
            if (depth > kMaxTomlNesting)
                return TomlExcess{
                    fmt::format("arrays and tables are nested at most {} deep", kMaxTomlNesting),
                    at};
            ++at;
        }
    }
    return std::nullopt;
}

}  // namespace weft
