#include <array>
#include <epoxy/gl.h>
#include <imgui.h>
#include <imgui_stdlib.h>
#include <unistd.h>

#include <fmt/format.h>

#include "app/gui/panels/gui.h"
#include "app/gui/panels/panels.h"
#include "app/gui/widgets/small_widgets.h"
#include "app/viewer/export/export_job.h"
#include "app/viewer/shell/folder_listing.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr float kMostCrf = 51;
constexpr float kCrfWidth = 10;  // in font heights
constexpr std::array kPictureEndings{"png", "tiff", "mkv", "nut", "y4m", "jpg"};

std::optional<std::pair<double, double>> loop_of(const PlayerStatus& status) {
    if (!status.loop_begin || !status.loop_end) return std::nullopt;
    return std::pair(*status.loop_begin, *status.loop_end);
}

ExportRequest request_of(const Gui& gui, const PlayerStatus& status) {
    const ExportPanel& panel = gui.export_panel;
    ExportRequest request;
    request.input = status.media->path;
    request.output = panel.output();
    for (const StackEditor& stack : gui.stacks) request.stacks.push_back(stack.request());
    request.view = gui.view;
    request.rotation_degrees = status.media->rotation_degrees;
    request.compared = panel.compared;
    if (panel.part_only) request.part = loop_of(status);
    request.first_frame_seconds = status.media->first_frame_seconds;
    request.lossless = panel.lossless;
    if (panel.crf > 0) request.crf = panel.crf;
    request.keep_damaged = panel.keep_damaged;
    request.device = gui.options.device;
    return request;
}

void start(Gui& gui, bool replace) {
    ExportPanel& panel = gui.export_panel;
    const PlayerStatus& status = gui.status;
    try {
        ExportRequest request = request_of(gui, status);
        request.replace = replace;
        FileJob job = job_of(request);
        panel.refusal = why_not_export(job);
        if (panel.refusal) return;
        panel.reported = false;
        panel.job.start(std::move(job));
    } catch (const Error& error) {
        panel.refusal = ExportRefusal{error.what()};
    }
}

void propose_output(ExportPanel& panel, const std::string& input) {
    if (panel.proposed_for == input) return;
    panel.proposed_for = input;
    const fs::path output = proposed_output(input);
    panel.folder = output.parent_path().string();
    panel.name = output.filename().string();
    panel.refusal.reset();
}

// A check box with a tooltip for the reason why it is disabled.
void draw_choice(const char* label, bool& value, const char* why_not) {
    ImGui::BeginDisabled(why_not != nullptr);
    ImGui::Checkbox(label, &value);
    ImGui::EndDisabled();
    if (why_not == nullptr) return;
    value = false;
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) ImGui::SetTooltip("%s", why_not);
}

void draw_choices(Gui& gui, const PlayerStatus& status) {
    ExportPanel& panel = gui.export_panel;
    draw_choice("Only from A to B", panel.part_only,
                loop_of(status) ? nullptr : "Set A and B first (key l).");
    draw_choice("The comparison as shown", panel.compared,
                gui.view.mode != CompareMode::single ? nullptr
                                                     : "Select wipe, side by side or "
                                                       "difference first.");
    ImGui::Checkbox("Lossless", &panel.lossless);
    ImGui::BeginDisabled(panel.lossless);
    ImGui::SetNextItemWidth(ImGui::GetFontSize() * kCrfWidth);
    number_slider("Quality", panel.crf, 0, kMostCrf,
                  panel.crf > 0 ? fmt::format("crf {:.0f}", panel.crf) : "auto");
    ImGui::EndDisabled();
    ImGui::Checkbox("Keep the good part of damaged files", &panel.keep_damaged);
}

void draw_start(Gui& gui) {
    ExportPanel& panel = gui.export_panel;
    if (panel.refusal) ImGui::TextWrapped("%s", panel.refusal->sentence.c_str());
    if (panel.refusal && panel.refusal->exists) {
        if (ImGui::Button("Replace")) start(gui, true);
        ImGui::SameLine();
        if (ImGui::Button("Cancel")) panel.refusal.reset();
    } else if (ImGui::Button("Save video")) {
        start(gui, false);
    }
}

std::string pace_text(const BatchPace& pace) {
    std::string text = fmt::format("{} frames, {:.1f} frames/s", pace.frames, pace.fps);
    if (pace.fraction && *pace.fraction >= 1) return text + ", verifying";
    if (pace.eta_seconds)
        text += fmt::format(", {}:{:02} left", static_cast<int>(*pace.eta_seconds) / 60,
                            static_cast<int>(*pace.eta_seconds) % 60);
    return text;
}

void draw_progress(Gui& gui, const ExportStatus& status) {
    ImGui::TextWrapped("%s", valid_utf8(status.output).c_str());
    const double moving = 0.5 + 0.5 * std::sin(ImGui::GetTime());
    ImGui::ProgressBar(static_cast<float>(status.pace.fraction.value_or(moving)), {-1, 0});
    ImGui::TextWrapped("%s", pace_text(status.pace).c_str());
    ImGui::BeginDisabled(status.state == ExportState::cancelling);
    if (ImGui::Button("Cancel")) gui.export_panel.job.cancel();
    ImGui::EndDisabled();
}

