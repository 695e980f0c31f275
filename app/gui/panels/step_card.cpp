#include <algorithm>
#include <filesystem>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <fmt/format.h>

#include "app/gui/panels/stack_panel.h"
#include "app/gui/widgets/icons.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/viewer/edit/step_text.h"
#include "app/viewer/shell/folder_listing.h"

namespace weft {
namespace {

constexpr const char* kPayload = "weft step";

void draw_handle(const StepCard& card, StepId id) {
    const bool pressed =
        bare_icon_button("##handle", Icon::handle, "Drag to reorder, or press for the menu");
    // After a drag that ends where it began, the button counts as pressed.
    const ImVec2 dragged = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left);
    if (pressed && dragged.x == 0 && dragged.y == 0) ImGui::OpenPopup("step");
    if (!ImGui::BeginDragDropSource(ImGuiDragDropFlags_SourceNoHoldToOpenOthers)) return;
    ImGui::SetDragDropPayload(kPayload, &id, sizeof id);
    plain_text(heading_of(*card.editor.find(id)->step.filter));
    ImGui::EndDragDropSource();
}

// Draws a line where the dragged step would be inserted: above this one if it comes from below.
void accept_drop(const StepCard& card, StepId id) {
    if (!ImGui::BeginDragDropTarget()) return;
    constexpr ImGuiDragDropFlags kFlags =
        ImGuiDragDropFlags_AcceptBeforeDelivery | ImGuiDragDropFlags_AcceptNoDrawDefaultRect;
    if (const ImGuiPayload* payload = ImGui::AcceptDragDropPayload(kPayload, kFlags)) {
        const StepId dragged = *static_cast<const StepId*>(payload->Data);
        const std::size_t to = card.editor.index_of(id);
        const bool above = card.editor.index_of(dragged) > to;
        const ImVec2 low = ImGui::GetItemRectMin();
        const ImVec2 high = ImGui::GetItemRectMax();
        const float y = above ? low.y : high.y;
        if (dragged != id)
            ImGui::GetWindowDrawList()->AddLine({low.x, y}, {high.x, y},
                                                ImGui::GetColorU32(ImGuiCol_DragDropTarget), 3);
        if (payload->IsDelivery()) card.editor.move(dragged, to);
    }
    ImGui::EndDragDropTarget();
}

void draw_menu_items(const StepCard& card, StepId id) {
    const std::size_t at = card.editor.index_of(id);
    const std::size_t last = card.editor.steps().size() - 1;
    if (ImGui::MenuItem("Move up", nullptr, false, at > 0)) card.editor.move(id, at - 1);
    if (ImGui::MenuItem("Move down", nullptr, false, at < last)) card.editor.move(id, at + 1);
    if (ImGui::MenuItem("Duplicate")) card.editor.duplicate(id);
    if (ImGui::MenuItem("Reset all parameters")) card.editor.reset(id);
    ImGui::Separator();
    const std::string why_not = why_no_race(*card.editor.find(id));
    if (ImGui::MenuItem("Race kernels", nullptr, false, why_not.empty())) card.raced = id;
    tooltip(why_not);
    ImGui::Separator();
    if (ImGui::MenuItem("Remove")) card.editor.remove(id);
}

void draw_step_menu(const StepCard& card, StepId id) {
    if (bare_icon_button("##menu", Icon::menu, "Move, duplicate, reset, race"))
        ImGui::OpenPopup("step");
    // To the left of the column, where the menu covers no field. The sections below the stack leave
    // it room downwards.
    ImGui::SetNextWindowPos({ImGui::GetWindowPos().x, ImGui::GetItemRectMin().y},
                            ImGuiCond_Appearing, {1, 0});
    if (!ImGui::BeginPopup("step")) return;
    draw_menu_items(card, id);
    ImGui::EndPopup();
}

// The buttons at the right end. The step may be deleted afterwards.
void draw_buttons(const StepCard& card, StepId id, float right) {
    ImGui::SameLine(right - 2 * ImGui::GetFrameHeight());
    draw_step_menu(card, id);
    ImGui::SameLine(0, 0);
    if (bare_icon_button("##remove", Icon::close, "Remove (Ctrl+Z to undo)"))
        card.editor.remove(id);
}

// The name, which folds the parameters, and the summary. True when unfolded.
bool draw_name(const StepCard& card, const EditedStep& edited) {
    if (card.unfold) ImGui::SetNextItemOpen(true);
    ImGui::AlignTextToFramePadding();
    if (!edited.enabled)
        ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
    const bool open = ImGui::TreeNodeEx("##step", ImGuiTreeNodeFlags_NoTreePushOnOpen, "%s",
                                        heading_of(*edited.step.filter).c_str());
    if (!edited.enabled) ImGui::PopStyleColor();
    tooltip(edited.step.filter->summary);
    if (!open) {
        ImGui::SameLine();
        dim_text(summary_of(edited.step));
    }
    return open;
}

// With a stronger outline: the box has the header's ground.
void draw_enabled(const StepCard& card, const EditedStep& edited) {
    ImGui::PushStyleColor(ImGuiCol_Border, packed(palette().mark));
    bool enabled = edited.enabled;
    if (ImGui::Checkbox("##enabled", &enabled)) card.editor.set_enabled(edited.id, enabled);
    ImGui::PopStyleColor();
    tooltip("Enable this step");
}

bool draw_header(const StepCard& card, StepId id) {
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float right = low.x + width;
    const float right_in_window = ImGui::GetCursorPosX() + width;
    ImGui::GetWindowDrawList()->AddRectFilled(low, {right, low.y + ImGui::GetFrameHeight()},
                                              ImGui::GetColorU32(ImGuiCol_FrameBg),
                                              ImGui::GetStyle().FrameRounding);
    const EditedStep edited = *card.editor.find(id);
    ImGui::BeginGroup();
    draw_handle(card, id);
    ImGui::SameLine(0, 0);
    draw_enabled(card, edited);
    ImGui::SameLine(0, 0);
    ImGui::PushClipRect(low, {right - 2.2F * ImGui::GetFrameHeight(), low.y + 100}, true);
    const bool open = draw_name(card, edited);
    ImGui::PopClipRect();
    draw_buttons(card, id, right_in_window);
    ImGui::EndGroup();
    accept_drop(card, id);
    return open;
}

void draw_matrix_button(const StepCard& card, StepId id) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TableNextColumn();
    const bool open = card.matrix.step == id;
    if (ImGui::Button(open ? "Close the matrix" : "Edit the matrix", {-1, 0}))
        card.matrix.step = open ? 0 : id;
}

