// Small widgets used by several panels. Call them between ImGui's NewFrame and Render.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "app/viewer/shell/palette.h"
#include "app/viewer/shell/type_scale.h"
#include "app/viewer/view/view_geometry.h"

namespace weft {

// The colours of the current theme.
const Palette& palette();
// As ImGui packs colours; `strength` from 0 to 1 is the opacity.
std::uint32_t packed(const Colour& colour, float strength = 1);

// A texture of OpenGL for ImGui, whose Id is a pointer in older versions and a number since 1.91.4.
template <class Id>
Id texture_id(unsigned name) {
    if constexpr (std::is_pointer_v<Id>)
        // NOLINTNEXTLINE(performance-no-int-to-ptr): ImGui's type, which is never dereferenced
        return reinterpret_cast<Id>(static_cast<std::uintptr_t>(name));
    else
        return static_cast<Id>(name);
}

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

// Rows with a name on the left and its control on the right: the same in every panel. Between the
// calls, each row begins with row_name(), after which one item fills the rest of the line. False:
// nothing of the rows is visible. end_rows() follows otherwise.
bool begin_rows(const char* id);
void end_rows();
void row_name(std::string_view name);

// A row with a slider and next to it the number, where the handle does not cover it, to be typed.
struct NumberRow {
    const char* name = nullptr;
    float least = 0, most = 0;
    const char* format = "%.1f";  // the number's, with its unit: "%.0f MiB"
    bool logarithmic = false;
};
bool number_row(const NumberRow& row, float& value);
float number_width();  // the field's next to a slider

// Text has this size during the object's lifetime.
class UseTextSize {
 public:
    explicit UseTextSize(TextSize size);
    ~UseTextSize();
    UseTextSize(const UseTextSize&) = delete;
    UseTextSize& operator=(const UseTextSize&) = delete;
};

// A ticked button, such as the chosen one of several, is inverted during the object's lifetime.
class UseTicked {
 public:
    explicit UseTicked(bool ticked);
    ~UseTicked();
    UseTicked(const UseTicked&) = delete;
    UseTicked& operator=(const UseTicked&) = delete;

 private:
    bool ticked_ = false;
};

// A name without its middle if it is wider than that.
void elided_text(const std::string& name, float width);
// A list that is as wide as the next item. The chosen entry's name loses its middle where it does
// not fit, and the tooltip has all of it. False: the list is closed. ImGui::EndCombo() follows
// otherwise.
bool begin_list(const char* id, const std::string& chosen);
// Small dim text as wide as the rest of the line; the tooltip has all of it if it was cut. Nothing
// where the rest is too short to be read.
void dim_line(const std::string& text);

void plain_text(std::string_view text);    // unchanged, without ImGui's formats
void wrapped_text(std::string_view text);  // at the end of the line
void title_text(std::string_view text);    // the heading of a page
// Text that is read second. Small text is on the baseline of its line's body text.
void dim_text(std::string_view text, TextSize size = TextSize::small);

// The button that most users want next, in the accent colour: at most one per panel. `height` 0 is
// that of other controls.
bool primary_button(const char* label, float height = 0);

// For a text that ImGui's own widgets show and that the user or a file may have written: its
// characters are loaded for the next redraw. The functions above do so.
void note_glyphs(std::string_view text);

// The text colour with another strength, 0 to 1, as ImGui packs colours.
std::uint32_t faded_text_colour(float strength);

}  // namespace weft
