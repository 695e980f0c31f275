#include "app/viewer/shell/glyph_demand.h"

#include <algorithm>

namespace weft {
namespace {

bool is_own(char32_t character) {
    return std::ranges::any_of(kOwnGlyphs, [character](const auto& range) {
        return character >= range.first && character <= range.second;
    });
}

// The character that two or three bytes encode; 0 if not all of them are there.
char32_t decoded(std::string_view sequence, std::size_t length) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(sequence[at]); };
    if (sequence.size() < length) return 0;
    char32_t character = byte(0) & (length == 2 ? 0x1FU : 0x0FU);
    for (std::size_t at = 1; at < length; ++at) {
        if ((byte(at) & 0xC0U) != 0x80U) return 0;
        character = character << 6 | (byte(at) & 0x3FU);
    }
    return character;
}

}  // namespace

void GlyphDemand::note(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto first = static_cast<unsigned char>(text[at]);
        if (first < 0xC0 || first >= 0xF0) continue;  // ASCII, following bytes, four bytes
        const char32_t character = decoded(text.substr(at), first < 0xE0 ? 2 : 3);
        if (character < 0xA0 || is_own(character) || wanted_.size() >= kMost) continue;
        grown_ = wanted_.insert(character).second || grown_;
    }
}

bool GlyphDemand::take_grown() {
    return std::exchange(grown_, false);
}

}  // namespace weft
