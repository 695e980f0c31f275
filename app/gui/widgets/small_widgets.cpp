#include "app/gui/widgets/small_widgets.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <imgui.h>

#include "app/gui/window/fonts.h"
#include "app/viewer/shell/folder_listing.h"

namespace weft {
namespace {

constexpr float kTooltipWidth = 28;  // in font heights
constexpr float kLeastLine = 4;

// Before 1.87 keys were identified by the back end's numbers.
bool key_pressed(ImGuiKey key) {
#if IMGUI_VERSION_NUM < 18700
    return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key));
#else
    return ImGui::IsKeyPressed(key);
#endif
}

}  // namespace

const Palette& palette() {
    const ImVec4& c = ImGui::GetStyleColorVec4(ImGuiCol_WindowBg);
    return c.x + c.y + c.z < 1.5F ? kDarkPalette : kLightPalette;
}

std::uint32_t packed(const Colour& c, float strength) {
    return IM_COL32(c.red, c.green, c.blue, static_cast<int>(std::lround(strength * 255)));
}

UiWindow::UiWindow(const char* name, const Rect& place, int more_flags) {
    if (place.width < 1 || place.height < 1) return;
    ImGui::SetNextWindowPos({static_cast<float>(place.x), static_cast<float>(place.y)});
    ImGui::SetNextWindowSize({static_cast<float>(place.width), static_cast<float>(place.height)});
    begun_ = true;
    // Parts of the window touch each other: round corners would show the ground below them.
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
    visible_ = ImGui::Begin(name, nullptr,
                            ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                                ImGuiWindowFlags_NoSavedSettings |
                                ImGuiWindowFlags_NoBringToFrontOnFocus | more_flags);
    ImGui::PopStyleVar();
}

UiWindow::~UiWindow() {
    if (begun_) ImGui::End();
}

namespace {

// Where it was left, or where the main window was larger.
void keep_inside(const ImVec2& display) {
    const ImVec2 at = ImGui::GetWindowPos();
    const ImVec2 size = ImGui::GetWindowSize();
    const ImVec2 inside{std::max(std::min(at.x, display.x - size.x), 0.0F),
                        std::max(std::min(at.y, display.y - size.y), 0.0F)};
    if (inside.x != at.x || inside.y != at.y) ImGui::SetWindowPos(inside);
}

}  // namespace

bool begin_floating(const char* title, bool& open, int more_flags) {
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowSizeConstraints({0, 0}, display);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    const bool visible = ImGui::Begin(
        title, &open, ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings | more_flags);
    ImGui::PopStyleVar();
    return visible;
}

// Moved before its content, the window would keep the clip rectangle of the old place for a frame.
void end_floating() {
    if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) keep_inside(ImGui::GetIO().DisplaySize);
    ImGui::End();
}

namespace {

// ImGui 1.86 also takes a table for visible when it spans a clip rectangle without area, and then
// asserts because its child window, whose edges are rounded down, is not.
bool shows_area(const ImVec2& at, const ImVec2& size) {
    const ImVec2 least = ImGui::GetWindowDrawList()->GetClipRectMin();
    const ImVec2 most = ImGui::GetWindowDrawList()->GetClipRectMax();
    const auto visible = [](float from, float length, float clip_from, float clip_to) {
        const float begin = std::floor(from);
        return std::min(begin + std::floor(length), clip_to) - std::max(begin, clip_from) >= 1;
    };
    return visible(at.x, size.x, least.x, most.x) && visible(at.y, size.y, least.y, most.y);
}

}  // namespace

bool begin_scrolling_table(const char* name, int columns, int flags, int least_lines) {
    const ImVec2 rest = ImGui::GetContentRegionAvail();
    const float least = static_cast<float>(least_lines) * ImGui::GetTextLineHeightWithSpacing();
    const ImVec2 size{std::max(rest.x, 1.0F), std::max({rest.y, least, 1.0F})};
    if (shows_area(ImGui::GetCursorScreenPos(), size))
        return ImGui::BeginTable(name, columns, flags, size);
    ImGui::Dummy(size);
    return false;
}

void same_line_if_fits(float width) {
    const float end = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
    const float begin = ImGui::GetItemRectMax().x + ImGui::GetStyle().ItemSpacing.x;
    if (begin + width <= end) ImGui::SameLine();
}

bool begin_rows(const char* id) {
    constexpr float kNameWidth = 7;  // in font heights
    if (!ImGui::BeginTable(id, 2)) return false;
    ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthFixed,
                            ImGui::GetFontSize() * kNameWidth);
    ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
    return true;
}

void end_rows() {
    ImGui::EndTable();
}

void row_name(std::string_view name) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    dim_text(name, TextSize::body);
    ImGui::TableNextColumn();
    ImGui::SetNextItemWidth(-FLT_MIN);
}

bool number_row(const NumberRow& row, float& value) {
    row_name(row.name);
    ImGui::PushID(row.name);
    const float gap = ImGui::GetStyle().ItemInnerSpacing.x;
    ImGui::SetNextItemWidth(
        std::max(ImGui::GetContentRegionAvail().x - number_width() - gap, 1.0F));
    ImGui::PushStyleColor(ImGuiCol_Text, 0);
    const ImGuiSliderFlags flags = ImGuiSliderFlags_NoInput | ImGuiSliderFlags_NoRoundToFormat |
                                   (row.logarithmic ? ImGuiSliderFlags_Logarithmic : 0);
    bool changed = ImGui::SliderFloat("##slider", &value, row.least, row.most, "%.1f", flags);
    ImGui::PopStyleColor();
    ImGui::SameLine(0, gap);
    ImGui::SetNextItemWidth(-FLT_MIN);
    changed = ImGui::InputFloat("##number", &value, 0, 0, row.format) || changed;
    value = std::clamp(value, row.least, row.most);
    ImGui::PopID();
    return changed;
}

