#include "app/gui/panels/open_panel.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <imgui.h>
#include <imgui_stdlib.h>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "app/gui/widgets/small_widgets.h"
#include "app/media/libav/error.h"
#include "app/viewer/shell/opened_files.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostRecent = 10;
constexpr float kRecentNameWidth = 16;  // in font heights
constexpr float kSearchWidth = 24;      // of its hint

// The first folder of the list: that of the open file, otherwise the last session's folder,
// otherwise the working directory.
fs::path first_folder(const Playing& playing, const fs::path& last) {
    if (playing.status.media) return fs::path(playing.status.media->path).parent_path();
    std::error_code error;
    return fs::is_directory(last, error) ? last : fs::path(".");
}

DialogRequest dialog_request(const fs::path& folder) {
    std::error_code error;
    return {.title = "Open",
            .start = (fs::absolute(folder, error) / "").string(),
            .several = true,
            .filters = {{"Videos, images and plans", media_patterns()}, {"All files", {"*"}}}};
}

void open_list(OpenPanel& panel, const fs::path& folder) {
    panel.open = true;
    panel.search.clear();
    panel.browser.go_to(panel.browser.shown().folder.empty() ? folder
                                                             : panel.browser.shown().folder);
}

void open_dialog(OpenPanel& panel, const fs::path& folder, Toasts& toasts) {
    const std::string program = find_dialog_program();
    if (program.empty()) return open_list(panel, folder);
    try {
        panel.dialog.open(program, dialog_request(folder));
    } catch (const Error& error) {
        toasts.error(error.what());
        open_list(panel, folder);
    }
}

void open_path(OpenPanel& panel, Playlist& playlist, const fs::path& path) {
    panel.open = false;
    playlist.set({path.string()});
}

// The typed path may be a folder to go to or a file to open, relative to the shown folder or
// absolute.
void open_typed(OpenPanel& panel, Playlist& playlist, const std::string& typed) {
    const fs::path path = typed_path(panel.browser.shown().folder, typed);
    panel.search.clear();
    std::error_code error;
    if (fs::is_directory(path, error))
        panel.browser.go_to(path);
    else
        open_path(panel, playlist, path);
}

bool contains(std::string_view text, std::string_view word) {
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) ==
               std::tolower(static_cast<unsigned char>(b));
    };
    return std::ranges::search(text, word, same).begin() != text.end();
}

std::string size_text(std::uintmax_t bytes) {
    constexpr double kStep = 1000;
    auto size = static_cast<double>(bytes);
    std::size_t unit = 0;
    constexpr std::string_view kUnits[] = {"B", "kB", "MB", "GB", "TB"};
    while (size >= kStep && unit + 1 < std::size(kUnits)) {
        size /= kStep;
        ++unit;
    }
    return fmt::format("{:.{}f} {}", size, unit == 0 ? 0 : 1, kUnits[unit]);
}

// "2026-11-29 14:05", in local time.
std::string date_text(fs::file_time_type time) {
    const auto seconds =
        std::chrono::floor<std::chrono::seconds>(std::chrono::file_clock::to_sys(time));
    return fmt::format("{:%Y-%m-%d %H:%M}",
                       fmt::localtime(std::chrono::system_clock::to_time_t(seconds)));
}

// Tab completes the text. The answer of a slow disk comes later, and counts if nothing else was
// typed until then.
int complete_text(ImGuiInputTextCallbackData* data) {
    auto& panel = *static_cast<OpenPanel*>(data->UserData);
    const std::string text(data->Buf, static_cast<std::size_t>(data->BufTextLen));
    if (data->EventFlag == ImGuiInputTextFlags_CallbackCompletion) {
        constexpr std::chrono::milliseconds kPatience{50};
        panel.completer.ask(panel.browser.shown().folder, text, panel.browser.options());
        if (auto done = panel.completer.poll(kPatience)) panel.completion = std::move(done);
    }
    if (!panel.completion || panel.completion->typed != text || panel.completion->text == text)
        return 0;
    data->DeleteChars(0, data->BufTextLen);
    data->InsertChars(0, panel.completion->text.c_str());
    return 0;
}

// A field for a path. True when Enter was pressed.
bool draw_path_field(OpenPanel& panel, const char* id, const char* hint, std::string& text) {
    constexpr ImGuiInputTextFlags kFlags = ImGuiInputTextFlags_EnterReturnsTrue |
                                           ImGuiInputTextFlags_CallbackAlways |
                                           ImGuiInputTextFlags_CallbackCompletion;
    ImGui::SetNextItemWidth(-1);
    note_glyphs(text);
    return ImGui::InputTextWithHint(id, hint, &text, kFlags, complete_text, &panel);
}

