// The window before a file is open, and the window About weft.
#include <algorithm>
#include <filesystem>
#include <imgui.h>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/panels/open_panel.h"
#include "app/gui/panels/panels.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/pipeline/folders.h"
#include "app/pipeline/version.h"
#include "app/viewer/shell/view_options.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr float kPageWidth = 36;      // in font heights
constexpr float kSpaceAbove = 0.15F;  // of the height
constexpr std::size_t kMostRecent = 12;
constexpr float kTileWidth = 11;  // in font heights
constexpr float kPictureHeight = 6.2F;
constexpr int kNameLines = 2;

// Installed next to the presets, or made by `./dev demo` in the source tree. "" if none exists.
std::string sample_clip() {
    std::error_code error;
    const fs::path presets = preset_folders().back();
    for (const char* place : {"../sample.mp4", "../../demo/sample.mp4"})
        if (const fs::path file = presets / place; fs::exists(file, error))
            return file.lexically_normal().string();
    return "";
}

void draw_buttons(OpenPanel& panel, Playlist& playlist) {
    const std::string& sample = panel.sample;
    if (primary_button("Open…")) panel.wanted = true;
    tooltip(
        "Videos, pictures and plans of weft batch; several videos play one after the other "
        "(Ctrl+O)");
    if (sample.empty()) return;
    ImGui::SameLine();
    if (ImGui::Button("Open the sample")) playlist.set({sample});
    tooltip(sample);
}

// A picture with the file's name below, cut after the second line. True if it was chosen.
bool draw_tile(OpenPanel& panel, const RecentFiles::File& file) {
    const float font = ImGui::GetFontSize();
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const ImVec2 picture{kTileWidth * font, kPictureHeight * font};
    const ImVec2 size{picture.x, picture.y + (kNameLines + 0.5F) * font};
    ImGui::BeginDisabled(file.missing);
    const bool chosen = ImGui::Selectable("##tile", false, 0, size);
    tooltip((file.missing ? "This file is missing: " : "") + valid_utf8(file.path));
    draw_in_box(panel.textures, panel.thumbnails.of(file.path), corner, picture);
    const std::string name = valid_utf8(fs::path(file.path).filename().string());
    note_glyphs(name);
    const ImVec2 below{corner.x, corner.y + picture.y + 0.2F * font};
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.PushClipRect(below, {below.x + size.x, below.y + kNameLines * font}, true);
    list.AddText(ImGui::GetFont(), font, below, ImGui::GetColorU32(ImGuiCol_Text), name.c_str(),
                 nullptr, size.x);
    list.PopClipRect();
    ImGui::EndDisabled();
    return chosen;
}

// Rows of tiles, as many side by side as there is room for.
void draw_recent_pictures(OpenPanel& panel, Playlist& playlist) {
    if (panel.listed.empty()) return;
    ImGui::Spacing();
    ImGui::Spacing();
    dim_text("Recent files");
    const float tile = kTileWidth * ImGui::GetFontSize() + ImGui::GetStyle().ItemSpacing.x;
    const int columns = std::max(static_cast<int>(ImGui::GetContentRegionAvail().x / tile), 1);
    std::string chosen;
    for (std::size_t k = 0; k < panel.listed.size(); ++k) {
        if (k % static_cast<std::size_t>(columns) != 0) ImGui::SameLine();
        ImGui::PushID(static_cast<int>(k));
        if (draw_tile(panel, panel.listed[k])) chosen = panel.listed[k].path;
        ImGui::PopID();
    }
    if (!chosen.empty()) playlist.set({chosen});
}

void draw_page(OpenPanel& panel, Playlist& playlist) {
    ImGui::PushTextWrapPos(0);
    title_text("Open a video or a picture to filter it");
    ImGui::Spacing();
    draw_buttons(panel, playlist);
    ImGui::Spacing();
    dim_text("Or drag files from the desktop and drop them here.");
    dim_text("? lists the keyboard shortcuts.");
    ImGui::PopTextWrapPos();
    draw_recent_pictures(panel, playlist);
}

void begin_page(OpenPanel& panel, const RecentFiles& recent) {
    panel.sample = sample_clip();
    panel.listed = recent.list();
    if (panel.listed.size() > kMostRecent) panel.listed.resize(kMostRecent);
    std::vector<std::string> paths;
    for (const RecentFiles::File& file : panel.listed)
        if (!file.missing) paths.push_back(file.path);
    panel.thumbnails.want(paths);
}

}  // namespace

void leave_first_page(OpenPanel& panel) {
    if (!std::exchange(panel.first_page_shown, false)) return;
    panel.thumbnails.want({});
    panel.textures.clear();
}

void draw_first_page(OpenPanel& panel, const RecentFiles& recent, Playlist& playlist,
                     const Rect& area) {
    const UiWindow window("##first page", area);
    if (!window) return;
    if (!std::exchange(panel.first_page_shown, true)) begin_page(panel, recent);
    const float width = std::min(ImGui::GetFontSize() * kPageWidth,
                                 static_cast<float>(area.width) - 2 * ImGui::GetFontSize());
    ImGui::SetCursorPos({(static_cast<float>(area.width) - width) / 2,
                         static_cast<float>(area.height) * kSpaceAbove});
    ImGui::BeginChild("page", {width, 0}, false, ImGuiWindowFlags_NavFlattened);
    draw_page(panel, playlist);
    ImGui::EndChild();
}

void draw_about(bool& open, const SessionReport& report) {
    if (!open) return;
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({size.x / 2, size.y / 2}, ImGuiCond_Appearing, {0.5F, 0.5F});
    if (begin_floating("About weft", open, ImGuiWindowFlags_AlwaysAutoResize)) {
        title_text("Warpweft");
        plain_text(version_text());
        plain_text("Filters: " + report.device);
        plain_text("Display: " + report.renderer);
        ImGui::Spacing();
        dim_text("weft is free software under the MIT license; FFmpeg has its own license.");
    }
    end_floating();
}

}  // namespace weft
