// The fonts of the user interface: the program's own, and the system's for other scripts.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "app/viewer/shell/glyph_demand.h"
#include "app/viewer/shell/system_fonts.h"

namespace weft {

// An object of this class is ImGui's UserData: the widgets note the texts that they show. For the
// main thread.
class UiFonts {
 public:
    GlyphDemand& demand() { return demand_; }
    // Loads all sizes for a scale of the display, where 1 is 96 dpi, with the glyphs that were
    // demanded so far. Call it between two frames; then recreate the fonts' texture.
    void load(double scale);

 private:
    using Glyphs = std::map<FontFile, std::vector<unsigned short>>;  // ranges, as ImGui takes them
    Glyphs system_glyphs();

    GlyphDemand demand_;
    std::map<char32_t, std::optional<FontFile>> found_;
    std::map<FontFile, std::vector<std::byte>> files_;  // in use by ImGui
};

// Those of the current ImGui context.
UiFonts& ui_fonts();

}  // namespace weft