void draw_head(OpenPanel& panel, Playlist& playlist) {
    const FolderListing& shown = panel.browser.shown();
    ImGui::BeginDisabled(shown.parent.empty());
    if (ImGui::Button("Up")) panel.browser.go_to(shown.parent);
    ImGui::EndDisabled();
    ImGui::SameLine();
    if (draw_path_field(panel, "##folder", "Folder or file; Tab completes", panel.typed))
        open_typed(panel, playlist, std::string(panel.typed));
    ListingOptions options = panel.browser.options();
    bool changed = ImGui::Checkbox("All files", &options.all_files);
    ImGui::SameLine();
    changed |= ImGui::Checkbox("Hidden files", &options.hidden);
    same_line_if_fits(ImGui::GetFontSize() * kSearchWidth);
    if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
    const bool entered = draw_path_field(
        panel, "##search", "Search; Enter opens the first entry, Tab completes", panel.search);
    // A path is often typed or pasted where the cursor is.
    const bool is_path = looks_like_path(panel.search);
    if (entered && is_path) open_typed(panel, playlist, std::string(panel.search));
    panel.takes_first = entered && !is_path;
    if (changed) panel.browser.set_options(options);
}

// Only files in sight get a picture, so that long folders cost no more than short ones.
void follow_visible_files(OpenPanel& panel) {
    if (panel.pictured_files == panel.visible_files) return;
    panel.pictured_files = panel.visible_files;
    panel.row_thumbnails.want(panel.pictured_files);
    panel.row_textures.clear();
}

// Moves the next text to the middle of a row of this height.
void centre_text(float height) {
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + (height - ImGui::GetTextLineHeight()) / 2);
}

void draw_picture(OpenPanel& panel, const fs::path& folder, const FolderEntry& entry,
                  const ImVec2& corner, const ImVec2& size) {
    const std::string path = (folder / entry.name).string();
    panel.visible_files.push_back(path);
    draw_in_box(panel.row_textures, panel.row_thumbnails.of(path), corner, size);
}

// True if the entry was chosen.
bool draw_row(OpenPanel& panel, const fs::path& folder, const FolderEntry& entry, int number) {
    constexpr float kPictureHeight = 2;  // in font heights
    const float height = std::round(kPictureHeight * ImGui::GetFontSize());
    const ImVec2 picture{std::round(height * 16 / 9), height};
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const bool chosen = ImGui::Selectable(
        fmt::format("##{}", number).c_str(), false,
        ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_DontClosePopups, {0, height});
    if (ImGui::IsItemVisible() && !entry.folder)
        draw_picture(panel, folder, entry, corner, picture);
    ImGui::SetCursorScreenPos({corner.x + picture.x + ImGui::GetStyle().ItemSpacing.x, corner.y});
    centre_text(height);
    elided_text(entry.label + (entry.folder ? "/" : ""), ImGui::GetContentRegionAvail().x);
    ImGui::TableNextColumn();
    if (entry.folder) return chosen;
    centre_text(height);
    dim_text(date_text(entry.modified));
    ImGui::TableNextColumn();
    const UseTextSize small(TextSize::small);
    const std::string size = size_text(entry.bytes);
    const float free = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(size.c_str()).x;
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(free, 0.0F));
    centre_text(height);
    dim_text(size);
    return chosen;
}

void choose(OpenPanel& panel, Playlist& playlist, const fs::path& folder,
            const FolderEntry& entry) {
    const fs::path path = folder / entry.name;
    panel.search.clear();
    if (entry.folder)
        panel.browser.go_to(path);
    else
        open_path(panel, playlist, path);
}

// The name, and the folder in dim text. True if it was chosen.
bool draw_recent_file(const RecentFiles::File& file, int number) {
    const fs::path path = file.path;
    const std::string name = valid_utf8(path.filename().string());
    const float wide = ImGui::CalcTextSize(name.c_str()).x + ImGui::GetStyle().ItemSpacing.x;
    ImGui::PushID(number);
    ImGui::BeginDisabled(file.missing);
    const bool chosen = ImGui::Selectable("##open");
    tooltip((file.missing ? "This file is missing: " : "") + valid_utf8(file.path));
    ImGui::SameLine(0, 0);
    plain_text(name);
    ImGui::SameLine(0, std::max(ImGui::GetFontSize() * kRecentNameWidth - wide, 0.0F) +
                           ImGui::GetStyle().ItemSpacing.x);
    dim_text(valid_utf8(path.parent_path().string()));
    ImGui::EndDisabled();
    ImGui::PopID();
    return chosen;
}