// Below the matrix as text.
void draw_matrix_of(const StepCard& card, StepId id) {
    if (const EditedStep* const edited = card.editor.find(id))
        draw_chroma_choice(card.editor, *edited, card.frame);
    if (card.matrix.step == id) draw_matrix_editor(card.matrix, card.editor, card.frame);
}

void draw_param(const StepCard& card, StepId id, const ParamDef& param) {
    const EditedStep* const edited = card.editor.find(id);
    if (edited == nullptr) return;
    const bool has_editor = MatrixEdit::edits(*edited->step.filter, param);
    draw_param_field(card.fields, card.editor, *edited, param);  // may delete the step
    if (has_editor) draw_matrix_button(card, id);
}

// ---- regions ----

// Below the region as text, if there is one.
void draw_draw_button(const StepCard& card, StepId id) {
    if (!begin_rows("region")) return;
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TableNextColumn();
    const bool draws = card.regions.draws(card.editor) && card.regions.step(card.editor) == id;
    if (ImGui::Button(draws ? "Cancel drawing" : "Draw a region", {-1, 0}))
        card.regions.set_drawing(id, !draws);
    tooltip(draws ? "Drag a box on the picture, or press Escape"
                  : "The next drag on the picture draws a box that this step filters");
    end_rows();
}

void action_button(const StepCard& card, const char* label, RegionAction action,
                   std::string_view help) {
    if (ImGui::Button(label)) card.region_action = action;
    tooltip(help);
}

float width_of_button(const char* label) {
    return ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x;
}

void draw_edit_buttons(const StepCard& card) {
    struct Entry {
        const char* label;
        RegionAction action;
        std::string_view help;
    };
    for (const auto& [label, action, help] :
         {Entry{
              "Track", RegionAction::track,
              "Follows the object in the selected region through the film, forwards and backwards "
              "from every box that was drawn by hand (Ctrl+T)"},
          {"Redraw", RegionAction::redraw,
           "The next drag on the picture draws the selected region in this frame (r)"},
          {"Hold", RegionAction::hold,
           "The region stays where it is from this frame to its next keyframe (h)"},
          {"Delete from here", RegionAction::delete_from_here,
           "The region ends before this frame (Shift+Delete)"}}) {
        if (action != RegionAction::track) same_line_if_fits(width_of_button(label));
        action_button(card, label, action, help);
    }
}

