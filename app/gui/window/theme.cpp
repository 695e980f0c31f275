// Colours and distances of the user interface.
#include <imgui.h>
#include <utility>

#include "app/gui/window/window.h"
#include "app/viewer/shell/palette.h"

namespace weft {
namespace {

ImVec4 opaque(const Colour& c) {
    return {c.red / 255.0F, c.green / 255.0F, c.blue / 255.0F, 1};
}

// Colours that are not listed keep ImGui's choice for dark or light.
void colour(ImGuiStyle& style, const Palette& p) {
    const std::pair<ImGuiCol_, Colour> colours[] = {
        {ImGuiCol_Text, p.text},
        {ImGuiCol_TextDisabled, p.dim_text},
        {ImGuiCol_WindowBg, p.window},
        {ImGuiCol_PopupBg, p.popup},
        {ImGuiCol_MenuBarBg, p.menu_bar},
        {ImGuiCol_Border, p.outline},
        {ImGuiCol_Separator, p.line},
        {ImGuiCol_FrameBg, p.field},
        {ImGuiCol_FrameBgHovered, p.field_hovered},
        {ImGuiCol_FrameBgActive, p.field_active},
        {ImGuiCol_TitleBg, p.field},
        {ImGuiCol_TitleBgActive, p.title},
        {ImGuiCol_CheckMark, p.text},
        {ImGuiCol_SliderGrab, p.mark},
        {ImGuiCol_SliderGrabActive, p.mark},
        {ImGuiCol_Button, p.button},
        {ImGuiCol_ButtonHovered, p.button_hovered},
        {ImGuiCol_ButtonActive, p.button_active},
        {ImGuiCol_Header, p.row},
        {ImGuiCol_HeaderHovered, p.row_hovered},
        {ImGuiCol_HeaderActive, p.row_active},
        {ImGuiCol_Tab, p.tab},
        {ImGuiCol_TabHovered, p.tab_hovered},
        {ImGuiCol_TabActive, p.tab_active},
        {ImGuiCol_TabUnfocused, p.tab},
        {ImGuiCol_TabUnfocusedActive, p.tab_active},
        {ImGuiCol_SeparatorHovered, p.mark},
        {ImGuiCol_SeparatorActive, p.mark},
        {ImGuiCol_ResizeGrip, p.line},
        {ImGuiCol_ResizeGripHovered, p.mark},
        {ImGuiCol_ResizeGripActive, p.mark},
        {ImGuiCol_TextSelectedBg, p.row_active},
        {ImGuiCol_NavHighlight, p.text},
        {ImGuiCol_DragDropTarget, p.text},
        {ImGuiCol_TableHeaderBg, p.field},
    };
    for (const auto& [index, value] : colours) style.Colors[index] = opaque(value);
    style.Colors[ImGuiCol_ModalWindowDimBg] = {0, 0, 0, 0.5F};
}

}  // namespace

void apply_theme(double scale, bool dark) {
    ImGuiStyle style;
    if (dark)
        ImGui::StyleColorsDark(&style);
    else
        ImGui::StyleColorsLight(&style);
    style.WindowRounding = 4;
    style.FrameRounding = 3;
    style.GrabRounding = 3;
    style.WindowBorderSize = 0;
    style.FrameBorderSize = 1;
    // With the body's text, controls are 24 pixels high, which a finger or a shaking hand can hit.
    style.FramePadding = {6, 4};
    style.ItemSpacing = {8, 4};
    colour(style, dark ? kDarkPalette : kLightPalette);
    style.ScaleAllSizes(static_cast<float>(scale));
    ImGui::GetStyle() = style;
}

}  // namespace weft
