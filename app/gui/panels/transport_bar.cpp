#include "app/gui/panels/transport_bar.h"

#include <algorithm>
#include <imgui.h>

#include <fmt/format.h>

#include "app/gui/widgets/small_widgets.h"
#include "app/viewer/play/media_info.h"

namespace weft {
namespace {

constexpr float kVolumeWidth = 80;  // at scale 1

enum class Icon { play, pause, back, forward, previous, next, sound, muted };

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

// A square button with an icon; true if it was pressed.
bool icon_button(const char* id, Icon icon, const char* tooltip) {
    const float side = ImGui::GetFrameHeight();
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const bool pressed = ImGui::Button(id, {side, side});
    draw({corner, side}, icon);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tooltip);
    return pressed;
}

void text(const std::string& line) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(line.c_str());
}

void follow_media(TransportBar& bar, const std::shared_ptr<const MediaInfo>& media) {
    if (bar.media == media) return;
    bar.media = media;
    bar.textures.clear();
    bar.thumbnails.open(media);
}

void draw_play_buttons(Player& player, bool paused) {
    if (icon_button("##back", Icon::back, "Previous frame (,)")) player.step(-1);
    ImGui::SameLine();
    if (icon_button("##play", paused ? Icon::play : Icon::pause,
                    paused ? "Play (Space)" : "Pause (Space)"))
        player.set_paused(!paused);
    ImGui::SameLine();
    if (icon_button("##forward", Icon::forward, "Next frame (.)")) player.step(1);
    ImGui::SameLine();
}

void draw_buttons(Playing& playing, Playlist& playlist, Toasts& toasts) {
    if (playlist.files().size() > 1) {
        if (icon_button("##previous", Icon::previous, "Previous file (<)"))
            open_neighbour(playlist, toasts, -1);
        ImGui::SameLine();
    }
    if (playing.has_timeline()) draw_play_buttons(playing.player, playing.status.paused);
    if (playlist.files().size() > 1) {
        if (icon_button("##next", Icon::next, "Next file (>)")) open_neighbour(playlist, toasts, 1);
        ImGui::SameLine();
    }
}

std::string frame_text(const PlayedFrame& played) {
    return fmt::format("  frame {}{}", played.number_exact ? "" : "~", played.number);
}

// "0:01.234 / 1:02.000  frame 37", or "~37" for an estimate; "640×360 png" of a still picture.
std::string place_text(const Playing& playing, bool with_frame) {
    const PlayerStatus& status = playing.status;
    if (!status.media) return "";
    if (!playing.has_timeline())
        return fmt::format("{}×{} {}", status.media->frame.width, status.media->frame.height,
                           status.media->video_codec);
    const PlayedFrame none;
    const PlayedFrame& played = playing.shown ? playing.shown->played : none;
    return fmt::format("{} / {}{}", time_text(played.seconds), time_text(status.media->duration),
                       with_frame ? frame_text(played) : "");
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

// The longest form that leaves room for the button of the sound.
void draw_text(const Playing& playing) {
    const float sound =
        playing.has_timeline() ? ImGui::GetFrameHeight() + ImGui::GetStyle().ItemSpacing.x : 0;
    const float room = ImGui::GetContentRegionAvail().x - sound;
    const std::string state = state_text(playing.status);
    std::string line = place_text(playing, true) + state;
    for (const std::string& shorter :
         {place_text(playing, false) + state, place_text(playing, false)})
        if (ImGui::CalcTextSize(line.c_str()).x > room) line = shorter;
    text(line);
    tooltip(playing.status.damage);
}

// At the right end of the line. Without the slider where the text, the last item, needs its room.
void draw_sound(Player& player, const PlayerStatus& status, float scale) {
    const float width = kVolumeWidth * scale;
    const float spacing = ImGui::GetStyle().ItemSpacing.x;
    const float button = ImGui::GetFrameHeight();
    const float right = ImGui::GetContentRegionMax().x;
    const float left = ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x + spacing;
    const bool slider = right - left >= button + spacing + width;
    ImGui::SameLine(std::max(right - button - (slider ? spacing + width : 0), left));
    const bool silent = status.muted || !status.sound.empty();
    const std::string hint = status.sound.empty() ? "Mute (m)" : status.sound;
    if (icon_button("##mute", silent ? Icon::muted : Icon::sound, hint.c_str()))
        player.set_muted(!status.muted);
    if (!slider) return;
    ImGui::SameLine();
    ImGui::SetNextItemWidth(width);
    auto percent = static_cast<float>(status.volume * 100);
    ImGui::PushStyleColor(ImGuiCol_Text, 0);  // the handle would cover the number
    if (ImGui::SliderFloat("##volume", &percent, 0, 130, "%.0f"))
        player.set_volume(percent / 100.0);
    ImGui::PopStyleColor();
    if (ImGui::IsItemHovered() || ImGui::IsItemActive())
        ImGui::SetTooltip("Volume %.0f %%", static_cast<double>(percent));
    if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(0)) player.set_volume(1);
}

}  // namespace

void open_neighbour(Playlist& playlist, Toasts& toasts, int by) {
    if (!playlist.move(by))
        toasts.note(by > 0 ? "This is the last file" : "This is the first file");
}

void draw_transport(TransportBar& bar, Playing& playing, Playlist& playlist, Toasts& toasts,
                    const WindowLayout& layout) {
    const auto scale = static_cast<float>(layout.scale);
    follow_media(bar, playing.status.media);
    const UiWindow window("##transport", layout.transport, ImGuiWindowFlags_NoScrollbar);
    if (!window) return;
    if (playing.has_timeline()) draw_timeline(bar, playing, scale);
    draw_buttons(playing, playlist, toasts);
    draw_text(playing);
    if (playing.has_timeline()) draw_sound(playing.player, playing.status, scale);
}

}  // namespace weft