void draw_progress(const StepCard& card, double progress) {
    const char* const cancel = "Cancel";
    const float button = width_of_button(cancel) + ImGui::GetStyle().ItemSpacing.x;
    const std::size_t more = card.regions.to_follow().size() - 1;
    const std::string words = fmt::format("Tracking {:.0f} %{}", 100 * progress,
                                          more == 0 ? "" : fmt::format(", {} more wait", more));
    ImGui::PushStyleColor(ImGuiCol_PlotHistogram, packed(palette().cached));
    ImGui::ProgressBar(static_cast<float>(progress), {-button, 0}, words.c_str());
    ImGui::PopStyleColor();
    ImGui::SameLine();
    action_button(card, cancel, RegionAction::cancel_track,
                  "Ends tracking without a result, also for the regions that wait");
}

// "21 uncertain frames, 1 cut"; "" without any.
std::string review_text(const ObjectTracks& tracks) {
    std::ptrdiff_t uncertain = 0;
    std::ptrdiff_t cuts = 0;
    for (const ObjectTrack& object : tracks.objects) {
        uncertain += std::ranges::count_if(object.boxes, is_uncertain);
        cuts += std::ranges::count_if(object.boxes, is_cut);
    }
    const auto counted = [](std::ptrdiff_t count, std::string_view what) {
        return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
    };
    std::string words = uncertain == 0 ? "" : counted(uncertain, "uncertain frame");
    if (cuts > 0) words += (words.empty() ? "" : ", ") + counted(cuts, "cut");
    return words;
}

void draw_review(const StepCard& card, const ObjectTracks& tracks) {
    const std::string words = review_text(tracks);
    if (words.empty()) return;
    ImGui::AlignTextToFramePadding();
    plain_text(words);
    same_line_if_fits(width_of_button("Previous"));
    action_button(card, "Previous", RegionAction::previous_uncertain,
                  "Goes to the previous frame in which a region was not found for certain, or that "
                  "follows a cut (N)");
    same_line_if_fits(width_of_button("Next"));
    action_button(card, "Next", RegionAction::next_uncertain,
                  "Goes to the next frame in which a region was not found for certain, or that "
                  "follows a cut: redraw the box there, then press Track again (n)");
}

// Names are in the file of boxes, so that only moving regions have them.
void draw_name_of(const StepCard& card, const ObjectTrack& object) {
    RegionName& name = card.region_name;
    if (!begin_rows("name")) return;
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    plain_text(fmt::format("Name of {}", object.id));
    ImGui::TableNextColumn();
    std::string shown = name.id != 0 ? name.text : object.name;
    ImGui::SetNextItemWidth(-1);
    note_glyphs(shown);
    ImGui::InputText("##region name", &shown);
    tooltip("The name of the selected region, which the picture shows");
    if (ImGui::IsItemActivated()) name.id = object.id;
    if (name.id != 0) name.text = shown;
    if (ImGui::IsItemDeactivatedAfterEdit()) card.regions.rename(card.editor, name.id, name.text);
    if (ImGui::IsItemDeactivated()) name.id = 0;
    end_rows();
}

// A stack keeps its boxes when another film is opened.
void draw_film_of(const StepCard& card, const ObjectTracks& tracks) {
    const std::string shown = std::filesystem::path(card.regions.film().film).filename().string();
    if (tracks.made_for.empty() || tracks.made_for == shown) return;
    draw_problem(fmt::format("The boxes were made for {}.", valid_utf8(tracks.made_for)));
}

void draw_region_buttons(const StepCard& card, StepId id) {
    draw_draw_button(card, id);
    const bool shown = card.regions.step(card.editor) == id && !card.regions.film().film.empty();
    if (!shown) return;
    const auto tracks = card.regions.tracks(card.editor);
    if (tracks->objects.empty()) return;
    draw_film_of(card, *tracks);
    const std::size_t selected = card.regions.selected(card.editor);
    if (card.regions.moves(card.editor) && selected < tracks->objects.size())
        draw_name_of(card, tracks->objects[selected]);
    draw_edit_buttons(card);
    const auto& followed = card.regions.to_follow();
    if (card.tracked && !followed.empty() && followed.front().step == id)
        draw_progress(card, *card.tracked);
    draw_review(card, *tracks);
}

