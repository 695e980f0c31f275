#include <imgui.h>

#include "app/gui/panels/stack_panel.h"
#include "app/gui/widgets/small_widgets.h"

namespace weft {
namespace {

constexpr float kPictureWidth = 4.8F;  // in font heights
constexpr float kPictureHeight = 2.7F;
constexpr float kGap = 0.25F;

void draw_picture(StackPictures& pictures, const StackRow& row, ImVec2 at, ImVec2 size) {
    const ThumbnailPtr picture = pictures.previews.of(row.stack);
    draw_in_box(pictures.textures, picture, at, size);
    if (picture || row.without_picture.empty()) return;
    const UseTextSize small(TextSize::small);
    const char* const begin = row.without_picture.data();
    const char* const end = begin + row.without_picture.size();
    const ImVec2 text = ImGui::CalcTextSize(begin, end);
    ImGui::GetWindowDrawList()->AddText(
        {at.x + (size.x - text.x) / 2, at.y + (size.y - text.y) / 2}, packed(palette().text), begin,
        end);
}

// Over the row's ground.
void draw_content(const StackRow& row, StackPictures* pictures, ImVec2 corner) {
    const float font = ImGui::GetFontSize();
    ImVec2 at{corner.x + kGap * font, corner.y + kGap * font};
    if (pictures != nullptr) {
        const ImVec2 size{kPictureWidth * font, kPictureHeight * font};
        draw_picture(*pictures, row, at, size);
        at.x += size.x + 2 * kGap * font;
    }
    const float wrap = ImGui::GetWindowPos().x + ImGui::GetContentRegionMax().x - at.x;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const auto draw = [&](std::string_view text, ImU32 colour) {
        note_glyphs(text);
        list.AddText(ImGui::GetFont(), ImGui::GetFontSize(), at, colour, text.data(),
                     text.data() + text.size(), wrap);
        at.y += ImGui::GetTextLineHeight() + ImGui::GetStyle().ItemInnerSpacing.y / 2;
    };
    draw(row.name, row.usable ? ImGui::GetColorU32(ImGuiCol_Text) : packed(palette().error_text));
    const UseTextSize small(TextSize::small);
    // On the ground under the mouse dim text has too little contrast.
    draw(row.line,
         ImGui::GetColorU32(ImGui::IsItemHovered() ? ImGuiCol_Text : ImGuiCol_TextDisabled));
}

}  // namespace

float stack_row_height() {
    return ImGui::GetFontSize() * (kPictureHeight + 2 * kGap);
}

bool draw_stack_row(const StackRow& row, StackPictures* pictures) {
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const bool chosen = ImGui::Selectable("##row", row.marked, ImGuiSelectableFlags_DontClosePopups,
                                          {0, stack_row_height()});
    if (!ImGui::IsItemVisible()) return chosen;
    // A user's description may be longer than the row is high.
    ImGui::PushClipRect(corner, {ImGui::GetItemRectMax().x, corner.y + stack_row_height()}, true);
    draw_content(row, pictures, corner);
    ImGui::PopClipRect();
    return chosen;
}

}  // namespace weft
