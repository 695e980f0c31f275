// The timeline shows played and cached ranges, chapters, A and B, corrupt frames, the selected
// region, and a thumbnail for the position under the pointer. Above it is the motion of the film,
// once it was searched.
#include <algorithm>
#include <cmath>
#include <imgui.h>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "app/gui/panels/transport_bar.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/viewer/play/media_info.h"

namespace weft {
namespace {

constexpr float kHeight = 16;  // at scale 1
constexpr float kBarPart = 0.45F;
constexpr float kMotionHeight = 28;  // with the space below it, that of the layout

struct Bar {
    ImVec2 from, to;  // corners
    double duration = 0;
    float scale = 1;

    float x(double seconds) const {
        const double part = duration > 0 ? std::clamp(seconds / duration, 0.0, 1.0) : 0;
        return from.x + (to.x - from.x) * static_cast<float>(part);
    }
    double seconds(float at) const {
        const float part = (at - from.x) / std::max(to.x - from.x, 1.0F);
        return std::clamp(part, 0.0F, 1.0F) * duration;
    }
};

void fill(const Bar& bar, double from, double to, ImU32 colour) {
    ImGui::GetWindowDrawList()->AddRectFilled({bar.x(from), bar.from.y}, {bar.x(to), bar.to.y},
                                              colour);
}

void mark(const Bar& bar, double seconds, float up, ImU32 colour) {
    const float x = std::round(bar.x(seconds));
    ImGui::GetWindowDrawList()->AddLine({x, bar.from.y - up}, {x, bar.to.y + up}, colour,
                                        2 * bar.scale);
}

void draw_bar(const Bar& bar, const PlayerStatus& status, double position, float up) {
    const Palette& colours = palette();
    fill(bar, 0, bar.duration, packed(colours.field));
    for (const auto& [from, to] : status.cached) fill(bar, from, to, packed(colours.cached));
    fill(bar, 0, position, packed(colours.played));
    if (status.loop_begin)
        fill(bar, *status.loop_begin, status.loop_end.value_or(*status.loop_begin),
             packed(colours.loop, 0.5F));
    for (const Chapter& chapter : status.media->chapters)
        mark(bar, chapter.seconds, 0, packed(colours.dim_text));
    if (status.loop_begin) mark(bar, *status.loop_begin, up / 2, packed(colours.loop));
    if (status.loop_end) mark(bar, *status.loop_end, up / 2, packed(colours.loop));
    for (const double seconds : status.damaged)
        mark(bar, seconds, up / 2, packed(colours.error_text));
    mark(bar, position, up, packed(colours.text));
}

// A line along the lower edge shows where the region is; it is a strip where that is uncertain.
// Keyframes are diamonds above the bar.
void draw_region_marks(const Bar& bar, const RegionMarks& regions, float edge) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    for (const auto& [from, to] : regions.present) {
        if (from >= bar.duration) continue;
        list.AddRectFilled({bar.x(from), bar.to.y + edge / 2}, {bar.x(to), bar.to.y + edge},
                           regions.colour);
    }
    for (const auto& [from, to] : regions.uncertain) {
        const float left = bar.x(from);
        list.AddRectFilled({left, bar.to.y - edge / 2},
                           {std::max(bar.x(to), left + 2 * bar.scale), bar.to.y + edge},
                           packed(palette().error_text));
    }
    for (const double seconds : regions.drawn) {
        if (seconds > bar.duration) continue;  // the end of a hold
        const ImVec2 at{bar.x(seconds), bar.from.y};
        const auto diamond = [&](float half, ImU32 colour) {
            list.AddQuadFilled({at.x - half, at.y}, {at.x, at.y - half}, {at.x + half, at.y},
                               {at.x, at.y + half}, colour);
        };
        diamond(edge + bar.scale, packed(palette().window));
        diamond(edge, regions.colour);
    }
}

const Chapter* chapter_at(const MediaInfo& media, double seconds) {
    const Chapter* found = nullptr;
    for (const Chapter& chapter : media.chapters)
        if (chapter.seconds <= seconds) found = &chapter;
    return found;
}

// Above the bar, where it covers no control, and inside the window.
void place_tooltip(const Bar& bar, const ThumbnailPtr& picture, float scale) {
    const float gap = ImGui::GetStyle().WindowPadding.x;
    const float wide = picture ? static_cast<float>(picture->width) * scale : 0;
    const float half = std::max(wide, 8 * ImGui::GetFontSize()) / 2 + gap;
    const float most = std::max(ImGui::GetIO().DisplaySize.x - half, half);
    const float x = std::clamp(ImGui::GetIO().MousePos.x, half, most);
    ImGui::SetNextWindowPos({x, bar.from.y - gap}, ImGuiCond_Always, {0.5F, 1});
}

void draw_tooltip(TransportBar& transport, const Bar& bar, const MediaInfo& media, float scale,
                  const std::string& motion = "") {
    const double seconds = bar.seconds(ImGui::GetIO().MousePos.x);
    const ThumbnailPtr picture = transport.thumbnails.nearest(seconds);
    place_tooltip(bar, picture, scale);
    ImGui::BeginTooltip();
    if (picture) {
        ImGui::Image(transport.textures.texture_of(picture),
                     {static_cast<float>(picture->width) * scale,
                      static_cast<float>(picture->height) * scale});
    }
    ImGui::TextUnformatted(time_text(seconds).c_str());
    if (const Chapter* chapter = chapter_at(media, seconds); chapter && !chapter->title.empty())
        ImGui::TextUnformatted(chapter->title.c_str());
    if (!motion.empty()) ImGui::TextUnformatted(motion.c_str());
    ImGui::EndTooltip();
}

// During a drag, the next seek waits until the last one has shown its frame.
void follow_drag(TransportBar& transport, Playing& playing, double under_pointer) {
    const bool active = ImGui::IsItemActive();
    if (active) transport.dragged_to = under_pointer;
    const bool idle = !playing.shown || playing.shown->played.serial == playing.player.serial();
    const bool waits = active && (!idle || playing.status.seeking);
    if (transport.dragged_to != transport.sought && !waits) {
        playing.player.seek(*transport.dragged_to);
        transport.sought = transport.dragged_to;
    }
    if (!active) transport.dragged_to = transport.sought = std::nullopt;
}

// ---- motion ----

std::string event_text(const MotionEvent& event) {
    return fmt::format("Motion from {} to {}\nThe most is at {}: {:.2f} % of the picture",
                       time_text(event.begin), time_text(event.end), time_text(event.peak),
                       100 * event.area);
}

// "Searching for motion: 34 %", "No motion"; "" if the events are enough.
std::string search_text(const FoundMotion& found, double duration) {
    if (!found.problem.empty()) return valid_utf8(found.problem);
    const double read = static_cast<double>(found.curve.size()) * FoundMotion::kStepSeconds;
    if (!found.complete)
        return fmt::format("Searching for motion: {:.0f} %", 100 * std::min(read / duration, 1.0));
    return found.events.empty() ? "No motion was found" : "";
}

// The root of the area, because a person far away moves a thousandth of the picture.
void draw_curve(const Bar& strip, const FoundMotion& found) {
    const float scale = strip.scale;
    const float most = found.most_between(0, strip.duration);
    const float height = strip.to.y - strip.from.y;
    if (most <= 0) return;
    const int columns = static_cast<int>((strip.to.x - strip.from.x) / scale);
    for (int column = 0; column < columns; ++column) {
        const float x = strip.from.x + static_cast<float>(column) * scale;
        const float area = found.most_between(strip.seconds(x), strip.seconds(x + scale));
        const float top = strip.to.y - height * std::sqrt(area / most);
        if (area > 0)
            ImGui::GetWindowDrawList()->AddRectFilled({x, top}, {x + scale, strip.to.y},
                                                      packed(palette().mark));
    }
}

void draw_motion_strip(const Bar& strip, const FoundMotion& found, double position) {
    const float scale = strip.scale;
    const Palette& colours = palette();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    fill(strip, 0, strip.duration, packed(colours.field));
    draw_curve(strip, found);
    for (const MotionEvent& event : found.events) {
        const float left = strip.x(event.begin);
        list.AddRectFilled({left, strip.from.y},
                           {std::max(strip.x(event.end), left + 2 * scale), strip.to.y},
                           packed(colours.loop, 0.35F));
    }
    mark(strip, position, 0, packed(colours.text));
    const std::string words = search_text(found, strip.duration);
    const ImVec2 size = ImGui::CalcTextSize(words.c_str());
    if (words.empty() || size.x > strip.to.x - strip.from.x) return;
    list.AddText({strip.to.x - size.x - 4 * scale, (strip.from.y + strip.to.y - size.y) / 2},
                 packed(found.problem.empty() ? colours.dim_text : colours.error_text),
                 words.c_str());
}

// A click on an event goes to its beginning, and elsewhere to the time under the mouse.
void draw_motion(TransportBar& transport, Playing& playing, float scale) {
    const std::shared_ptr<const FoundMotion> found = transport.motion.found();
    const double duration = playing.status.media ? playing.status.media->duration : 0;
    if (!found || duration <= 0) return;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = std::max(ImGui::GetContentRegionAvail().x, 1.0F);
    const float height = kMotionHeight * scale - ImGui::GetStyle().ItemSpacing.y;
    ImGui::InvisibleButton("motion", {width, height});
    const Bar strip{at, {at.x + width, at.y + height}, duration, scale};
    draw_motion_strip(strip, *found, playing.shown ? playing.shown->played.seconds : 0);
    if (!ImGui::IsItemHovered()) return;
    constexpr float kReach = 3;  // at scale 1
    const double under_pointer = strip.seconds(ImGui::GetIO().MousePos.x);
    const double reach = strip.seconds(strip.from.x + kReach * scale);
    const MotionEvent* const event = found->event_at(under_pointer, reach);
    draw_tooltip(transport, strip, *playing.status.media, scale, event ? event_text(*event) : "");
    if (ImGui::IsItemClicked())
        playing.player.seek(event ? event->begin + kIntoFrame : under_pointer);
}

}  // namespace

void draw_timeline(TransportBar& transport, Playing& playing, float scale) {
    const PlayerStatus& status = playing.status;
    const float height = kHeight * scale;
    draw_motion(transport, playing, scale);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = std::max(ImGui::GetContentRegionAvail().x, 1.0F);
    ImGui::InvisibleButton("timeline", {width, height});
    if (!status.media) return;
    const float edge = height * (1 - kBarPart) / 2;
    const Bar bar{
        {at.x, at.y + edge}, {at.x + width, at.y + height - edge}, status.media->duration, scale};
    const double position = playing.shown ? playing.shown->played.seconds : 0;
    draw_bar(bar, status, transport.dragged_to.value_or(position), edge);
    if (bar.duration <= 0) return;
    draw_region_marks(bar, transport.regions, edge);
    const double under_pointer = bar.seconds(ImGui::GetIO().MousePos.x);
    follow_drag(transport, playing, under_pointer);
    if (ImGui::IsItemHovered() || ImGui::IsItemActive())
        draw_tooltip(transport, bar, *status.media, scale);
}

}  // namespace weft
