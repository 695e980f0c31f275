// The texts that the window shows: linked into a second plug-in of the window, around ImGui's
// functions that draw text, so that the product needs no code for this. After each redraw, the file
// $WEFT_TEST_TEXTS has each text with its place and the length by which its clip rectangle cuts it.
#include <algorithm>
#include <cfloat>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <imgui.h>
#include <imgui_internal.h>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace weft::gui {
namespace {

struct DrawnText {
    const ImDrawList* list = nullptr;
    std::string text;
    ImRect place;
    float cut = 0;
};

std::vector<DrawnText>& drawn() {
    static std::vector<DrawnText> texts;
    return texts;
}

// A list scrolls its texts through its upper and lower edge, so that only the widget's own
// rectangle counts there.
void note_text(const ImDrawList& list, const DrawnText& text, const ImVec4* widget) {
    ImRect clip(list._CmdHeader.ClipRect);
    if (text.place.Min.y >= clip.Max.y || text.place.Max.y <= clip.Min.y) return;
    if (widget != nullptr) clip.ClipWithFull(ImRect(*widget));
    DrawnText noted = text;
    noted.list = &list;
    noted.cut = std::max({clip.Min.x - text.place.Min.x, text.place.Max.x - clip.Max.x, noted.cut});
    if (widget != nullptr) noted.cut = std::max(noted.cut, text.place.Max.y - widget->w);
    drawn().push_back(std::move(noted));
}

std::string_view view_of(const char* begin, const char* end) {
    return end == nullptr ? std::string_view(begin) : std::string_view(begin, end);
}

struct Font {
    const ImFont* font = nullptr;
    float size = 0;
    float wrap_width = 0;
};

void note_text(const ImDrawList& list, const Font& font, const ImVec2& at, std::string_view text,
               const ImVec4* widget) {
    const ImVec2 size = font.font->CalcTextSizeA(font.size, FLT_MAX, font.wrap_width, text.data(),
                                                 text.data() + text.size());
    note_text(list,
              {.text = std::string(text), .place = {at.x, at.y, at.x + size.x, at.y + size.y}},
              widget);
}

bool is_visible(ImU32 colour) {
    return (colour & IM_COL32_A_MASK) != 0;
}

}  // namespace

// The linker's --wrap renames calls to the functions below, and those of the functions here to
// ImGui's own.
void add_text(ImDrawList* list, const ImVec2& at, ImU32 colour, const char* begin,
              const char* end) asm("__real__ZN10ImDrawList7AddTextERK6ImVec2jPKcS4_");
void add_text(
    ImDrawList* list, const ImFont* font, float size, const ImVec2& at, ImU32 colour,
    const char* begin, const char* end, float wrap_width,
    const ImVec4*
        widget) asm("__real__ZN10ImDrawList7AddTextEPK6ImFontfRK6ImVec2jPKcS7_fPK6ImVec4");
void add_ellipsis(
    ImDrawList* list, const ImVec2& low, const ImVec2& high, float clip_x, float ellipsis_x,
    const char* begin, const char* end,
    const ImVec2*
        size) asm("__real__ZN5ImGui18RenderTextEllipsisEP10ImDrawListRK6ImVec2S4_ffPKcS6_PS3_");
void render() asm("__real__ZN5ImGui6RenderEv");

void on_text(ImDrawList* list, const ImVec2& at, ImU32 colour, const char* begin,
             const char* end) asm("__wrap__ZN10ImDrawList7AddTextERK6ImVec2jPKcS4_");
void on_text(ImDrawList* list, const ImVec2& at, ImU32 colour, const char* begin, const char* end) {
    add_text(list, at, colour, begin, end);
    if (is_visible(colour))
        note_text(*list, {ImGui::GetFont(), ImGui::GetFontSize()}, at, view_of(begin, end),
                  nullptr);
}

