// The window before a file is open, and the window About weft.
#include <algorithm>
#include <array>
#include <chrono>
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
#include "app/viewer/edit/stack_previews.h"
#include "app/viewer/shell/view_options.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr float kPageWidth = 47;      // in font heights
constexpr float kSpaceAbove = 0.15F;  // of the height
constexpr std::size_t kMostRecent = 12;
constexpr float kTileWidth = 11;  // in font heights
constexpr float kPictureHeight = 6.2F;
constexpr int kNameLines = 2;

constexpr std::array kTrials{
    Trial{"Blur a face or a plate",
          "Opens your film: draw a box around the face or the plate, "
          "and press Track",
          "gaussian=sigma=20", "gaussian=sigma=8:region=30%x40%+35%+30%", false, true},
    Trial{"Blur", "The sample through a Gaussian, next to the original", "gaussian=sigma=6",
          "gaussian"},
    Trial{"Find edges", "The sample's edges by Sobel, next to the original",
          "gaussian=sigma=1,sobel", "sobel"},
    Trial{"Race kernels", "All kernels of a Gaussian, measured on the sample", "gaussian=sigma=2",
          "", true}};

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

// The picture's place in a tile that was just drawn, and whether the tile was chosen.
struct Tile {
    ImVec2 corner, size;
    bool chosen = false;
};

// An empty picture with a name below, cut after this many lines.
Tile draw_tile(const std::string& name, int lines, std::string_view help) {
    const float font = ImGui::GetFontSize();
    Tile tile{.corner = ImGui::GetCursorScreenPos(),
              .size = {kTileWidth * font, kPictureHeight * font}};
    const float below_picture = static_cast<float>(lines) * font;
    tile.chosen = ImGui::Selectable("##tile", false, 0,
                                    {tile.size.x, tile.size.y + below_picture + 0.5F * font});
    tooltip(help);
    note_glyphs(name);
    const ImVec2 below{tile.corner.x, tile.corner.y + tile.size.y + 0.2F * font};
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.PushClipRect(below, {below.x + tile.size.x, below.y + below_picture + 0.1F * font}, true);
    list.AddText(ImGui::GetFont(), font, below, ImGui::GetColorU32(ImGuiCol_Text), name.c_str(),
                 nullptr, tile.size.x);
    list.PopClipRect();
    return tile;
}

// Large pictures have no thumbnail, and others do not have it yet.
void draw_ending(const Tile& tile, const fs::path& file) {
    std::string ending = valid_utf8(file.extension().string());
    if (!ending.empty()) ending.erase(0, 1);
    const ImVec2 size = ImGui::CalcTextSize(ending.c_str());
    ImGui::GetWindowDrawList()->AddText(
        {tile.corner.x + (tile.size.x - size.x) / 2, tile.corner.y + (tile.size.y - size.y) / 2},
        ImGui::GetColorU32(ImGuiCol_TextDisabled), ending.c_str());
}

// True if the file was chosen.
bool draw_recent_tile(OpenPanel& panel, const RecentFiles::File& file) {
    const fs::path path = file.path;
    ImGui::BeginDisabled(file.missing);
    const Tile tile =
        draw_tile(valid_utf8(path.filename().string()), kNameLines,
                  (file.missing ? "This file is missing: " : "") + valid_utf8(file.path));
    const ThumbnailPtr picture = panel.thumbnails.of(file.path);
    draw_in_box(panel.textures, picture, tile.corner, tile.size);
    if (!picture) draw_ending(tile, path);
    ImGui::EndDisabled();
    return tile.chosen;
}

// The right half filtered, as in a wipe.
ThumbnailPtr half_filtered(const Thumbnail& original, std::string_view stack) {
    const ThumbnailPtr filtered =
        stack_preview(parse_stack(stack), {{std::make_shared<Thumbnail>(original)}});
    if (!filtered) return nullptr;
    auto both = std::make_shared<Thumbnail>(*filtered);
    const std::size_t row = 3 * static_cast<std::size_t>(original.width);
    const std::size_t half = row / 6 * 3;
    for (std::size_t at = 0; at < both->rgb.size(); at += row)
        std::copy_n(original.rgb.begin() + static_cast<std::ptrdiff_t>(at), half,
                    both->rgb.begin() + static_cast<std::ptrdiff_t>(at));
    return both;
}

