// The queue in the Export panel.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <imgui.h>
#include <ranges>
#include <vector>

#include <fmt/format.h>

#include "app/gui/panels/export_panel.h"
#include "app/gui/widgets/icons.h"
#include "app/gui/widgets/small_widgets.h"

namespace weft {
namespace {

// The clicked control's effect; applied after the list is drawn, because it changes the list.
using QueueChange = std::function<void()>;

constexpr const char* kTryAgainHelp =
    "Runs this export again. Before that, tick 'Keep the good part of damaged files' to keep that "
    "part, and 'Continue after an interruption' to keep what is finished if it is cancelled.";

std::string file_name_of(const QueuedExport& queued) {
    return valid_utf8(std::filesystem::path(queued.job.writer.path).filename().string());
}

// The list shows running and waiting exports in the order of the queue, then ended ones, the latest
// first. A new export and the last that ended thus stay near the buttons in a long list.
std::vector<const QueuedExport*> shown_order(const std::vector<QueuedExport>& list) {
    std::vector<const QueuedExport*> order;
    const auto is_ended = [](const QueuedExport& queued) {
        return queued.state != QueueState::running && queued.state != QueueState::waiting;
    };
    for (const QueuedExport& queued : list)
        if (!is_ended(queued)) order.push_back(&queued);
    for (const QueuedExport& queued : std::views::reverse(list))
        if (is_ended(queued)) order.push_back(&queued);
    return order;
}

void draw_head(ExportQueue& queue) {
    ImGui::AlignTextToFramePadding();
    dim_text("Queue");
    const bool has_button = queue.paused() || queue.running() || queue.waiting() > 0;
    if (has_button) ImGui::SameLine();
    if (queue.paused()) {
        if (ImGui::Button("Resume")) queue.set_paused(false);
    } else if (queue.running()) {
        if (ImGui::Button("Pause")) queue.set_paused(true);
        tooltip("Pauses the running export after its current frame and starts no other.");
    } else if (queue.waiting() > 0) {
        if (ImGui::Button("Start queue")) queue.start();
        tooltip("Runs the waiting exports, one after the other.");
    }
}

bool button_in_row(const char* label, const char* help) {
    ImGui::SameLine();
    const bool pressed = ImGui::Button(label);
    tooltip(help);
    return pressed;
}

bool icon_in_row(const char* id, Icon icon, const char* help) {
    ImGui::SameLine();
    return icon_button(id, icon, help);
}

void draw_details(const QueuedExport& queued) {
    ImGui::PushTextWrapPos(0);
    if (queued.state == QueueState::failed) draw_problem(valid_utf8(queued.outcome.sentence));
    ImGui::PopTextWrapPos();
    if (queued.state != QueueState::done || !ImGui::TreeNode("Details")) return;
    wrapped_text(valid_utf8(queued.outcome.sentence));
    for (const std::string& detail : queued.outcome.details) {
        ImGui::Bullet();
        wrapped_text(valid_utf8(detail));
    }
    ImGui::TreePop();
}

void draw_running(ExportQueue& queue, const ExportStatus& status) {
    const double moving = 0.5 + 0.5 * std::sin(ImGui::GetTime());
    const bool cancelling = status.state == ExportState::cancelling;
    ImGui::BeginDisabled(cancelling);
    if (button_in_row("Cancel", "Stops this export; its file is not written.")) queue.cancel();
    ImGui::EndDisabled();
    ImGui::PushStyleColor(ImGuiCol_PlotHistogram, packed(palette().mark));
    ImGui::ProgressBar(static_cast<float>(status.pace.fraction.value_or(moving)),
                       {-1, ImGui::GetFontSize() / 2}, "");
    ImGui::PopStyleColor();
    wrapped_text(progress_words(status));
    draw_problem(valid_utf8(status.full_disk));
}

void draw_waiting_buttons(ExportQueue& queue, const QueuedExport& queued, QueueChange& change) {
    const auto id = queued.id;
    if (icon_in_row("##up", Icon::up, "Move up")) change = [&queue, id] { queue.move(id, -1); };
    if (icon_in_row("##down", Icon::down, "Move down"))
        change = [&queue, id] { queue.move(id, 1); };
}

void draw_ended_buttons(ExportPanel& panel, Playlist& playlist, const QueuedExport& queued,
                        QueueChange& change) {
    const auto id = queued.id;
    const bool again = queued.state == QueueState::failed || queued.state == QueueState::cancelled;
    if (again && button_in_row("Try again", kTryAgainHelp))
        change = [&panel, id] {
            panel.queue.try_again(id, {.keep_damaged = panel.keep_damaged,
                                       .resumable = panel.resumable.value_or(false)});
        };
    if (queued.state == QueueState::done && button_in_row("Open", "Shows the written file."))
        change = [&playlist, path = queued.job.writer.path] { playlist.set({path}); };
}

void draw_entry(ExportPanel& panel, Playlist& playlist, const QueuedExport& queued,
                QueueChange& change) {
    ExportQueue& queue = panel.queue;
    const ExportStatus status = queue.status();
    elided_text(file_name_of(queued), ImGui::GetContentRegionAvail().x);
    tooltip(valid_utf8(queued.job.writer.path));
    ImGui::AlignTextToFramePadding();
    dim_text(state_text(queued, status));
    if (queued.state == QueueState::running) return draw_running(queue, status);
    if (queued.state == QueueState::waiting)
        draw_waiting_buttons(queue, queued, change);
    else
        draw_ended_buttons(panel, playlist, queued, change);
    if (icon_in_row("##remove", Icon::close, "Remove from the queue"))
        change = [&queue, id = queued.id] { queue.remove(id); };
    draw_details(queued);
}

}  // namespace

std::optional<ShownProgress> shown_progress(const ExportQueue& queue) {
    if (!queue.running()) return std::nullopt;
    const ExportStatus status = queue.status();
    const std::string name = std::filesystem::path(status.output).filename().string();
    const std::optional<double>& part = status.pace.fraction;
    const char* const what = status.paused ? "Paused" : "Export";
    return ShownProgress{.fraction = part,
                         .words = part ? fmt::format("{} {:.0f} %", what, std::floor(*part * 100))
                                       : fmt::format("{}…", what),
                         .help = fmt::format("{}: {}", valid_utf8(name), progress_words(status))};
}

void draw_export_queue(ExportPanel& panel, Playlist& playlist) {
    ExportQueue& queue = panel.queue;
    if (queue.list().empty()) return;
    ImGui::Separator();
    draw_head(queue);
    QueueChange change;
    for (const QueuedExport* queued : shown_order(queue.list())) {
        ImGui::PushID(static_cast<int>(queued->id));
        draw_entry(panel, playlist, *queued, change);
        ImGui::PopID();
    }
    if (change) change();
}

}  // namespace weft
