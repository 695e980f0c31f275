#include "app/gui/widgets/icons.h"

#include <cmath>
#include <imgui.h>
#include <utility>

#include "app/gui/widgets/small_widgets.h"

namespace weft {
namespace {

// Draws in a unit square, placed by its corner and size.
class Pen {
 public:
    Pen(ImVec2 corner, float size)
        : corner_(corner),
          size_(size),
          colour_(ImGui::GetColorU32(ImGuiCol_Text)),
          list_(*ImGui::GetWindowDrawList()) {}

    void box(float x0, float y0, float x1, float y1) const {
        list_.AddRectFilled(at(x0, y0), at(x1, y1), colour_);
    }
    // A triangle with its tip at x1: pointing to the right if x1 > x0.
    void arrow(float x0, float x1) const {
        list_.AddTriangleFilled(at(x0, 0.2F), at(x1, 0.5F), at(x0, 0.8F), colour_);
    }
    void line(float x0, float y0, float x1, float y1) const {
        list_.AddLine(at(x0, y0), at(x1, y1), colour_, size_ * 0.08F);
    }
    void dot(float x, float y) const { list_.AddCircleFilled(at(x, y), size_ * 0.06F, colour_); }
    // Two lines that meet in the second point.
    void corner(ImVec2 a, ImVec2 b, ImVec2 c) const {
        const ImVec2 points[] = {at(a.x, a.y), at(b.x, b.y), at(c.x, c.y)};
        list_.AddPolyline(points, 3, colour_, 0, size_ * 0.08F);
    }
    void curve(ImVec2 a, ImVec2 b, ImVec2 c, ImVec2 d) const {
        list_.AddBezierCubic(at(a.x, a.y), at(b.x, b.y), at(c.x, c.y), at(d.x, d.y), colour_,
                             size_ * 0.08F);
    }
    void arc(float x, float radius) const {
        list_.PathArcTo(at(x, 0.5F), radius * size_, -0.9F, 0.9F);
        list_.PathStroke(colour_, 0, size_ * 0.08F);
    }

 private:
    ImVec2 at(float x, float y) const { return {corner_.x + x * size_, corner_.y + y * size_}; }

