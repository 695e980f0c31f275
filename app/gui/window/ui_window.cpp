#include "app/gui/window/ui_window.h"

#include <imgui.h>

namespace weft {

UiWindow::UiWindow(const char* name, const Rect& place, int more_flags) {
    if (place.width < 1 || place.height < 1) return;
    ImGui::SetNextWindowPos({static_cast<float>(place.x), static_cast<float>(place.y)});
    ImGui::SetNextWindowSize({static_cast<float>(place.width), static_cast<float>(place.height)});
    begun_ = true;
    visible_ = ImGui::Begin(name, nullptr,
                            ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                                ImGuiWindowFlags_NoSavedSettings |
                                ImGuiWindowFlags_NoBringToFrontOnFocus | more_flags);
}

UiWindow::~UiWindow() {
    if (begun_) ImGui::End();
}

}  // namespace weft
