// Small widgets used by several panels. Call them between ImGui's NewFrame and Render.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/viewer/shell/palette.h"
#include "app/viewer/shell/type_scale.h"
#include "app/viewer/view/view_geometry.h"

namespace weft {

// The colours of the current theme.
const Palette& palette();
// As ImGui packs colours; `strength` from 0 to 1 is the opacity.
std::uint32_t packed(const Colour& colour, float strength = 1);

// ImGui calls go into the window during this object's lifetime. False: the part is empty or not
// visible.
class UiWindow {
 public:
    UiWindow(const char* name, const Rect& place, int more_flags = 0);
    ~UiWindow();
    UiWindow(const UiWindow&) = delete;
    UiWindow& operator=(const UiWindow&) = delete;

    explicit operator bool() const { return visible_; }

 private:
    bool begun_ = false;
    bool visible_ = false;
};

// A window that the user moves and closes, with a border, no larger than the program's window and
// inside it. False: nothing of it is visible. end_floating() must follow.
bool begin_floating(const char* title, bool& open, int more_flags = 0);
void end_floating();

// A table that scrolls in the rest of its window, or in this many lines if the rest is lower.
// False: nothing of it is visible. ImGui::EndTable() follows otherwise.
bool begin_scrolling_table(const char* name, int columns, int flags, int least_lines = 3);

// Continues the line if an item of this width fits into it.
void same_line_if_fits(float width);

// An error sentence, wrapped. Draws nothing for "".
void draw_problem(const std::string& sentence);

// For the last item, when the mouse rests on it; wrapped. Shows nothing for "".
void tooltip(std::string_view text);

// The last item was double-clicked, which resets sliders and labels.
bool double_clicked();

// Places the next popup below the last item, as far left as its content of this width needs.
void place_popup_below(float width);

// Pressed in this redraw.
bool escape_pressed();
bool enter_pressed();

// Button without a frame, for rows of symbols.
bool symbol_button(const char* symbol, std::string_view help);

// A slider with its number and name at the right, where the handle does not cover them.
bool number_slider(const char* name, float& value, float least, float most,
                   const std::string& number, int flags = 0);

// Text has this size during the object's lifetime.
class UseTextSize {
 public:
    explicit UseTextSize(TextSize size);
    ~UseTextSize();
    UseTextSize(const UseTextSize&) = delete;
    UseTextSize& operator=(const UseTextSize&) = delete;
};

// A name without its middle if it is wider than that.
void elided_text(const std::string& name, float width);
// Small dim text as wide as the rest of the line; the tooltip has all of it if it was cut. Nothing
// where the rest is too short to be read.
void dim_line(const std::string& text);

void plain_text(std::string_view text);  // unchanged, without ImGui's formats
void title_text(std::string_view text);  // the heading of a page
// Text that is read second. Small text is on the baseline of its line's body text.
void dim_text(std::string_view text, TextSize size = TextSize::small);

// The button that most users want next, in the accent colour: at most one per panel.
bool primary_button(const char* label);

// The text colour with another strength, 0 to 1, as ImGui packs colours.
std::uint32_t faded_text_colour(float strength);

}  // namespace weft
