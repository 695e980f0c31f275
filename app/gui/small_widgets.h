// Small parts that several panels are made of. To be called between ImGui's NewFrame and Render.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

// A sentence that says what is wrong, wrapped. Nothing for "".
void draw_problem(const std::string& sentence);

// For the last item, when the mouse rests on it; wrapped. Nothing for "".
void tooltip(std::string_view text);

// The last item was double-clicked: what sliders and labels reset on.
bool double_clicked();

// Puts the next popup under the last item, as far left as its content of this width needs.
void place_popup_below(float width);

// In this redraw.
bool escape_pressed();
bool enter_pressed();

// Button without a frame, for rows of symbols.
bool symbol_button(const char* symbol, std::string_view help);

void plain_text(std::string_view text);  // as it is, without ImGui's formats
void dim_text(std::string_view text);

// The text colour with another strength, 0 to 1, as ImGui packs colours.
std::uint32_t faded_text_colour(float strength);

}  // namespace weft
