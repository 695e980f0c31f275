#include <chrono>
#include <cmath>
#include <imgui.h>

#include <fmt/format.h>

#include "app/gui/gui.h"
#include "app/gui/panels.h"
#include "app/gui/ui_window.h"

namespace weft {
namespace {

std::string clock_text(double seconds) {
    const auto ms = static_cast<long>(std::lround(std::max(seconds, 0.0) * 1000));
    return fmt::format("{}:{:02}:{:02}.{:03}", ms / 3600000, ms / 60000 % 60, ms / 1000 % 60,
                       ms % 1000);
}

}  // namespace

void draw_transport(Gui& gui) {
    const UiWindow window("##transport", gui.layout.transport, ImGuiWindowFlags_NoScrollbar);
    if (!window) return;
    const PlayerStatus status = gui.player.status();
    const double duration = status.media ? status.media->duration : 0;
    auto at = static_cast<float>(gui.shown ? gui.shown->played.seconds : 0);
    ImGui::SetNextItemWidth(-1);
    if (ImGui::SliderFloat("##timeline", &at, 0, static_cast<float>(duration), ""))
        gui.player.seek(at);
    if (ImGui::Button(status.paused ? "Play" : "Pause")) gui.player.set_paused(!status.paused);
    ImGui::SameLine();
    ImGui::Text("%s / %s", clock_text(at).c_str(), clock_text(duration).c_str());
}

}  // namespace weft
