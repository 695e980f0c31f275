#include <algorithm>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/gui/panels/stack_panel.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/viewer/edit/filter_search.h"

namespace weft {
namespace {

constexpr const char* kPopup = "add filter";
constexpr float kListWidth = 30;  // in font heights
constexpr float kListHeight = 24;
constexpr float kNameWidth = 9;

// Up and Down move through the list while the search has the keyboard.
int move_mark(ImGuiInputTextCallbackData* data) {
    auto& state = *static_cast<FilterMenuState*>(data->UserData);
    if (data->EventKey == ImGuiKey_DownArrow) ++state.marked;
    if (data->EventKey == ImGuiKey_UpArrow && state.marked > 0) --state.marked;
    return 0;
}

// True when Enter was pressed.
bool draw_search(FilterMenuState& state) {
    if (ImGui::IsWindowAppearing()) {
        state = {};
        ImGui::SetKeyboardFocusHere();
    }
    const std::string before = state.query;
    ImGui::SetNextItemWidth(ImGui::GetFontSize() * kListWidth);
    const bool entered = ImGui::InputTextWithHint(
        "##query", "Search: blur, edges, convolution…", &state.query,
        ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackHistory, move_mark,
        &state);
    if (state.query != before) state.marked = 0;
    return entered;
}

// True when the row was clicked.
bool draw_row(const FilterDef& filter, bool marked) {
    ImGui::PushID(filter.name.data());
    const bool chosen = ImGui::Selectable("##row", marked, ImGuiSelectableFlags_SpanAllColumns);
    if (marked && ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows) &&
        !ImGui::IsItemVisible())
        ImGui::SetScrollHereY();
    std::string also;
    for (std::string_view alias : filter.aliases)
        also += (also.empty() ? "ffmpeg: " : ", ") + std::string(alias);
    tooltip(also);
    ImGui::SameLine(0, 0);
    plain_text(filter.name);
    ImGui::SameLine(ImGui::GetFontSize() * kNameWidth);
    dim_text(filter.summary);
    ImGui::PopID();
    return chosen;
}

const FilterDef* draw_list(FilterMenuState& state) {
    const bool entered = draw_search(state);
    const std::vector<const FilterDef*> found = found_filters(state.query);
    if (found.empty()) {
        dim_text("No matching filters");
        return nullptr;
    }
    state.marked = std::min(state.marked, found.size() - 1);
    const FilterDef* chosen = entered ? found[state.marked] : nullptr;
    const float rows = ImGui::GetTextLineHeightWithSpacing() * static_cast<float>(found.size());
    ImGui::BeginChild("list", {ImGui::GetFontSize() * kListWidth,
                               std::min(rows, ImGui::GetFontSize() * kListHeight)});
    for (std::size_t k = 0; k < found.size(); ++k)
        if (draw_row(*found[k], k == state.marked)) chosen = found[k];
    ImGui::EndChild();
    return chosen;
}

}  // namespace

const FilterDef* draw_filter_menu(FilterMenuState& state, float width) {
    if (ImGui::Button("+ Add filter", {width, 0}) || state.open) ImGui::OpenPopup(kPopup);
    state.open = false;
    place_popup_below(ImGui::GetFontSize() * kListWidth);
    if (!ImGui::BeginPopup(kPopup)) return nullptr;
    const FilterDef* const chosen = draw_list(state);
    // Otherwise the first Escape would only leave the search.
    if (chosen != nullptr || escape_pressed()) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
    return chosen;
}

}  // namespace weft