// The rows of a race.
void draw_bars(const Tile& tile) {
    constexpr std::array kLengths{0.24F, 0.3F, 0.42F, 0.66F, 0.84F};
    constexpr float kRow = 1.0F / (kLengths.size() + 1);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    for (std::size_t k = 0; k < kLengths.size(); ++k) {
        const float y = tile.corner.y + (static_cast<float>(k) + 0.7F) * kRow * tile.size.y;
        const float x = tile.corner.x + 0.08F * tile.size.x;
        list.AddRectFilled(
            {x, std::round(y)},
            {x + kLengths[k] * tile.size.x, std::round(y + 0.6F * kRow * tile.size.y)},
            packed(k == 0 ? palette().played : palette().mark));
    }
}

// In the middle of the picture, as of kTrials.
void draw_region(const Tile& tile) {
    const ImVec2 low{tile.corner.x + 0.35F * tile.size.x, tile.corner.y + 0.3F * tile.size.y};
    const ImVec2 high{tile.corner.x + 0.65F * tile.size.x, tile.corner.y + 0.7F * tile.size.y};
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRect(low, high, IM_COL32(0, 0, 0, 200), 0, 0, 3);
    list.AddRect(low, high, IM_COL32(255, 255, 255, 255));
}

// True if it was chosen.
bool draw_trial(OpenPanel& panel, const Trial& trial) {
    const Tile tile = draw_tile(trial.name, 1, trial.help);
    ThumbnailPtr& picture = panel.trial_pictures[&trial];
    const ThumbnailPtr sample = panel.thumbnails.of(panel.sample);
    if (!picture && sample && trial.region)
        picture = stack_preview(parse_stack(trial.picture), {{sample}});
    else if (!picture && sample && !trial.race)
        picture = half_filtered(*sample, trial.picture);
    draw_in_box(panel.textures, picture, tile.corner, tile.size);
    if (trial.race) draw_bars(tile);
    if (trial.region) draw_region(tile);
    return tile.chosen;
}

const Trial* draw_trials(OpenPanel& panel) {
    ImGui::Spacing();
    dim_text(panel.sample.empty() ? "Or begin with a task" : "Or begin with a task or the sample");
    const Trial* chosen = nullptr;
    for (const Trial& trial : kTrials) {
        if (panel.sample.empty() && !trial.region) continue;
        if (&trial != kTrials.begin()) same_line_if_fits(kTileWidth * ImGui::GetFontSize());
        ImGui::PushID(trial.name);
        if (draw_trial(panel, trial)) chosen = &trial;
        ImGui::PopID();
    }
    return chosen;
}

// Rows of tiles, as many side by side as there is room for.
void draw_recent_pictures(OpenPanel& panel, Playlist& playlist, float width) {
    if (panel.listed.empty()) return;
    ImGui::Spacing();
    ImGui::Spacing();
    dim_text("Recent files");
    const float tile = kTileWidth * ImGui::GetFontSize() + ImGui::GetStyle().ItemSpacing.x;
    const int columns = std::max(static_cast<int>(width / tile), 1);
    std::string chosen;
    for (std::size_t k = 0; k < panel.listed.size(); ++k) {
        if (k % static_cast<std::size_t>(columns) != 0) ImGui::SameLine();
        ImGui::PushID(static_cast<int>(k));
        if (draw_recent_tile(panel, panel.listed[k])) chosen = panel.listed[k].path;
        ImGui::PopID();
    }
    if (!chosen.empty()) playlist.set({chosen});
}

// A toast would cover the recent files, and disappear.
void take_refusals(OpenPanel& panel, const Playlist& playlist, Toasts& toasts) {
    if (playlist.files().empty()) return;
    for (Toast& toast : toasts.current(std::chrono::steady_clock::now())) {
        if (toast.kind != ToastKind::error || !toast.sentence.starts_with(playlist.current()))
            continue;
        panel.refusal = toast.sentence;
        if (!toast.details.empty()) panel.refusal += "\n" + toast.details;
        toast.until = {};
    }
}

void draw_refusal(OpenPanel& panel) {
    if (panel.refusal.empty()) return;
    ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImGui::GetStyle().WindowPadding);
    const bool visible = ImGui::BeginTable("refusal", 1, ImGuiTableFlags_PadOuterX);
    ImGui::PopStyleVar();
    if (!visible) return;
    ImGui::TableNextRow();
    ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, packed(palette().popup));
    ImGui::TableNextColumn();
    draw_problem(valid_utf8(panel.refusal));
    ImGui::PushTextWrapPos(0);
    dim_text("Nothing was opened: open another file, drop one here, or choose one below.");
    ImGui::PopTextWrapPos();
    if (ImGui::Button("Copy the message")) ImGui::SetClipboardText(panel.refusal.c_str());
    ImGui::SameLine();
    if (ImGui::Button("Close")) panel.refusal.clear();
    ImGui::EndTable();
    ImGui::Spacing();
}

