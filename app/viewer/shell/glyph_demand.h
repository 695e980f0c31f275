// The characters of shown texts that the program's own font lacks.
#pragma once

#include <array>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

namespace weft {

// What the own font is loaded with: Latin, Greek, Cyrillic, Vietnamese, punctuation, sub- and
// superscripts, arrows, operators and shapes. First and last character of each range.
inline constexpr std::array<std::pair<char32_t, char32_t>, 7> kOwnGlyphs{{{0x20, 0x17F},
                                                                          {0x370, 0x52F},
                                                                          {0x1E00, 0x1EFF},
                                                                          {0x2010, 0x20BF},
                                                                          {0x2190, 0x22FF},
                                                                          {0x2300, 0x23FF},
                                                                          {0x25A0, 0x27BF}}};

// Not thread-safe.
class GlyphDemand {
 public:
    // Bounds the texture: file names in Chinese rarely have more different characters.
    static constexpr std::size_t kMost = 4000;

    // Notes the characters of a text in UTF-8 that is shown. Control characters, those after
    // U+FFFF, which the window cannot draw, and invalid bytes are left out.
    void note(std::string_view text);
    // Whether there are new ones since the last call of take_grown().
    bool grown() const { return grown_; }
    bool take_grown();
    const std::set<char32_t>& wanted() const { return wanted_; }

 private:
    std::set<char32_t> wanted_;
    bool grown_ = false;
};

}  // namespace weft