// The names that the completed text may become, until it is changed; otherwise the folder.
bool shows_candidates(const OpenPanel& panel) {
    if (!panel.completion || panel.completion->text.empty()) return false;
    const std::string& text = panel.completion->text;
    return panel.completion->candidates.entries.size() > 1 &&
           (panel.search == text || (panel.search.empty() && panel.typed == text));
}

// In place of an empty list.
void draw_none_found(const OpenPanel& panel) {
    if (panel.browser.busy() || !panel.browser.shown().error.empty()) return;
    if (looks_like_path(panel.search))
        dim_text("Enter opens this path, Tab completes it.");
    else if (!panel.search.empty())
        dim_text("No entry matches the search.");
    else
        dim_text(panel.browser.options().all_files
                     ? "This folder is empty."
                     : "No videos, pictures or plans in this folder.");
}

void draw_entries(OpenPanel& panel, Playlist& playlist) {
    const bool completes = shows_candidates(panel);
    const FolderListing& shown = completes ? panel.completion->candidates : panel.browser.shown();
    if (!shown.error.empty()) wrapped_text(shown.error);
    const auto matches = [&](const FolderEntry& entry) {
        return completes || contains(entry.label, panel.search);
    };
    if (std::ranges::none_of(shown.entries, matches)) return draw_none_found(panel);
    if (!begin_scrolling_table("entries", 3, ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg))
        return;
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed);
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed);
    follow_visible_files(panel);
    panel.visible_files.clear();
    const FolderEntry* chosen = nullptr;
    int number = 0;
    for (const FolderEntry& entry : shown.entries) {
        if (!matches(entry)) continue;
        const bool takes = panel.takes_first && number == 0;
        if (draw_row(panel, shown.folder, entry, number++) || takes) chosen = &entry;
    }
    ImGui::EndTable();
    if (chosen != nullptr) choose(panel, playlist, shown.folder, *chosen);
}

// A file is a recent one once it could be opened.
void remember_opened(OpenPanel& panel, RecentFiles& recent,
                     const std::shared_ptr<const MediaInfo>& media) {
    if (!media || media == panel.remembered) return;
    panel.remembered = media;
    recent.add(media->path);
    keep_recent(recent);
}

}  // namespace

void draw_recent_files(OpenPanel& panel, const RecentFiles& recent, Playlist& playlist) {
    if (ImGui::IsWindowAppearing()) panel.listed = recent.list();
    std::string chosen;
    for (std::size_t k = 0; k < panel.listed.size() && k < kMostRecent; ++k)
        if (draw_recent_file(panel.listed[k], static_cast<int>(k))) chosen = panel.listed[k].path;
    if (!chosen.empty()) open_path(panel, playlist, chosen);
}

void poll_open(OpenPanel& panel, Remembered& remembered, Playlist& playlist, const Playing& playing,
               Toasts& toasts) {
    remember_opened(panel, remembered.recent, playing.status.media);
    const fs::path last = remembered.settings.last_folder;
    if (std::exchange(panel.wanted, false)) open_dialog(panel, first_folder(playing, last), toasts);
    if (panel.browser.poll()) panel.typed = panel.browser.shown().folder.string();
    if (auto done = panel.completer.poll()) panel.completion = std::move(done);
    const std::optional<DialogAnswer> answer = panel.dialog.poll();
    if (!answer) return;
    if (!answer->error.empty()) {
        toasts.error(answer->error);
        open_list(panel, first_folder(playing, last));
    }
    playlist.set(opened_files(answer->paths));
}

void draw_open(OpenPanel& panel, const RecentFiles& recent, Playlist& playlist) {
    if (!panel.open) {
        panel.visible_files.clear();
        return follow_visible_files(panel);
    }
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({size.x / 2, size.y / 2}, ImGuiCond_Appearing, {0.5F, 0.5F});
    ImGui::SetNextWindowSize({size.x * 0.6F, size.y * 0.7F}, ImGuiCond_Appearing);
    if (begin_floating("Open", panel.open)) {
        if (escape_pressed() && ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows))
            panel.open = false;
        if (ImGui::IsWindowAppearing()) panel.listed = recent.list();
        if (!panel.listed.empty() && ImGui::CollapsingHeader("Recent files"))
            draw_recent_files(panel, recent, playlist);
        draw_head(panel, playlist);
        draw_entries(panel, playlist);
    }
    end_floating();
}

}  // namespace weft
