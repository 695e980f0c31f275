// The window's colours in its two themes. Backgrounds are opaque, so that the contrast of text does
// not depend on the picture below, and gray: colour next to a picture changes how the picture
// looks. The accent is for the primary action alone.
#pragma once

#include <cstdint>

namespace weft {

struct Colour {
    std::uint8_t red = 0, green = 0, blue = 0;
};

// "24344C" in a stylesheet is 0x24344C here.
constexpr Colour rgb(std::uint32_t hex) {
    return {static_cast<std::uint8_t>(hex >> 16), static_cast<std::uint8_t>(hex >> 8),
            static_cast<std::uint8_t>(hex)};
}

struct Palette {
    // Text. Dim text, errors and praise (the fastest kernel) are for the backgrounds of the first
    // block only.
    Colour text, dim_text, error_text, good_text;
    // Backgrounds: panels and windows, the menu bar, popups and tooltips.
    Colour window, menu_bar, popup;
    // Backgrounds of fields and steps, of selected rows, and of window titles.
    Colour field, row, title;
    // Backgrounds while hovered or pressed.
    Colour field_hovered, field_active, row_hovered, row_active;
    Colour button, button_hovered, button_active;
    Colour primary, primary_hovered, primary_active;  // the accent: the button to press next
    Colour tab, tab_hovered, tab_active;
    // Marks without text.
    Colour line;            // separators
    Colour outline;         // of fields, buttons, windows and popups
    Colour mark;            // handles of sliders
    Colour played, cached;  // in the timeline
    Colour loop;            // from A to B
};

inline constexpr Palette kDarkPalette{.text = rgb(0xF2F2F4),
                                      .dim_text = rgb(0xC4C4CA),
                                      .error_text = rgb(0xFFA79C),
                                      .good_text = rgb(0x8FD98F),
                                      .window = rgb(0x17171A),
                                      .menu_bar = rgb(0x1C1C1F),
                                      .popup = rgb(0x202024),
                                      .field = rgb(0x2B2B31),
                                      .row = rgb(0x34343C),
                                      .title = rgb(0x303037),
                                      .field_hovered = rgb(0x35353D),
                                      .field_active = rgb(0x3F3F49),
                                      .row_hovered = rgb(0x383841),
                                      .row_active = rgb(0x424249),
                                      .button = rgb(0x3D3D46),
                                      .button_hovered = rgb(0x474751),
                                      .button_active = rgb(0x31313A),
                                      .primary = rgb(0x284A74),
                                      .primary_hovered = rgb(0x2C5180),
                                      .primary_active = rgb(0x1F3C60),
                                      .tab = rgb(0x26262B),
                                      .tab_hovered = rgb(0x383841),
                                      .tab_active = rgb(0x43434D),
                                      .line = rgb(0x4A4A54),
                                      .outline = rgb(0x7E7E8A),
                                      .mark = rgb(0x9A9AA8),
                                      .played = rgb(0xE4E4EC),
                                      .cached = rgb(0x787884),
                                      .loop = rgb(0xE0A030)};

inline constexpr Palette kLightPalette{.text = rgb(0x141418),
                                       .dim_text = rgb(0x3C3C42),
                                       .error_text = rgb(0x8A1008),
                                       .good_text = rgb(0x0B4A0B),
                                       .window = rgb(0xEFEFF1),
                                       .menu_bar = rgb(0xE4E4E8),
                                       .popup = rgb(0xFAFAFB),
                                       .field = rgb(0xDCDCE1),
                                       .row = rgb(0xD6D6DC),
                                       .title = rgb(0xD2D2D8),
                                       .field_hovered = rgb(0xD0D0D8),
                                       .field_active = rgb(0xC6C6D0),
                                       .row_hovered = rgb(0xCACAD2),
                                       .row_active = rgb(0xBCBCC6),
                                       .button = rgb(0xCFCFD7),
                                       .button_hovered = rgb(0xC2C2CC),
                                       .button_active = rgb(0xB4B4C0),
                                       .primary = rgb(0xB4CFF2),
                                       .primary_hovered = rgb(0x9FC2EE),
                                       .primary_active = rgb(0x8DB5E8),
                                       .tab = rgb(0xDCDCE1),
                                       .tab_hovered = rgb(0xCACAD2),
                                       .tab_active = rgb(0xBCBCC6),
                                       .line = rgb(0xB0B0B8),
                                       .outline = rgb(0x70707C),
                                       .mark = rgb(0x5C5C68),
                                       .played = rgb(0x303038),
                                       .cached = rgb(0x787884),
                                       .loop = rgb(0xB06A00)};

}  // namespace weft
