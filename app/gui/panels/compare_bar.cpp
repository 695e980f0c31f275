// The bar above the picture chooses how original and result are compared, and the scale.
#include <algorithm>
#include <array>
#include <cmath>
#include <imgui.h>
#include <string>

#include <fmt/format.h>

#include "app/gui/panels/actions.h"
#include "app/gui/panels/gui.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/viewer/view/view_parts.h"

namespace weft {
namespace {

constexpr float kHeight = 24;  // the controls are so high at scale 1
constexpr float kPadding = 4;
constexpr float kGroupGap = 16;

// A button that runs an action of keys.def, which has its name and its key.
struct BarButton {
    const char* label;
    std::size_t row;  // of kKeyRows
};

// Only used at compile time, where an unknown command is an error.
consteval std::size_t row_of(std::string_view command) {
    std::size_t row = 0;
    while (kKeyRows.at(row).command != command) ++row;
    return row;
}

// Always chooses its own way, where the action of the key may choose another.
struct ModeButton : BarButton {
    CompareMode mode;
};

constexpr std::array kModes{
    ModeButton{{"One", row_of("one-picture")}, CompareMode::single},
    ModeButton{{"Wipe", row_of("wipe")}, CompareMode::wipe},
    ModeButton{{"Side", row_of("side-by-side")}, CompareMode::side_by_side},
    ModeButton{{"Stack", row_of("one-above-the-other")}, CompareMode::stacked},
    ModeButton{{"Difference", row_of("difference")}, CompareMode::difference}};
constexpr BarButton kSwap{"Swap", row_of("swap")};
constexpr BarButton kHold{"Original", row_of("show-original")};
constexpr BarButton kTurn{"Turn", row_of("wipe-rotate")};
constexpr BarButton kFalseColour{"False colour", row_of("false-colour")};
constexpr BarButton kFit{"Fit", row_of("zoom-fit")};
constexpr BarButton kActual{"1:1", row_of("zoom-actual")};

float width_of(const char* label) {
    return ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x;
}

// Buttons in a row, with a gap before them.
template <class Buttons>
float width_of_all(const Buttons& buttons, float spacing) {
    float width = 0;
    for (const BarButton& button : buttons) width += width_of(button.label) + spacing;
    return width;
}

bool is_ticked(const Gui& gui, const BarButton& button) {
    const Action& action = actions()[button.row];
    return action.ticked != nullptr && action.ticked(gui);
}

// Returns whether it was pressed.
bool draw_button(const Gui& gui, const BarButton& button) {
    const Action& action = actions()[button.row];
    bool pressed = false;
    {
        const UseTicked inverted(is_ticked(gui, button));
        pressed = ImGui::Button(button.label);
    }
    const std::string key = first_key(gui.remembered.keys, action);
    tooltip(key.empty() ? std::string(action.name) : fmt::format("{} ({})", action.name, key));
    return pressed;
}

void draw_action(Gui& gui, const BarButton& button) {
    if (draw_button(gui, button)) actions()[button.row].run(gui);
}

// As a list in a narrow window.
void draw_modes(Gui& gui, bool narrow) {
    if (narrow) {
        const auto chosen = std::ranges::find(kModes, gui.view.mode, &ModeButton::mode);
        ImGui::SetNextItemWidth(width_of("Difference") + ImGui::GetFrameHeight());
        if (!ImGui::BeginCombo("##mode", chosen->label)) return;
        for (const ModeButton& button : kModes)
            if (ImGui::Selectable(button.label, gui.view.mode == button.mode))
                gui.view.choose(button.mode);
        return ImGui::EndCombo();
    }
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {1, 0});
    for (const ModeButton& button : kModes) {
        if (button.mode != kModes.front().mode) ImGui::SameLine();
        if (draw_button(gui, button)) gui.view.choose(button.mode);
    }
    ImGui::PopStyleVar();
}

void draw_hold(Gui& gui) {
    const Action& action = actions()[kHold.row];
    (void)draw_button(gui, kHold);
    if (ImGui::IsItemActivated()) action.run(gui);
    if (ImGui::IsItemDeactivated()) action.release(gui);
}

void draw_gain(ViewState& view) {
    constexpr std::array kGains{1, 2, 4, 8, 16, 32, 64};
    ImGui::SetNextItemWidth(width_of("×64.0") + ImGui::GetFrameHeight());
    if (!ImGui::BeginCombo("##gain", fmt::format("×{:.3g}", view.gain).c_str())) {
        tooltip("Gain of the difference");
        return;
    }
    for (const int gain : kGains)
        if (ImGui::Selectable(fmt::format("×{}", gain).c_str(), view.gain == gain))
            view.gain = gain;
    ImGui::EndCombo();
}

// Draws the controls of the mode as far as they fit before `end`.
void draw_options(Gui& gui, float end) {
    const auto fits = [&](float width) {
        ImGui::SameLine();
        return ImGui::GetCursorPosX() + width <= end;
    };
    if (gui.view.mode != CompareMode::single && fits(width_of(kSwap.label)))
        draw_action(gui, kSwap);
    if (fits(width_of(kHold.label))) draw_hold(gui);
    if (gui.view.mode == CompareMode::wipe && fits(width_of(kTurn.label))) draw_action(gui, kTurn);
    if (gui.view.mode != CompareMode::difference) return;
    if (fits(width_of("×64.0") + ImGui::GetFrameHeight())) draw_gain(gui.view);
    if (fits(width_of(kFalseColour.label))) draw_action(gui, kFalseColour);
}

std::string zoom_text(const Gui& gui) {
    const auto shape = gui.playing.picture_shape();
    if (!shape) return "";
    const ScreenSize size = shape->display_size();
    const Rect& area = gui.layout.picture;
    const Rect viewport = viewport_at(gui.view, size, area, {area.x, area.y});
    return fmt::format("{:.0f} %", effective_scale(gui.view.zoom, size, viewport) * 100);
}

void draw_zoom(Gui& gui, float left) {
    const float room = ImGui::CalcTextSize("6400 %").x;
    const std::string text = zoom_text(gui);
    ImGui::SameLine(left + room - ImGui::CalcTextSize(text.c_str()).x);
    ImGui::AlignTextToFramePadding();
    plain_text(text);
    ImGui::SameLine();
    draw_action(gui, kFit);
    ImGui::SameLine();
    draw_action(gui, kActual);
}

}  // namespace

