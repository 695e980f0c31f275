// Fonts and colours of the user interface.
#include <cstddef>
#include <imgui.h>
#include <utility>

#include "app/gui/window/window.h"
#include "app/viewer/shell/palette.h"
#include "app/viewer/shell/type_scale.h"

// The assembler includes the file: compiling 740 kB as an array would take seconds.
asm(".section .rodata\n"
    ".global weft_font_begin\n"
    ".global weft_font_end\n"
    ".balign 16\n"
    "weft_font_begin:\n"
    ".incbin \"" WEFT_FONT_FILE
    "\"\n"
    "weft_font_end:\n"
    ".byte 0\n"
    ".previous\n");
extern "C" const std::byte weft_font_begin[];
extern "C" const std::byte weft_font_end[];

namespace weft {
namespace {

// Latin, Greek, punctuation, sub- and superscripts, arrows, operators, boxes and shapes.
constexpr ImWchar kGlyphs[] = {0x20,   0x17F,  0x370,  0x3FF,  0x2010, 0x20AC, 0x2190, 0x21FF,
                               0x2200, 0x22FF, 0x2300, 0x23FF, 0x2500, 0x27BF, 0};

// Of titles and small text: fewer glyphs, for a smaller texture.
constexpr ImWchar kTextGlyphs[] = {0x20, 0x17F, 0x370, 0x3FF, 0x2010, 0x20AC, 0x2190, 0x22FF, 0};

constexpr double kLargeScale = 1.5;

// In the order of kTextSizes, in which small_widgets.cpp finds them; ImGui begins with the first.
void load_fonts(double scale) {
    ImFontConfig config;
    config.FontDataOwnedByAtlas = false;
    // Threefold is for small glyphs; large ones would take most of the time of a change of scale.
    if (scale >= kLargeScale) config.OversampleH = 1;
    ImFontAtlas& fonts = *ImGui::GetIO().Fonts;
    fonts.Clear();
    // ImGui only reads a font that it does not own.
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
    auto* const font = const_cast<std::byte*>(weft_font_begin);
    for (const TextSize size : kTextSizes)
        fonts.AddFontFromMemoryTTF(font, static_cast<int>(weft_font_end - weft_font_begin),
                                   static_cast<float>(font_pixels(size, scale)), &config,
                                   size == TextSize::body ? kGlyphs : kTextGlyphs);
    fonts.Build();
}

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
    style.ItemSpacing = {8, 5};
    colour(style, dark ? kDarkPalette : kLightPalette);
    style.ScaleAllSizes(static_cast<float>(scale));
    ImGui::GetStyle() = style;
    load_fonts(scale);
}

}  // namespace weft
