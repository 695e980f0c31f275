#include <chrono>
#include <imgui.h>

#include "app/gui/panels/panels.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/viewer/shell/toasts.h"

namespace weft {
namespace {

constexpr float kMargin = 12;

// Returns its height.
float draw_toast(Toast& toast, int number, const Rect& picture, float bottom) {
    const auto width = static_cast<float>(picture.width * 0.6);
    ImGui::SetNextWindowPos({static_cast<float>(picture.x) + kMargin, bottom}, ImGuiCond_Always,
                            {0, 1});
    ImGui::SetNextWindowSizeConstraints({0, 0}, {width, 10000});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, packed(palette().popup));
    const std::string id = "##toast" + std::to_string(number);
    ImGui::Begin(id.c_str(), nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_AlwaysAutoResize |
                     ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
    ImGui::PopStyleColor();
    ImGui::PushTextWrapPos(width - kMargin);
    if (toast.kind == ToastKind::error)
        ImGui::PushStyleColor(ImGuiCol_Text, packed(palette().error_text));
    plain_text(toast.sentence);
    if (toast.kind == ToastKind::error) ImGui::PopStyleColor();
    if (!toast.details.empty()) {
        if (ImGui::Button(toast.opened ? "Less" : "Details")) toast.opened = !toast.opened;
        if (toast.opened) plain_text(toast.details);
    }
    if (toast.opened || toast.kind == ToastKind::error) {
        if (!toast.details.empty()) ImGui::SameLine();
        if (ImGui::Button("Copy"))
            ImGui::SetClipboardText((toast.sentence + "\n" + toast.details).c_str());
        ImGui::SameLine();
        if (ImGui::Button("Close")) {
            toast.opened = false;
            toast.until = {};
        }
    }
    ImGui::PopTextWrapPos();
    const float height = ImGui::GetWindowHeight();
    ImGui::End();
    return height;
}

}  // namespace

void draw_toasts(Toasts& toasts, const Rect& picture) {
    float bottom = static_cast<float>(picture.y + picture.height) - kMargin;
    int number = 0;
    for (Toast& toast : toasts.current(std::chrono::steady_clock::now()))
        bottom -= draw_toast(toast, number++, picture, bottom) + kMargin / 2;
}

}  // namespace weft