    ImVec2 corner_;
    float size_;
    ImU32 colour_;
    ImDrawList& list_;
};

void draw_speaker(const Pen& pen) {
    pen.box(0.1F, 0.38F, 0.3F, 0.62F);
    pen.arrow(0.52F, 0.12F);
}

// An arrow that turns back to the left for `side` 1, to the right for -1.
void draw_turn(const Pen& pen, float side) {
    const auto at = [side](float x, float y) { return ImVec2{0.5F + side * (x - 0.5F), y}; };
    pen.corner(at(0.42F, 0.2F), at(0.24F, 0.38F), at(0.42F, 0.56F));
    pen.curve(at(0.24F, 0.38F), at(0.8F, 0.38F), at(0.9F, 0.74F), at(0.46F, 0.74F));
}

// An arrow back from B to A. An end that is not set is dots.
void draw_loop(const Pen& pen, bool a, bool b) {
    for (const auto& [set, x] : {std::pair(a, 0.16F), {b, 0.84F}}) {
        if (set) pen.box(x - 0.05F, 0.2F, x + 0.05F, 0.8F);
        for (const float y : {0.26F, 0.5F, 0.74F})
            if (!set) pen.dot(x, y);
    }
    pen.line(0.34F, 0.5F, 0.68F, 0.5F);
    pen.corner({0.48F, 0.34F}, {0.32F, 0.5F}, {0.48F, 0.66F});
}

void draw(const Pen& pen, Icon icon) {
    switch (icon) {
        case Icon::play:
            pen.arrow(0.28F, 0.8F);
            break;
        case Icon::pause:
            pen.box(0.26F, 0.22F, 0.42F, 0.78F);
            pen.box(0.58F, 0.22F, 0.74F, 0.78F);
            break;
        case Icon::back:
            pen.arrow(0.6F, 0.15F);
            pen.box(0.7F, 0.2F, 0.8F, 0.8F);
            break;
        case Icon::forward:
            pen.arrow(0.4F, 0.85F);
            pen.box(0.2F, 0.2F, 0.3F, 0.8F);
            break;
        case Icon::previous:
            pen.box(0.12F, 0.2F, 0.2F, 0.8F);
            pen.arrow(0.55F, 0.2F);
            pen.arrow(0.9F, 0.55F);
            break;
        case Icon::next:
            pen.arrow(0.1F, 0.45F);
            pen.arrow(0.45F, 0.8F);
            pen.box(0.8F, 0.2F, 0.88F, 0.8F);
            break;
        case Icon::sound:
            draw_speaker(pen);
            pen.arc(0.48F, 0.2F);
            pen.arc(0.48F, 0.36F);
            break;
        case Icon::muted:
            draw_speaker(pen);
            pen.line(0.65F, 0.36F, 0.9F, 0.64F);
            pen.line(0.65F, 0.64F, 0.9F, 0.36F);
            break;
        case Icon::handle:
            for (const float y : {0.34F, 0.5F, 0.66F}) pen.line(0.28F, y, 0.72F, y);
            break;
        case Icon::menu:
            for (const float y : {0.27F, 0.5F, 0.73F}) pen.dot(0.5F, y);
            break;
        case Icon::close:
            pen.line(0.32F, 0.32F, 0.68F, 0.68F);
            pen.line(0.32F, 0.68F, 0.68F, 0.32F);
            break;
        case Icon::undo:
            draw_turn(pen, 1);
            break;
        case Icon::redo:
            draw_turn(pen, -1);
            break;
        case Icon::up:
            pen.line(0.5F, 0.28F, 0.5F, 0.74F);
            pen.corner({0.3F, 0.48F}, {0.5F, 0.27F}, {0.7F, 0.48F});
            break;
        case Icon::down:
            pen.line(0.5F, 0.26F, 0.5F, 0.72F);
            pen.corner({0.3F, 0.52F}, {0.5F, 0.73F}, {0.7F, 0.52F});
            break;
        case Icon::loop:
            draw_loop(pen, false, false);
            break;
        case Icon::loop_from_a:
            draw_loop(pen, true, false);
            break;
        case Icon::loop_from_a_to_b:
            draw_loop(pen, true, true);
            break;
    }
}

}  // namespace

bool icon_button(const char* id, Icon icon, std::string_view help, bool ticked) {
    const float side = ImGui::GetFrameHeight();
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    bool pressed = false;
    {
        const UseTicked inverted(ticked);
        pressed = ImGui::Button(id, {side, side});
        draw({corner, side}, icon);
    }
    tooltip(help);
    return pressed;
}

bool bare_icon_button(const char* id, Icon icon, std::string_view help) {
    ImGui::PushStyleColor(ImGuiCol_Button, 0);
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
    const bool pressed = icon_button(id, icon, help);
    ImGui::PopStyleVar();
    ImGui::PopStyleColor();
    return pressed;
}

float width_of_list_button(const char* words) {
    const ImGuiStyle& style = ImGui::GetStyle();
    const float arrow = 0.7F * ImGui::GetFontSize();
    // A fraction of a pixel would blur the edge and shift the buttons after it.
    return std::ceil(ImGui::CalcTextSize(words).x + 2 * style.FramePadding.x + arrow);
}

bool list_button(const char* words) {
    ImGui::PushStyleVar(ImGuiStyleVar_ButtonTextAlign, {0, 0.5F});
    const bool pressed = ImGui::Button(words, {width_of_list_button(words), 0});
    ImGui::PopStyleVar();
    const ImVec2 low = ImGui::GetItemRectMin();
    const ImVec2 high = ImGui::GetItemRectMax();
    const float half = 0.22F * ImGui::GetFontSize();
    const float x = high.x - ImGui::GetStyle().FramePadding.x - half;
    const float y = (low.y + high.y) / 2;
    ImGui::GetWindowDrawList()->AddTriangleFilled({x - half, y - half / 2},
                                                  {x + half, y - half / 2}, {x, y + half},
                                                  ImGui::GetColorU32(ImGuiCol_Text));
    return pressed;
}

}  // namespace weft
