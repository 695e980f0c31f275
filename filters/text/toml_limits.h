// Limits of TOML files, checked before they are parsed: toml++ recurses over keys.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

// toml++ 3.3 limits nested values to 256 and dotted keys not at all: destroying a key of 100,000
// parts overflows a stack of 8 MiB. Files of this program have two parts and two levels at most.
inline constexpr int kMaxTomlKeyParts = 16;
inline constexpr int kMaxTomlNesting = 16;

struct TomlExcess {
    std::string message;
    std::size_t offset = 0;  // bytes from the start of the text
};

// The first place where a key has too many parts, or arrays and inline tables are nested too deep.
// Any bytes are accepted; text that is no TOML is left to the parser, which stops at its first
// error. Linear in the text's length.
std::optional<TomlExcess> toml_excess(std::string_view toml);

}  // namespace weft
