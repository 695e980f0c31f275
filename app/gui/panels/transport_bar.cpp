#include "app/gui/panels/transport_bar.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <imgui.h>
#include <utility>

#include <fmt/format.h>

#include "app/gui/widgets/icons.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/viewer/play/media_info.h"

namespace weft {
namespace {

constexpr float kVolumeWidth = 80;  // at scale 1
constexpr float kProgressWidth = 120;

void text(const std::string& line) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(line.c_str());
}

void follow_media(TransportBar& bar, const std::shared_ptr<const MediaInfo>& media) {
    if (bar.media == media) return;
    bar.media = media;
    bar.motion.cancel();
    bar.textures.clear();
    bar.thumbnails.open(media);
}

// At A itself there is no loop to end.
bool is_b_next(const PlayerStatus& status, double here) {
    return status.loop_begin && !status.loop_end && here != *status.loop_begin;
}

// The loop and what mark_loop() does next.
std::string loop_help(const PlayerStatus& status, double here) {
    if (!status.loop_begin) return "Set A, where a loop begins, at this frame (l)";
    const std::string from = time_text(*status.loop_begin);
    if (status.loop_end)
        return fmt::format("Clear the loop from {} to {} (l)", from, time_text(*status.loop_end));
    if (is_b_next(status, here))
        return fmt::format("Set B, where the loop from {} ends, at this frame (l)", from);
    return fmt::format("Clear A at {}, as B needs another frame (l)", from);
}

void draw_loop_button(Playing& playing) {
    const PlayerStatus& status = playing.status;
    const double here = playing.shown ? playing.shown->played.seconds : 0;
    const Icon icon = status.loop_end     ? Icon::loop_from_a_to_b
                      : status.loop_begin ? Icon::loop_from_a
                                          : Icon::loop;
    if (icon_button("##loop", icon, loop_help(status, here), status.loop_end.has_value()))
        mark_loop(playing);
    ImGui::SameLine();
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
    if (playing.has_timeline()) {
        draw_play_buttons(playing.player, playing.status.paused);
        draw_loop_button(playing);
    }
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
                           codec_text(*status.media));
    const PlayedFrame none;
    const PlayedFrame& played = playing.shown ? playing.shown->played : none;
    return fmt::format("{} / {}{}", time_text(played.seconds), time_text(status.media->duration),
                       with_frame ? frame_text(played) : "");
}

// Deviations from normal playback: speed, loop, drops, damage.
std::string state_text(const PlayerStatus& status, std::int64_t dropped, bool with_reason) {
    std::string line;
    if (status.speed != 1) line += fmt::format("  {:.2f}x", status.speed);
    if (status.loop_begin)
        line += fmt::format("  A {} B {}", time_text(*status.loop_begin),
                            status.loop_end ? time_text(*status.loop_end) : "?");
    if (dropped > 0) line += fmt::format("  {} dropped", dropped);
    if (!status.damage.empty())
        line += with_reason ? fmt::format("  damaged: {}", valid_utf8(status.damage)) : "  damaged";
    return line;
}

// The parts at the right end of the line, from the left: the progress, the sound and its slider.
// The slider is left out where the text needs its room.
struct RightEnd {
    float progress = 0, button = 0, slider = 0;  // widths with the space before them; 0: none

    float least() const { return progress + button; }
};

RightEnd right_end(const Playing& playing, bool progress, float scale) {
    const float spacing = ImGui::GetStyle().ItemSpacing.x;
    RightEnd end;
    if (progress) end.progress = spacing + kProgressWidth * scale;
    if (!playing.has_timeline()) return end;
    end.button = spacing + ImGui::GetFrameHeight();
    end.slider = spacing + kVolumeWidth * scale;
    return end;
}

// The longest form that leaves room for the right end.
void draw_text(const Playing& playing, std::int64_t dropped, const RightEnd& end) {
    const float room = ImGui::GetContentRegionAvail().x - end.least();
    const std::string state = state_text(playing.status, dropped, false);
    std::string line = place_text(playing, true) + state_text(playing.status, dropped, true);
    for (const std::string& shorter :
         {place_text(playing, true) + state, place_text(playing, false) + state,
          place_text(playing, false)})
        if (ImGui::CalcTextSize(line.c_str()).x > room) line = shorter;
    text(line);
    tooltip(playing.status.damage);
}

// True if it was clicked.
bool draw_progress(const ShownProgress& progress, float width) {
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const float height = ImGui::GetFrameHeight();
    const bool clicked = ImGui::InvisibleButton("##progress", {width, height});
    tooltip(progress.help);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float rounding = ImGui::GetStyle().FrameRounding;
    const auto part = static_cast<float>(progress.fraction.value_or(0));
    list.AddRectFilled(low, {low.x + width, low.y + height}, ImGui::GetColorU32(ImGuiCol_FrameBg),
                       rounding);
    list.AddRectFilled(low, {low.x + part * width, low.y + height}, packed(palette().primary),
                       rounding);
    list.AddRect(low, {low.x + width, low.y + height}, ImGui::GetColorU32(ImGuiCol_Border),
                 rounding);
    const ImVec2 size = ImGui::CalcTextSize(progress.words.c_str());
    list.AddText({low.x + (width - size.x) / 2, low.y + (height - size.y) / 2},
                 ImGui::GetColorU32(ImGuiCol_Text), progress.words.c_str());
    return clicked;
}

