// The desktop's fonts for characters that the program's own font lacks.
#pragma once

#include <compare>
#include <optional>
#include <string>

namespace weft {

struct FontFile {
    std::string path;
    int index = 0;  // within a collection of fonts

    auto operator<=>(const FontFile&) const = default;
};

// The font with outlines that the desktop prefers for the character; nothing if no font has it, or
// without libfontconfig, which is loaded at run time. The first call reads the desktop's
// configuration. Blocks for the disk. Not thread-safe.
std::optional<FontFile> system_font_for(char32_t character);

}  // namespace weft
