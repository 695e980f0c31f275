#include <cmath>
#include <imgui.h>
#include <optional>

#include <fmt/format.h>

#include "app/gui/panels/panels.h"
#include "app/gui/panels/picture_area.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/viewer/play/frame_facts.h"
#include "app/viewer/screen/pixel_grid.h"
#include "filters/planes.h"

namespace weft {
namespace {

// The sample of one component at a position in the coded picture.
std::string text_at(const ShownFrame& frame, const Picture& picture, std::size_t plane,
                    std::size_t channel, Point coded) {
    const PlaneInfo& info = frame.info.planes[plane];
    const int x = static_cast<int>(coded.x * info.width / frame.info.width);
    const int y = static_cast<int>(coded.y * info.height / frame.info.height);
    const SampleBlock block = read_samples(picture.planes[plane], x, y, 1, 1);
    if (!block.contains(x, y)) return "";
    return sample_text(frame.info, block.at(x, y, static_cast<int>(channel)));
}

// As high without a position, so that the panel does not move when the mouse comes to it.
void draw_samples(const ShownFrame& frame, const std::optional<Point>& coded) {
    const auto columns = static_cast<int>(2 + frame.filtered.size());
    if (!ImGui::BeginTable("samples", columns, ImGuiTableFlags_RowBg)) return;
    ImGui::TableSetupColumn("");
    ImGui::TableSetupColumn("Original");
    const bool several = frame.filtered.size() > 1;
    for (std::size_t k = 0; k < frame.filtered.size(); ++k)
        ImGui::TableSetupColumn(k > 0 ? "Second" : several ? "First" : "Filtered");
    ImGui::TableHeadersRow();
    for (std::size_t p = 0; p < frame.info.planes.size(); ++p)
        for (std::size_t c = 0; c < frame.info.planes[p].components.size(); ++c) {
            ImGui::TableNextRow();
            ImGui::TableNextColumn();
            ImGui::Text("%c", letter(frame.info.planes[p].components[c]));
            ImGui::TableNextColumn();
            const auto show = [&](const Picture& picture) {
                const std::string text = coded ? text_at(frame, picture, p, c, *coded) : "-";
                ImGui::TextUnformatted(text.c_str());
            };
            show(frame.original);
            for (const Picture& picture : frame.filtered) {
                ImGui::TableNextColumn();
                show(picture);
            }
        }
    ImGui::EndTable();
}

void draw_file(const MediaInfo& media) {
    wrapped_text(media.path);
    const std::string rate = media.still ? "" : fmt::format(", {:.5g} frames/s", media.frame_rate);
    ImGui::TextWrapped("%d×%d %s, %s%s", media.frame.width, media.frame.height,
                       media.pixel_format.c_str(), codec_text(media).c_str(), rate.c_str());
    for (const std::string& note : media.notes) wrapped_text(note);
}

// Names to the left of their values; both wrap in a narrow panel.
void draw_facts(const char* name, const std::vector<Fact>& facts) {
    if (facts.empty()) return;
    ImGui::Separator();
    if (!ImGui::BeginTable(name, 2)) return;
    ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthStretch, 2);
    ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch, 3);
    for (const Fact& fact : facts) {
        ImGui::TableNextColumn();
        ImGui::PushTextWrapPos(0);
        dim_text(fact.name);
        ImGui::TableNextColumn();
        plain_text(fact.value);
        ImGui::PopTextWrapPos();
    }
    ImGui::EndTable();
}

void draw_pointed(const ShownFrame& frame, const Pointer& pointer) {
    ImGui::Separator();
    if (!pointer.over_picture) {
        ImGui::PushTextWrapPos(0);
        dim_text("Point at the picture to read its pixel values.");
        ImGui::PopTextWrapPos();
        return draw_samples(frame, std::nullopt);
    }
    ImGui::Text("x %d  y %d", static_cast<int>(std::floor(pointer.coded.x)),
                static_cast<int>(std::floor(pointer.coded.y)));
    draw_samples(frame, pointer.coded);
}

}  // namespace

void draw_inspector(const Playing& playing, const Pointer& pointer) {
    if (playing.status.media) draw_file(*playing.status.media);
    if (!playing.shown) return;
    if (playing.has_timeline()) {
        ImGui::Separator();
        ImGui::Text("frame %lld at %.6f s", static_cast<long long>(playing.shown->played.number),
                    playing.shown->played.seconds);
    }
    draw_pointed(*playing.shown, pointer);
    if (!playing.status.media) return;
    const FrameFacts facts = frame_facts(*playing.shown->played.frame, *playing.status.media);
    draw_facts("frame", facts.frame);
    draw_facts("colour", facts.colour);
    draw_facts("side data", facts.side_data);
}

}  // namespace weft