// Filled up to the handle, with a line at 100 %.
void draw_volume(Player& player, double volume, float width) {
    constexpr float kMost = 130;
    auto percent = static_cast<float>(volume * 100);
    ImGui::SetNextItemWidth(width);
    ImGui::PushStyleColor(ImGuiCol_Text, 0);  // the handle would cover the number
    if (ImGui::SliderFloat("##volume", &percent, 0, kMost, "%.0f"))
        player.set_volume(percent / 100.0);
    ImGui::PopStyleColor();
    const ImVec2 low = ImGui::GetItemRectMin();
    const ImVec2 high = ImGui::GetItemRectMax();
    // ImGui keeps half a handle free at both ends.
    const float inset = 2 + ImGui::GetStyle().GrabMinSize / 2;
    const float usable = high.x - low.x - 2 * inset;
    const auto x_of = [&](float value) { return low.x + inset + usable * value / kMost; };
    const float y = std::round((low.y + high.y) / 2);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled({low.x + inset / 2, y - 2}, {x_of(percent) - inset / 2, y + 2},
                       packed(palette().mark));
    const float normal = std::round(x_of(100));
    list.AddLine({normal, low.y + 3}, {normal, high.y - 3}, packed(palette().mark));
    tooltip(fmt::format("Volume {:.0f} %; double-click for 100 %", percent));
    if (double_clicked()) player.set_volume(1);
}

void draw_sound(Player& player, const PlayerStatus& status, float slider_width) {
    const bool silent = status.muted || !status.sound.empty();
    const std::string hint = status.sound.empty() ? "Mute (m)" : status.sound;
    if (icon_button("##mute", silent ? Icon::muted : Icon::sound, hint))
        player.set_muted(!status.muted);
    if (slider_width <= 0) return;
    ImGui::SameLine();
    draw_volume(player, status.volume, slider_width);
}

// True if the progress was clicked.
bool draw_right_end(Playing& playing, const std::optional<ShownProgress>& progress, RightEnd end) {
    const float spacing = ImGui::GetStyle().ItemSpacing.x;
    const float left = ImGui::GetItemRectMax().x - ImGui::GetWindowPos().x;
    const float right = ImGui::GetContentRegionMax().x;
    if (right - left < end.least() + end.slider) end.slider = 0;
    ImGui::SameLine(std::max(right - end.least() - end.slider, left) + spacing, 0);
    const bool clicked = progress && draw_progress(*progress, end.progress - spacing);
    if (end.button <= 0) return clicked;
    if (progress) ImGui::SameLine();
    draw_sound(playing.player, playing.status, end.slider - spacing);
    return clicked;
}

}  // namespace

void mark_loop(Playing& playing) {
    if (!playing.shown) return;
    const PlayerStatus status = playing.player.status();
    const double here = playing.shown->played.seconds;
    if (!status.loop_begin)
        playing.player.set_loop(here, std::nullopt);
    else if (is_b_next(status, here))
        playing.player.set_loop(status.loop_begin, here);
    else
        playing.player.set_loop(std::nullopt, std::nullopt);
}

void toggle_motion(TransportBar& bar, const Playing& playing) {
    if (bar.motion.found()) return bar.motion.cancel();
    if (!playing.has_timeline()) return;
    FilmMotionOptions options;
    options.reader.path = playing.status.media->path;
    options.reader.frame_rate = playing.status.media->wanted_rate;
    bar.motion.start(std::move(options));
}

void go_to_motion(TransportBar& bar, Playing& playing, Toasts& toasts, bool forwards) {
    const std::shared_ptr<const FoundMotion> found = bar.motion.found();
    if (!playing.has_timeline() || !playing.shown) return;
    if (!found) return toggle_motion(bar, playing);
    const auto to = found->event_from(playing.shown->played.seconds, forwards);
    if (!to)
        return toasts.note(!found->complete ? "The search for motion has not found more yet"
                           : forwards       ? "No motion follows"
                                            : "No motion precedes this frame");
    playing.player.seek(*to + kIntoFrame);
}

void open_neighbour(Playlist& playlist, Toasts& toasts, int by) {
    if (!playlist.move(by))
        toasts.note(by > 0 ? "This is the last file" : "This is the first file");
}

bool draw_transport(TransportBar& bar, Playing& playing, Playlist& playlist, Toasts& toasts,
                    const std::optional<ShownProgress>& progress, const WindowLayout& layout) {
    const auto scale = static_cast<float>(layout.scale);
    follow_media(bar, playing.status.media);
    const UiWindow window("##transport", layout.transport, ImGuiWindowFlags_NoScrollbar);
    if (!window) return false;
    if (playing.has_timeline()) draw_timeline(bar, playing, scale);
    draw_buttons(playing, playlist, toasts);
    const RightEnd end = right_end(playing, progress.has_value(), scale);
    draw_text(playing, bar.drops.update(playing.status.dropped, std::chrono::steady_clock::now()),
              end);
    return end.least() > 0 && draw_right_end(playing, progress, end);
}

}  // namespace weft