float number_width() {
    constexpr float kWidth = 4.6F;  // in font heights
    return ImGui::GetFontSize() * kWidth;
}

void note_glyphs(std::string_view text) {
    ui_fonts().demand().note(text);
}

void wrapped_text(std::string_view text) {
    ImGui::PushTextWrapPos(0);
    plain_text(text);
    ImGui::PopTextWrapPos();
}

void plain_text(std::string_view text) {
    note_glyphs(text);
    ImGui::TextUnformatted(text.data(), text.data() + text.size());
}

namespace {

std::string elided(const std::string& name, float width) {
    return elided_middle(name, [width](const std::string& text) {
        return ImGui::CalcTextSize(text.c_str()).x <= width;
    });
}

}  // namespace

void elided_text(const std::string& name, float width) {
    plain_text(elided(name, width));
}

bool begin_list(const char* id, const std::string& chosen) {
    const float width =
        ImGui::CalcItemWidth() - ImGui::GetFrameHeight() - 2 * ImGui::GetStyle().FramePadding.x;
    const std::string shown = elided(chosen, width);
    note_glyphs(shown);
    if (ImGui::BeginCombo(id, shown.c_str(), ImGuiComboFlags_HeightLargest)) return true;
    if (shown != chosen) tooltip(chosen);
    return false;
}

void dim_line(const std::string& text) {
    const UseTextSize small(TextSize::small);
    const float width = ImGui::GetContentRegionAvail().x;
    // The empty item ends the line.
    if (width < kLeastLine * ImGui::GetFontSize()) return ImGui::Dummy({0, 0});
    ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
    elided_text(text, width);
    ImGui::PopStyleColor();
    if (ImGui::CalcTextSize(text.c_str()).x > width) tooltip(text);
}

UseTextSize::UseTextSize(TextSize size) {
    ImGui::PushFont(ImGui::GetIO().Fonts->Fonts[static_cast<int>(size)]);
}

UseTextSize::~UseTextSize() {
    ImGui::PopFont();
}

UseTicked::UseTicked(bool ticked) : ticked_(ticked) {
    if (!ticked_) return;
    for (const ImGuiCol ground : {ImGuiCol_Button, ImGuiCol_ButtonHovered, ImGuiCol_ButtonActive})
        ImGui::PushStyleColor(ground, packed(palette().played));
    ImGui::PushStyleColor(ImGuiCol_Text, packed(palette().window));
}

UseTicked::~UseTicked() {
    if (ticked_) ImGui::PopStyleColor(4);
}

void title_text(std::string_view words) {
    const UseTextSize title(TextSize::title);
    plain_text(words);
}

void dim_text(std::string_view words, TextSize size) {
    const float ascent = ImGui::GetFont()->Ascent;
    const UseTextSize used(size);
    const float lower = std::max(std::round(ascent - ImGui::GetFont()->Ascent), 0.0F);
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + lower);
    ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
    plain_text(words);
    ImGui::PopStyleColor();
}

bool primary_button(const char* label, float height) {
    const Palette& colours = palette();
    ImGui::PushStyleColor(ImGuiCol_Button, packed(colours.primary));
    ImGui::PushStyleColor(ImGuiCol_ButtonHovered, packed(colours.primary_hovered));
    ImGui::PushStyleColor(ImGuiCol_ButtonActive, packed(colours.primary_active));
    const bool pressed = ImGui::Button(label, {0, height});
    ImGui::PopStyleColor(3);
    return pressed;
}

void draw_problem(const std::string& sentence) {
    if (sentence.empty()) return;
    ImGui::PushStyleColor(ImGuiCol_Text, packed(palette().error_text));
    wrapped_text(sentence);
    ImGui::PopStyleColor();
}

namespace {

// Until the mouse moves, a tooltip would cover what the click has opened.
bool rests_after_click() {
    const ImGuiIO& io = ImGui::GetIO();
    return io.MouseClickedPos[0].x == io.MousePos.x && io.MouseClickedPos[0].y == io.MousePos.y;
}

}  // namespace

void tooltip(std::string_view words) {
    if (words.empty() || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
    if (rests_after_click()) return;
    ImGui::PushStyleVar(ImGuiStyleVar_Alpha, 1);  // disabled items are faint, their reasons are not
    ImGui::BeginTooltip();
    const float room = ImGui::GetIO().DisplaySize.x - 4 * ImGui::GetStyle().WindowPadding.x;
    ImGui::PushTextWrapPos(std::min(ImGui::GetFontSize() * kTooltipWidth, room));
    plain_text(words);
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
    ImGui::PopStyleVar();
}

bool double_clicked() {
    return ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
}

void place_popup_below(float width) {
    const float whole = width + 2 * ImGui::GetStyle().WindowPadding.x;
    const float left = std::min(ImGui::GetItemRectMin().x, ImGui::GetIO().DisplaySize.x - whole);
    ImGui::SetNextWindowPos({left, ImGui::GetItemRectMax().y}, ImGuiCond_Appearing);
}

bool escape_pressed() {
    return key_pressed(ImGuiKey_Escape);
}

bool enter_pressed() {
    return key_pressed(ImGuiKey_Enter);
}

std::uint32_t faded_text_colour(float strength) {
    return ImGui::GetColorU32(ImGuiCol_Text, strength);
}

}  // namespace weft