void on_text(ImDrawList* list, const ImFont* font, float size, const ImVec2& at, ImU32 colour,
             const char* begin, const char* end, float wrap_width,
             const ImVec4*
                 widget) asm("__wrap__ZN10ImDrawList7AddTextEPK6ImFontfRK6ImVec2jPKcS7_fPK6ImVec4");
void on_text(ImDrawList* list, const ImFont* font, float size, const ImVec2& at, ImU32 colour,
             const char* begin, const char* end, float wrap_width, const ImVec4* widget) {
    add_text(list, font, size, at, colour, begin, end, wrap_width, widget);
    if (!is_visible(colour)) return;
    note_text(*list,
              {font == nullptr ? ImGui::GetFont() : font, size == 0 ? ImGui::GetFontSize() : size,
               wrap_width},
              at, view_of(begin, end), widget);
}

// Of tabs and headers that are too narrow.
void on_ellipsis(
    ImDrawList* list, const ImVec2& low, const ImVec2& high, float clip_x, float ellipsis_x,
    const char* begin, const char* end,
    const ImVec2*
        size) asm("__wrap__ZN5ImGui18RenderTextEllipsisEP10ImDrawListRK6ImVec2S4_ffPKcS6_PS3_");
void on_ellipsis(ImDrawList* list, const ImVec2& low, const ImVec2& high, float clip_x,
                 float ellipsis_x, const char* begin, const char* end, const ImVec2* size) {
    add_ellipsis(list, low, high, clip_x, ellipsis_x, begin, end, size);
    const std::string text(begin, ImGui::FindRenderedTextEnd(begin, end));
    const float width = ImGui::CalcTextSize(text.c_str()).x;
    const float cut = low.x + width - high.x;
    if (cut > 0) note_text(*list, {.text = text, .place = {low, high}, .cut = cut}, nullptr);
}

namespace {

// The user reaches a text that is cut there by scrolling.
bool scrolls_sideways(const ImGuiWindow& window) {
    return (window.Flags & ImGuiWindowFlags_HorizontalScrollbar) != 0;
}

// Items that are outside their window draw no text. Handles, which are in the padding, and empty
// items that end a line have none.
void note_wide_windows() {
    for (const ImGuiWindow* const window : ImGui::GetCurrentContext()->Windows) {
        if (!window->Active || window->Hidden) continue;
        if (scrolls_sideways(*window)) {
            for (DrawnText& text : drawn())
                if (text.list == window->DrawList) text.cut = 0;
        } else if (window->ScrollMax.x > ImGui::GetStyle().ItemSpacing.x) {
            drawn().push_back({.list = window->DrawList,
                               .text = std::string("(the content of ") + window->Name + ")",
                               .place = window->Rect(),
                               .cut = window->ScrollMax.x});
        }
    }
}

nlohmann::json shown_texts(const ImDrawData& data) {
    nlohmann::json texts = nlohmann::json::array();
    for (const DrawnText& text : drawn()) {
        bool shown = false;
        for (int k = 0; k < data.CmdListsCount; ++k) shown |= data.CmdLists[k] == text.list;
        if (!shown) continue;
        const ImVec2 middle = text.place.GetCenter();
        texts.push_back({{"text", text.text}, {"x", middle.x}, {"y", middle.y}, {"cut", text.cut}});
    }
    return {{"width", data.DisplaySize.x}, {"height", data.DisplaySize.y}, {"texts", texts}};
}

void write_if_new(const std::string& content) {
    const char* const path = std::getenv("WEFT_TEST_TEXTS");
    static std::string last;
    if (path == nullptr || content == last) return;
    last = content;
    const std::string part = std::string(path) + ".part";
    std::ofstream(part) << content;
    std::filesystem::rename(part, path);
}

}  // namespace

void on_render() asm("__wrap__ZN5ImGui6RenderEv");
void on_render() {
    render();
    note_wide_windows();
    write_if_new(shown_texts(*ImGui::GetDrawData())
                     .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    drawn().clear();
}

}  // namespace weft::gui
