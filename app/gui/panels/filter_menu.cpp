#include <algorithm>
#include <imgui.h>
#include <imgui_stdlib.h>
#include <optional>

#include "app/gui/panels/stack_panel.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/viewer/edit/filter_search.h"
#include "app/viewer/edit/step_text.h"

namespace weft {
namespace {

constexpr const char* kPopup = "add filter";
constexpr float kListWidth = 30;  // in font heights
constexpr float kLeastListHeight = 8;

// Up and Down move through the list while the search has the keyboard.
int move_mark(ImGuiInputTextCallbackData* data) {
    auto& state = *static_cast<FilterMenuState*>(data->UserData);
    if (data->EventKey == ImGuiKey_DownArrow) ++state.marked;
    if (data->EventKey == ImGuiKey_UpArrow && state.marked > 0) --state.marked;
    state.marked_moved = true;
    return 0;
}

// True when Enter was pressed.
bool draw_search(FilterMenuState& state) {
    if (ImGui::IsWindowAppearing()) {
        const bool first = state.first;
        state = {};
        state.first = first;
        ImGui::SetKeyboardFocusHere();
    }
    const std::string before = state.query;
    ImGui::SetNextItemWidth(ImGui::GetFontSize() * kListWidth);
    const bool entered = ImGui::InputTextWithHint(
        "##query", "Search: blur, edges, convolution…", &state.query,
        ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackHistory, move_mark,
        &state);
    if (state.query != before) {
        state.marked = 0;
        state.marked_moved = true;
    }
    return entered;
}

// Pictures of the frame that is shown when the list appears: a list that changes with every frame
// of a playing video would be hard to read.
void ask_for_pictures(StackPictures& pictures, const Playing& playing) {
    if (!ImGui::IsWindowAppearing()) return;
    pictures.textures.clear();
    std::vector<Stack> stacks;
    for (const FilterDef* filter : found_filters("")) stacks.push_back(new_stack(*filter));
    pictures.previews.ask(playing.shown, playing.status.media, std::move(stacks));
}

// True when the row was clicked.
bool draw_row(FilterMenuState& state, StackPictures* pictures, const FilterDef& filter,
              bool marked) {
    ImGui::PushID(&filter);
    const Stack stack = new_stack(filter);
    const bool chosen =
        draw_stack_row({.name = heading_of(filter),
                        .line = filter.summary,
                        .stack = stack,
                        .without_picture = step_problem(stack[0]).empty() ? "" : "needs a file",
                        .marked = marked},
                       pictures);
    if (marked && state.marked_moved && !ImGui::IsItemVisible()) ImGui::SetScrollHereY();
    std::string also;
    for (std::string_view alias : aliases_of(filter, Names::typed))
        also += (also.empty() ? "Also: " : ", ") + std::string(alias);
    tooltip(also);
    ImGui::PopID();
    return chosen;
}

// The rows; headings only while nothing is searched, because hits are sorted by how well they
// match.
const FilterDef* draw_rows(FilterMenuState& state, StackPictures* pictures,
                           const std::vector<const FilterDef*>& found) {
    const bool headings = state.query.find_first_not_of(' ') == std::string::npos;
    std::optional<FilterGroup> group;
    const FilterDef* chosen = nullptr;
    for (std::size_t k = 0; k < found.size(); ++k) {
        if (headings && group != found[k]->group) {
            if (group) ImGui::Spacing();
            dim_text(title(found[k]->group));
        }
        group = found[k]->group;
        if (draw_row(state, pictures, *found[k], k == state.marked)) chosen = found[k];
    }
    state.marked_moved = false;
    return chosen;
}

const FilterDef* draw_list(FilterMenuState& state, StackPictures* pictures) {
    const bool entered = draw_search(state);
    const std::vector<const FilterDef*> found = found_filters(state.query);
    if (found.empty()) {
        dim_text("No matching filters");
        return nullptr;
    }
    state.marked = std::min(state.marked, found.size() - 1);
    const float font = ImGui::GetFontSize();
    const float below = ImGui::GetIO().DisplaySize.y - ImGui::GetCursorScreenPos().y -
                        2 * ImGui::GetStyle().WindowPadding.y;
    const float rows = (stack_row_height() + ImGui::GetStyle().ItemSpacing.y) *
                       static_cast<float>(found.size() + (state.query.empty() ? 2 : 0));
    ImGui::BeginChild(
        "list", {font * kListWidth, std::min(rows, std::max(below, font * kLeastListHeight))});
    const FilterDef* const clicked = draw_rows(state, pictures, found);
    ImGui::EndChild();
    return entered ? found[state.marked] : clicked;
}

}  // namespace

const FilterDef* draw_filter_menu(FilterMenuState& state, StackPictures& pictures,
                                  const Playing& playing) {
    const bool pressed =
        state.first ? primary_button("+ Add filter") : ImGui::Button("+ Add filter");
    if (pressed || state.open) ImGui::OpenPopup(kPopup);
    state.open = false;
    place_popup_below(ImGui::GetFontSize() * kListWidth);
    if (!ImGui::BeginPopup(kPopup)) return nullptr;
    ask_for_pictures(pictures, playing);
    const FilterDef* const chosen = draw_list(state, playing.shown ? &pictures : nullptr);
    // Otherwise the first Escape would only leave the search.
    if (chosen != nullptr || escape_pressed()) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
    return chosen;
}

}  // namespace weft