void draw_compare_bar(Gui& gui) {
    const auto scale = static_cast<float>(gui.layout.scale);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {2 * kPadding * scale, kPadding * scale});
    ImGui::PushStyleVar(
        ImGuiStyleVar_FramePadding,
        {2 * kPadding * scale, std::round((kHeight * scale - ImGui::GetFontSize()) / 2)});
    {
        const UiWindow window("##compare", gui.layout.compare, ImGuiWindowFlags_NoScrollbar);
        if (window) {
            const float spacing = ImGui::GetStyle().ItemSpacing.x;
            const float end = ImGui::GetContentRegionMax().x;
            const float zoom =
                ImGui::CalcTextSize("6400 %").x + width_of_all(std::array{kFit, kActual}, spacing);
            const float modes = width_of_all(kModes, 1);
            const float narrow_modes = width_of("Difference") + ImGui::GetFrameHeight();
            const float start = ImGui::GetCursorPosX();
            const bool narrow = start + modes + kGroupGap * scale + zoom > end;
            draw_modes(gui, narrow);
            const bool zooms =
                start + (narrow ? narrow_modes : modes) + kGroupGap * scale + zoom <= end;
            draw_options(gui, zooms ? end - zoom - kGroupGap * scale : end);
            if (zooms) draw_zoom(gui, end - zoom);
        }
    }
    ImGui::PopStyleVar(2);
}

}  // namespace weft