// ---- parameters ----

template <class Wanted>
void draw_params(const StepCard& card, StepId id, const char* table, const Wanted& wanted) {
    if (!begin_rows(table)) return;
    for (const ParamDef* param : all_params(*card.editor.find(id)->step.filter))
        if (wanted(*param)) draw_param(card, id, *param);
    end_rows();
}

// Advanced parameters stay folded while they have their defaults. The matrix editor shows matrices
// that follow another one.
void draw_body(const StepCard& card, StepId id) {
    const Step step = card.editor.find(id)->step;
    const auto shown = [&](const ParamDef& param) {
        return param.inherits.empty() || !MatrixEdit::edits(*step.filter, param);
    };
    const auto usual = [&](const ParamDef& param) {
        return shown(param) && (!param.advanced ||
                                std::ranges::count(card.unfolded, UnfoldedParam{id, param.name}));
    };
    const auto matrix = [&](const ParamDef& param) {
        return usual(param) && MatrixEdit::edits(*step.filter, param);
    };
    const auto others = [&](const ParamDef& param) {
        return usual(param) && !MatrixEdit::edits(*step.filter, param);
    };
    const auto folded = [&](const ParamDef& param) { return shown(param) && !usual(param); };
    const std::vector<const ParamDef*> all = all_params(*step.filter);
    if (std::ranges::any_of(step.filter->params, matrix)) {
        draw_params(card, id, "matrix", matrix);
        draw_matrix_of(card, id);
    }
    draw_params(card, id, "usual", others);
    draw_region_buttons(card, id);
    if (std::ranges::any_of(all, [&](const ParamDef* param) { return folded(*param); }) &&
        ImGui::TreeNodeEx("More", ImGuiTreeNodeFlags_NoTreePushOnOpen))
        draw_params(card, id, "folded", folded);
}

void draw_differences_from_ffmpeg(const Step& step) {
    ImGui::PushTextWrapPos(0);
    for (const std::string& sentence : unlike_ffmpeg({step})) dim_text(sentence);
    ImGui::PopTextWrapPos();
}

// The part of the card below its header, with a ground and padding of its own.
bool begin_inset() {
    const ImVec2 padding = ImGui::GetStyle().WindowPadding;
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() - ImGui::GetStyle().ItemSpacing.y);
    ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, {padding.x, padding.y / 2});
    const bool visible = ImGui::BeginTable("inset", 1, ImGuiTableFlags_PadOuterX);
    ImGui::PopStyleVar();
    if (!visible) return false;
    ImGui::TableNextRow();
    ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, packed(palette().menu_bar));
    ImGui::TableNextColumn();
    return true;
}

// A press on the card shows its regions on the picture.
void follow_press(const StepCard& card, StepId id, ImVec2 low, ImVec2 high) {
    const bool pressed = ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) &&
                         ImGui::IsMouseHoveringRect(low, high) &&
                         ImGui::IsMouseClicked(ImGuiMouseButton_Left);
    if (pressed) card.regions.choose(id);
}

}  // namespace

void draw_step_card(const StepCard& card, StepId id) {
    if (card.editor.find(id) == nullptr) return;
    ImGui::PushID(static_cast<int>(id));
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const bool open = draw_header(card, id);
    if (const EditedStep* edited = card.editor.find(id)) {
        const std::string problem = step_problem(edited->step);
        if ((open || !problem.empty()) && begin_inset()) {
            draw_problem(problem);
            if (open) draw_differences_from_ffmpeg(edited->step);
            if (open) draw_body(card, id);
            ImGui::EndTable();
        }
    }
    const float end = ImGui::GetItemRectMax().y;
    follow_press(card, id, low, {low.x + width, end});
    const bool on_picture = card.regions.step(card.editor) == id && card.editor.steps().size() > 1;
    ImGui::GetWindowDrawList()->AddRect(low, {low.x + width, end},
                                        packed(on_picture ? palette().dim_text : palette().line),
                                        ImGui::GetStyle().FrameRounding);
    ImGui::Spacing();
    ImGui::PopID();
}

}  // namespace weft
