// Fonts and colours of the user interface.
#include <cmath>
#include <cstddef>
#include <imgui.h>

#include "app/gui/window/window.h"

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

constexpr double kFontPixels = 15;

// Latin, Greek, punctuation, sub- and superscripts, arrows, operators, boxes and shapes.
constexpr ImWchar kGlyphs[] = {0x20,   0x17F,  0x370,  0x3FF,  0x2010, 0x20AC, 0x2190, 0x21FF,
                               0x2200, 0x22FF, 0x2300, 0x23FF, 0x2500, 0x27BF, 0};

void load_font(double scale) {
    ImFontConfig config;
    config.FontDataOwnedByAtlas = false;
    ImFontAtlas& fonts = *ImGui::GetIO().Fonts;
    fonts.Clear();
    fonts.AddFontFromMemoryTTF(
        const_cast<std::byte*>(weft_font_begin), static_cast<int>(weft_font_end - weft_font_begin),
        static_cast<float>(std::round(kFontPixels * scale)), &config, kGlyphs);
    fonts.Build();
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
    style.ItemSpacing = {8, 5};
    if (dark) {
        style.Colors[ImGuiCol_WindowBg] = {0.09F, 0.09F, 0.10F, 1.0F};
        style.Colors[ImGuiCol_MenuBarBg] = {0.11F, 0.11F, 0.12F, 1.0F};
        style.Colors[ImGuiCol_ModalWindowDimBg] = {0, 0, 0, 0.5F};
    }
    style.ScaleAllSizes(static_cast<float>(scale));
    ImGui::GetStyle() = style;
    load_font(scale);
}

}  // namespace weft
