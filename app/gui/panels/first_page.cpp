// The window before a file is open, and the window About weft.
#include <algorithm>
#include <filesystem>
#include <imgui.h>
#include <string>

#include "app/gui/panels/gui.h"
#include "app/gui/panels/panels.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/pipeline/folders.h"
#include "app/pipeline/version.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr float kPageWidth = 36;     // in font heights
constexpr float kSpaceAbove = 0.2F;  // of the height

// Installed next to the presets, or made by `./dev demo` in the source tree. "" if none exists.
std::string sample_clip() {
    std::error_code error;
    const fs::path presets = preset_folders().back();
    for (const char* place : {"../sample.mp4", "../../demo/sample.mp4"})
        if (const fs::path file = presets / place; fs::exists(file, error))
            return file.lexically_normal().string();
    return "";
}

void draw_buttons(Gui& gui, const std::string& sample) {
    if (ImGui::Button("Open…")) open_files(gui);
    tooltip("Videos and pictures; several are played one after the other (Ctrl+O)");
    if (sample.empty()) return;
    ImGui::SameLine();
    if (ImGui::Button("Open the sample")) gui.open_all({sample});
    tooltip(sample);
}

void draw_page(Gui& gui) {
    plain_text("Open a video or a picture to filter it.");
    ImGui::Spacing();
    draw_buttons(gui, std::string(gui.open_panel.sample));
    ImGui::Spacing();
    dim_text("Or drag files from the desktop and drop them here.");
    dim_text("? lists the keyboard shortcuts.");
    ImGui::Spacing();
    ImGui::Spacing();
    if (!gui.open_panel.listed.empty()) dim_text("Recent files");
    draw_recent_files(gui);
}

}  // namespace

void draw_first_page(Gui& gui) {
    if (gui.picture_shape() || gui.status.opening || gui.status.media) return;
    const UiWindow window("##first page", gui.layout.picture);
    if (!window) return;
    if (ImGui::IsWindowAppearing()) gui.open_panel.sample = sample_clip();
    const Rect& area = gui.layout.picture;
    const float width = std::min(ImGui::GetFontSize() * kPageWidth,
                                 static_cast<float>(area.width) - 2 * ImGui::GetFontSize());
    ImGui::SetCursorPos({(static_cast<float>(area.width) - width) / 2,
                         static_cast<float>(area.height) * kSpaceAbove});
    ImGui::BeginChild("page", {width, 0});
    draw_page(gui);
    ImGui::EndChild();
}

void draw_about(Gui& gui) {
    if (!gui.panels.about_open) return;
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({size.x / 2, size.y / 2}, ImGuiCond_Appearing, {0.5F, 0.5F});
    constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoCollapse |
                                        ImGuiWindowFlags_AlwaysAutoResize |
                                        ImGuiWindowFlags_NoSavedSettings;
    if (ImGui::Begin("About weft", &gui.panels.about_open, kFlags)) {
        plain_text(version_text());
        plain_text("Filters: " + gui.options.device.name);
        plain_text("Display: " + gui.report.renderer);
        ImGui::Spacing();
        dim_text("weft is free software under the MIT license; FFmpeg has its own.");
    }
    ImGui::End();
}

}  // namespace weft