void draw_outcome(const ExportOutcome& outcome) {
    ImGui::TextWrapped("%s", valid_utf8(outcome.sentence).c_str());
    if (outcome.details.empty() || !ImGui::TreeNode("Details")) return;
    for (const std::string& detail : outcome.details) {
        ImGui::Bullet();
        ImGui::TextWrapped("%s", valid_utf8(detail).c_str());
    }
    ImGui::TreePop();
}

void draw_video(Gui& gui, const PlayerStatus& player) {
    ExportPanel& panel = gui.export_panel;
    const ExportStatus status = panel.job.status();
    if (status.state == ExportState::running || status.state == ExportState::cancelling)
        return draw_progress(gui, status);
    propose_output(panel, player.media->path);
    std::error_code error;
    ImGui::SetNextItemWidth(-1);
    if (ImGui::InputTextWithHint("##output", "File name", &panel.name)) panel.refusal.reset();
    ImGui::PushTextWrapPos(0);
    dim_text("To " + valid_utf8(fs::absolute(panel.output(), error).string()));
    ImGui::PopTextWrapPos();
    draw_choices(gui, player);
    draw_start(gui);
    if (status.state == ExportState::done) draw_outcome(status.outcome);
}

void draw_endings(ExportPanel& panel) {
    ImGui::SetNextItemWidth(ImGui::GetFontSize() * 5);
    if (!ImGui::BeginCombo("File type", panel.extension.c_str())) return;
    for (const char* ending : kPictureEndings)
        if (ImGui::Selectable(ending, panel.extension == ending)) panel.extension = ending;
    ImGui::EndCombo();
}

void draw_pictures(Gui& gui) {
    draw_endings(gui.export_panel);
    ImGui::BeginDisabled(!gui.shown);
    if (ImGui::Button("Save filtered")) save_picture(gui, gui.view.right);
    ImGui::SameLine();
    if (ImGui::Button("Save original")) save_picture(gui, 0);
    ImGui::EndDisabled();
    if (ImGui::Button("Save the window")) save_window(gui);
    if (const std::size_t waiting = gui.export_panel.shots.waiting(); waiting > 0)
        ImGui::TextDisabled("Saving %zu", waiting);
}

// The video's folder if it is writable, otherwise the working directory.
fs::path folder_for_pictures(const std::string& input) {
    const fs::path beside = fs::path(input).parent_path();
    const fs::path folder = beside.empty() ? fs::path(".") : beside;
    return access(folder.c_str(), W_OK) == 0 ? folder : fs::path(".");
}

Shot shot_of(const Gui& gui, AVFramePtr picture) {
    Shot shot;
    const std::shared_ptr<const MediaInfo> media = gui.status.media;
    shot.picture = std::move(picture);
    shot.input = media ? media->path : "weft";
    shot.folder = folder_for_pictures(shot.input);
    shot.seconds = gui.shown ? gui.shown->played.seconds : 0;
    shot.extension = gui.export_panel.extension;
    return shot;
}

}  // namespace

// A typed path is relative to the folder, or absolute.
std::string ExportPanel::output() const {
    return (fs::path(folder) / name).string();
}

void draw_export(Gui& gui) {
    const PlayerStatus& status = gui.status;
    ImGui::TextDisabled("Filtered video");
    if (status.media)
        draw_video(gui, status);
    else
        ImGui::TextWrapped("Open a video first.");
    ImGui::Separator();
    ImGui::TextDisabled("Current frame");
    draw_pictures(gui);
}

void tend_exports(Gui& gui) {
    ExportPanel& panel = gui.export_panel;
    for (const ShotSaver::Outcome& outcome : panel.shots.take_outcomes()) {
        if (outcome.error.empty())
            gui.note("Saved " + valid_utf8(outcome.path.string()));
        else
            gui.error(outcome.error);
    }
    if (panel.reported || panel.job.running()) return;
    panel.reported = true;
    const ExportOutcome outcome = panel.job.status().outcome;
    if (outcome.written || outcome.cancelled)
        gui.note(outcome.sentence);
    else
        gui.error(outcome.sentence);
}

void save_picture(Gui& gui, Side side) {
    if (!gui.shown) return;
    try {
        Shot shot = shot_of(gui, frame_of(*gui.shown, side));
        shot.rotation_degrees = gui.shown->info.rotation_degrees;
        gui.export_panel.shots.save(std::move(shot));
    } catch (const std::exception& error) {
        gui.error(error.what());
    }
}

void save_window(Gui& gui) {
    gui.export_panel.window_shot_wanted = true;
}

void take_window_shot(Gui& gui) {
    if (!std::exchange(gui.export_panel.window_shot_wanted, false)) return;
    const ScreenSize size = gui.window.framebuffer();
    const int width = static_cast<int>(size.width);
    const int height = static_cast<int>(size.height);
    std::vector<std::byte> pixels(static_cast<std::size_t>(width) *
                                  static_cast<std::size_t>(height) * 3);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, pixels.data());
    try {
        Shot shot = shot_of(gui, frame_of_rgb(pixels, width, height, true));
        shot.extension = "png";
        gui.export_panel.shots.save(std::move(shot));
    } catch (const std::exception& error) {
        gui.error(error.what());
    }
}

}  // namespace weft