// The program's icon, assets/icons, on a grid of 16.
void draw_logo(float side) {
    struct Thread {
        float x, y, width, height;
    };
    constexpr std::array kWarp{Thread{1, 1, 4, 14}, Thread{6, 1, 4, 14}, Thread{11, 1, 4, 14}};
    constexpr std::array kWeft{Thread{1, 1, 5, 4}, Thread{10, 1, 5, 4}, Thread{5, 6, 6, 4},
                               Thread{1, 11, 5, 4}, Thread{10, 11, 5, 4}};
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float unit = side / 16;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const auto fill = [&](const Thread& part, ImU32 colour, float rounding) {
        const ImVec2 low{corner.x + part.x * unit, corner.y + part.y * unit};
        list.AddRectFilled(low, {low.x + part.width * unit, low.y + part.height * unit}, colour,
                           rounding * unit);
    };
    fill({0, 0, 16, 16}, IM_COL32(0x16, 0x22, 0x2E, 255), 3);
    for (const Thread& thread : kWarp) fill(thread, IM_COL32(0x39, 0xC2, 0xC9, 255), 1);
    for (const Thread& thread : kWeft) fill(thread, IM_COL32(0xFF, 0xB4, 0x54, 255), 1);
    ImGui::Dummy({side, side});
}

// Next to the program's icon.
void draw_title(const char* words) {
    const float side = 3 * ImGui::GetFontSize();
    draw_logo(side);
    ImGui::SameLine(0, ImGui::GetFontSize());
    const UseTextSize title(TextSize::title);
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + (side - ImGui::GetTextLineHeight()) / 2);
    plain_text(words);
}

// Returns the chosen trial, or null.
const Trial* draw_page(OpenPanel& panel, Playlist& playlist) {
    draw_refusal(panel);
    ImGui::PushTextWrapPos(0);
    draw_title("Open a video or a picture to filter it");
    ImGui::Spacing();
    draw_buttons(panel, playlist);
    ImGui::Spacing();
    dim_text("Or drag files from the desktop and drop them here.");
    dim_text("? lists the keyboard shortcuts.");
    ImGui::PopTextWrapPos();
    const Trial* const chosen = draw_trials(panel);
    draw_recent_pictures(panel, playlist, ImGui::GetContentRegionAvail().x);
    return chosen;
}

void begin_page(OpenPanel& panel, const RecentFiles& recent) {
    panel.sample = sample_clip();
    panel.listed = recent.list();
    if (panel.listed.size() > kMostRecent) panel.listed.resize(kMostRecent);
    std::vector<std::string> paths;
    if (!panel.sample.empty()) paths.push_back(panel.sample);
    for (const RecentFiles::File& file : panel.listed)
        if (!file.missing) paths.push_back(file.path);
    panel.thumbnails.want(paths);
}

}  // namespace

void leave_first_page(OpenPanel& panel) {
    if (!std::exchange(panel.first_page_shown, false)) return;
    panel.thumbnails.want({});
    panel.textures.clear();
    panel.trial_pictures.clear();
    panel.refusal.clear();
}

const Trial* draw_first_page(OpenPanel& panel, const RecentFiles& recent, Playlist& playlist,
                             Toasts& toasts, const Rect& area) {
    take_refusals(panel, playlist, toasts);
    const UiWindow window("##first page", area);
    if (!window) return nullptr;
    if (!std::exchange(panel.first_page_shown, true)) begin_page(panel, recent);
    const float width = std::min(ImGui::GetFontSize() * kPageWidth,
                                 static_cast<float>(area.width) - 2 * ImGui::GetFontSize());
    ImGui::SetCursorPos({(static_cast<float>(area.width) - width) / 2,
                         static_cast<float>(area.height) * kSpaceAbove});
    // As high as its content, so that the whole area scrolls and has the scroll bar at its edge.
    ImGui::BeginChild("page", {width, panel.page_height}, false,
                      ImGuiWindowFlags_NavFlattened | ImGuiWindowFlags_NoScrollbar |
                          ImGuiWindowFlags_NoScrollWithMouse);
    const Trial* const chosen = draw_page(panel, playlist);
    panel.page_height = ImGui::GetCursorPosY();
    ImGui::EndChild();
    return chosen;
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
