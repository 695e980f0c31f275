// Time per frame and playback statistics, over the picture: mpv's `i`.
#include <algorithm>
#include <imgui.h>
#include <string>

#include <fmt/format.h>

#include "app/gui/panels/panels.h"
#include "app/gui/panels/playing.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/viewer/screen/frame_worker.h"
#include "app/viewer/shell/view_options.h"

namespace weft {
namespace {

void right_aligned(const std::string& text) {
    const float free = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x;
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(free, 0.0F));
    plain_text(text);
}

// The times in one unit, one below the other.
void draw_steps(const WorkerStatus& status) {
    if (std::ranges::all_of(status.stacks, [](const auto& stack) { return stack.empty(); })) return;
    plain_text("kernels alone:");
    if (!ImGui::BeginTable("steps", 3, ImGuiTableFlags_SizingFixedFit)) return;
    for (const auto& stack : status.stacks)
        for (const StepNote& step : stack) {
            ImGui::TableNextColumn();
            plain_text("  " + step.filter);
            ImGui::TableNextColumn();
            right_aligned(fmt::format("{:.3f} ms", step.seconds * 1e3));
            ImGui::TableNextColumn();
            plain_text(step.kernels);
        }
    ImGui::EndTable();
}

std::string way_to_screen(const Device& device, const SessionReport& report) {
    if (!device.is_gpu()) return "frames are filtered and shown from main memory";
    if (report.why_no_interop.empty()) return "frames reach the screen without leaving the GPU";
    return "frames reach the screen through main memory: " + report.why_no_interop;
}

std::string decoder_line(const Decoding& decoding) {
    if (decoding.on_gpu) return "decoded by the GPU\n";
    const std::string why = decoding.why_not.empty() ? "" : ": " + decoding.why_not;
    return fmt::format("decoded by the CPU{}\n", why);
}

std::string source_line(const MediaInfo& media) {
    const std::string rate = media.still ? "" : fmt::format(", {:.3f} frames/s", media.frame_rate);
    return fmt::format("{}×{} {} {}{}\n", media.frame.width, media.frame.height, media.video_codec,
                       media.pixel_format, rate);
}

std::string stats_text(const Device& device, const PlayerStatus& player, const WorkerStatus& worker,
                       const SessionReport& report) {
    std::string text = fmt::format("{}\n", device.name);
    if (player.media) text += source_line(*player.media) + decoder_line(player.media->decoding);
    text += fmt::format("shown {}, dropped {}\n", report.frames_shown, player.dropped);
    text += fmt::format("redraw {:.2f} ms, p95 {:.2f} ms\n",
                        report.frame_seconds.median_seconds() * 1e3,
                        report.frame_seconds.p95_seconds() * 1e3);
    text += fmt::format("upload {:.2f} ms, filters {:.2f} ms with launches and waits\n",
                        worker.upload_seconds * 1e3, worker.filter_seconds * 1e3);
    return text + way_to_screen(device, report);
}

}  // namespace

void draw_stats(const Device& device, const PlayerStatus& player, const WorkerStatus& worker,
                const SessionReport& report, const Rect& picture) {
    ImGui::SetNextWindowPos(
        {static_cast<float>(picture.x) + 12, static_cast<float>(picture.y) + 12});
    ImGui::SetNextWindowBgAlpha(0.85F);
    if (ImGui::Begin("##stats", nullptr,
                     ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_AlwaysAutoResize |
                         ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoSavedSettings |
                         ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav)) {
        plain_text(stats_text(device, player, worker, report));
        draw_steps(worker);
    }
    ImGui::End();
}

}  // namespace weft
