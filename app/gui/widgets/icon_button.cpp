#include <imgui.h>

#include "app/gui/window/transport.h"

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
        list_.AddLine(at(x0, y0), at(x1, y1), colour_, size_ * 0.09F);
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
    }
}

}  // namespace

bool icon_button(const char* id, Icon icon, const char* tooltip) {
    const float side = ImGui::GetFrameHeight();
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const bool pressed = ImGui::Button(id, {side, side});
    draw({corner, side}, icon);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tooltip);
    return pressed;
}

}  // namespace weft
