// The sizes of the window's text.
#pragma once

#include <cmath>
#include <cstdint>

namespace weft {

// Everything has the body's size except headings of pages, and descriptions and other secondary
// text.
enum class TextSize : std::uint8_t { body, title, small };

inline constexpr TextSize kTextSizes[] = {TextSize::body, TextSize::title, TextSize::small};

// Whole pixels, where glyphs are sharp, for a display's scale (1 is 96 dpi).
inline int font_pixels(TextSize size, double scale) {
    constexpr double kBody = 16;
    constexpr double kTitle = 22;
    constexpr double kSmall = 14;
    switch (size) {
        case TextSize::body:
            return static_cast<int>(std::lround(kBody * scale));
        case TextSize::title:
            return static_cast<int>(std::lround(kTitle * scale));
        case TextSize::small:
            return static_cast<int>(std::lround(kSmall * scale));
    }
    return 0;
}

}  // namespace weft
