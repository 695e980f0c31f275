#include <algorithm>
#include <imgui.h>

#include <fmt/format.h>

#include "app/gui/panels/gui.h"
#include "app/gui/panels/panels.h"
#include "app/gui/window/transport.h"
#include "app/gui/window/ui_window.h"
#include "app/viewer/play/time_text.h"

namespace weft {
namespace {

constexpr float kVolumeWidth = 80;  // at scale 1

void text(const std::string& line) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(line.c_str());
}

void follow_media(Gui& gui, const PlayerStatus& status) {
    if (gui.transport.media == status.media) return;
    gui.transport.media = status.media;
    gui.transport.textures.clear();
    gui.thumbnails.open(status.media);
}

void draw_buttons(Gui& gui, const PlayerStatus& status) {
    if (gui.playlist.files().size() > 1) {
        if (icon_button("##previous", Icon::previous, "Previous file (<)")) gui.open_neighbour(-1);
        ImGui::SameLine();
    }
    if (icon_button("##back", Icon::back, "Previous frame (,)")) gui.player.step(-1);
    ImGui::SameLine();
    if (icon_button("##play", status.paused ? Icon::play : Icon::pause,
                    status.paused ? "Play (Space)" : "Pause (Space)"))
        gui.player.set_paused(!status.paused);
    ImGui::SameLine();
    if (icon_button("##forward", Icon::forward, "Next frame (.)")) gui.player.step(1);
    ImGui::SameLine();
    if (gui.playlist.files().size() > 1) {
        if (icon_button("##next", Icon::next, "Next file (>)")) gui.open_neighbour(1);
        ImGui::SameLine();
    }
}

// "0:01.234 / 1:02.000  frame 37", or "~37" for an estimate.
std::string place_text(const Gui& gui, const PlayerStatus& status) {
    if (!status.media) return status.opening ? "opening…" : "";
    const PlayedFrame none;
    const PlayedFrame& played = gui.shown ? gui.shown->played : none;
    std::string line = fmt::format("{} / {}  frame {}{}", time_text(played.seconds),
                                   time_text(status.media->duration),
                                   played.number_exact ? "" : "~", played.number);
    if (status.seeking) line += "  seeking…";
    return line;
}

// Deviations from normal playback: speed, loop, drops, damage.
std::string state_text(const PlayerStatus& status) {
    std::string line;
    if (status.speed != 1) line += fmt::format("  {:.2f}x", status.speed);
    if (status.loop_begin)
        line += fmt::format("  A {} B {}", time_text(*status.loop_begin),
                            status.loop_end ? time_text(*status.loop_end) : "?");
    if (status.dropped > 0) line += fmt::format("  {} dropped", status.dropped);
    if (!status.damage.empty()) line += "  damaged";
    return line;
}

void draw_sound(Gui& gui, const PlayerStatus& status) {
    const float width = kVolumeWidth * static_cast<float>(gui.look.scale);
    const float whole = width + ImGui::GetFrameHeight() + ImGui::GetStyle().ItemSpacing.x;
    ImGui::SameLine(std::max(ImGui::GetContentRegionMax().x - whole, ImGui::GetCursorPosX()));
    const bool silent = status.muted || !status.sound.empty();
    const std::string hint = status.sound.empty() ? "Mute (m)" : status.sound;
    if (icon_button("##mute", silent ? Icon::muted : Icon::sound, hint.c_str()))
        gui.player.set_muted(!status.muted);
    ImGui::SameLine();
    ImGui::SetNextItemWidth(width);
    auto percent = static_cast<float>(status.volume * 100);
    if (ImGui::SliderFloat("##volume", &percent, 0, 130, "%.0f %%"))
        gui.player.set_volume(percent / 100.0);
    if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(0)) gui.player.set_volume(1);
}

}  // namespace

void draw_transport(Gui& gui) {
    const PlayerStatus& status = gui.status;
    follow_media(gui, status);
    const UiWindow window("##transport", gui.layout.transport, ImGuiWindowFlags_NoScrollbar);
    if (!window) return;
    draw_timeline(gui, status, gui.shown ? gui.shown->played.seconds : 0);
    draw_buttons(gui, status);
    text(place_text(gui, status) + state_text(status));
    if (!status.damage.empty() && ImGui::IsItemHovered())
        ImGui::SetTooltip("%s", status.damage.c_str());
    draw_sound(gui, status);
}

}  // namespace weft
