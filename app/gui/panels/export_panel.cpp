#include "app/gui/panels/export_panel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <epoxy/gl.h>
#include <imgui.h>
#include <imgui_stdlib.h>
#include <unistd.h>

#include <fmt/format.h>

#include "app/gui/widgets/small_widgets.h"
#include "app/media/write/segment_store.h"
#include "app/pipeline/resumable.h"
#include "app/viewer/shell/folder_listing.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr std::array kPictureEndings{"png", "tiff", "mkv", "nut", "y4m", "jpg"};

std::optional<std::pair<double, double>> loop_of(const PlayerStatus& status) {
    if (!status.loop_begin || !status.loop_end) return std::nullopt;
    return std::pair(*status.loop_begin, *status.loop_end);
}

// The panel with the objects that an export reads.
struct ExportContext {
    ExportPanel& panel;
    Playing& playing;
    const StackPair& stacks;
    const ViewState& view;
};

ExportRequest request_of(const ExportContext& context) {
    const ExportPanel& panel = context.panel;
    const PlayerStatus& status = context.playing.status;
    const MediaInfo& media = *status.media;
    ExportRequest request;
    request.input = media.path;
    request.frame_rate = media.wanted_rate;
    request.output = panel.output();
    for (const StackEditor& stack : context.stacks.editors)
        request.stacks.push_back(stack.request());
    request.view = context.view;
    request.rotation_degrees = media.rotation_degrees;
    request.compared = panel.compared;
    if (panel.part_only) request.part = loop_of(status);
    request.first_frame_seconds = media.first_frame_seconds;
    request.source = export_source(media);
    request.codec = panel.codec;
    request.quality = panel.quality;
    request.crf = panel.crf;
    request.audio = panel.audio;
    request.interrupted = panel.interrupted;
    request.resumable = panel.resumable.value_or(panel.takes_long) || panel.interrupted;
    request.keep_damaged = panel.keep_damaged;
    request.device = panel.device;
    return request;
}

// An export in the queue is no interrupted one.
void look_for_segments(ExportPanel& panel) {
    const std::string output = panel.output();
    panel.interrupted = panel.queue.free_name(output) == output && has_segments(output);
    panel.unfinished = panel.interrupted ? Unfinished::unknown : Unfinished::none;
}

// Several exports of one file have names of their own.
void take_free_name(ExportPanel& panel) {
    const std::string free = panel.queue.free_name(panel.output());
    if (free == panel.output()) return;
    panel.name = (fs::path(panel.name).parent_path() / fs::path(free).filename()).string();
    look_for_segments(panel);
}

// Finished frames of an interrupted export are continued or, after a question, removed.
std::optional<ExportRefusal> why_not_now(const ExportPanel& panel, const ExportRequest& request) {
    const bool lost =
        panel.unfinished == Unfinished::differs || panel.unfinished == Unfinished::unknown;
    if (panel.interrupted && lost)
        return ExportRefusal{.sentence = start_over_text(request.output, panel.planner.forecast()),
                             .unfinished = true};
    return panel.queue.why_not(request);
}

void press(const ExportContext& context, ExportButton button, bool replace) {
    ExportPanel& panel = context.panel;
    try {
        take_free_name(panel);
        ExportRequest request = request_of(context);
        request.replace = replace;
        panel.refusal = why_not_now(panel, request);
        panel.refused = button;
        if (panel.refusal) return;
        panel.queue.add(request, button == ExportButton::save);
        if (button == ExportButton::save) panel.queue.start();
        look_for_segments(panel);
    } catch (const Error& error) {
        panel.refusal = ExportRefusal{error.what()};
    }
}

void start_over(const ExportContext& context) {
    ExportPanel& panel = context.panel;
    remove_segment_file(panel.output());
    look_for_segments(panel);
    press(context, panel.refused, false);
}

void propose_output(ExportPanel& panel, const std::string& input) {
    if (panel.proposed_for == input) return;
    panel.proposed_for = input;
    const fs::path output = interrupted_output(proposed_output(input));
    panel.folder = output.parent_path().string();
    panel.name = output.filename().string();
    panel.refusal.reset();
    look_for_segments(panel);
}

// A check box with a tooltip for the reason why it is disabled.
void draw_choice(const char* label, bool& value, const char* why_not) {
    ImGui::BeginDisabled(why_not != nullptr);
    ImGui::Checkbox(label, &value);
    ImGui::EndDisabled();
    if (why_not == nullptr) return;
    value = false;
    tooltip(why_not);
}

// ---- the settings ----

bool begin_row_list(const char* name, const std::string& chosen) {
    row_name(name);
    return begin_list((std::string("##") + name).c_str(), chosen);
}

void draw_container(ExportPanel& panel, const ExportSource& source, const Container* chosen) {
    const std::string shown = chosen == nullptr ? "Unknown" : std::string(chosen->name);
    if (!begin_row_list("Container", shown)) return;
    for (const Container* row : export_containers(kind_of(source, panel.name))) {
        if (!ImGui::Selectable(std::string(row->name).c_str(), row == chosen)) continue;
        panel.name = renamed_for(panel.name, *row);
        panel.refusal.reset();
        look_for_segments(panel);
    }
    ImGui::EndCombo();
}

void draw_codec(ExportPanel& panel, const ExportSource& source, const Container& container) {
    const std::vector<CodecChoice> choices =
        export_codecs(container, source, panel.planner.gpu_encoders());
    const auto found = std::ranges::find(choices, panel.codec, &CodecChoice::encoder);
    const CodecChoice& chosen = found == choices.end() ? choices.front() : *found;
    panel.codec = chosen.encoder;
    if (!begin_row_list("Codec", chosen.label)) return;
    for (const CodecChoice& choice : choices) {
        if (ImGui::Selectable(choice.label.c_str(), choice.encoder == panel.codec))
            panel.codec = choice.encoder;
        tooltip(choice.encoder.empty() ? "The container's default encoder" : choice.encoder);
    }
    ImGui::EndCombo();
}

void draw_crf(ExportPanel& panel, const CrfRange& range) {
    const auto best = static_cast<float>(range.best);
    const auto smallest = static_cast<float>(range.smallest);
    if (panel.crf < best || panel.crf > smallest) panel.crf = static_cast<float>(range.normal);
    number_row({.name = "crf", .least = best, .most = smallest, .format = "%.0f"}, panel.crf);
    panel.crf = std::round(panel.crf);
    tooltip("Lower numbers keep more detail and make larger files.");
}

void draw_quality(ExportPanel& panel, const ExportSource& source, const Container& container) {
    const std::vector<QualityChoice> choices =
        export_qualities(container, source.shape, panel.codec);
    const ExportQuality nearest = nearest_quality(choices, panel.quality);
    const QualityChoice& chosen = *std::ranges::find(choices, nearest, &QualityChoice::quality);
    const bool open = begin_row_list("Quality", chosen.label);
    if (!open) tooltip(chosen.meaning);
    if (open) {
        for (const QualityChoice& choice : choices) {
            if (ImGui::Selectable(choice.label.c_str(), choice.quality == nearest))
                panel.quality = choice.quality;
            tooltip(choice.meaning);
        }
        ImGui::EndCombo();
    }
    const std::string encoder = encoder_of(container, source.shape, panel.codec, false);
    if (const auto range = crf_range(encoder); range && nearest == ExportQuality::custom)
        draw_crf(panel, *range);
}

// A list that cannot be opened: ImGui's disabled part must not contain an open one.
void draw_closed_list(const char* label, const char* chosen, const char* why) {
    ImGui::BeginDisabled();
    (void)begin_row_list(label, chosen);
    ImGui::EndDisabled();
    tooltip(why);
}

void draw_sound(ExportPanel& panel, const ExportSource& source, const Container& container) {
    if (!source.has_audio) return draw_closed_list("Sound", "None", "This file has no sound.");
    if (container.audio_codec.empty())
        return draw_closed_list("Sound", "None", "This container cannot store sound.");
    if (!begin_row_list("Sound", panel.audio ? "Keep" : "None")) return;
    if (ImGui::Selectable("Keep", panel.audio)) panel.audio = true;
    tooltip("Copied, or converted if the container does not accept it.");
    if (ImGui::Selectable("None", !panel.audio)) panel.audio = false;
    ImGui::EndCombo();
}

void draw_resumable(const ExportContext& context) {
    ExportPanel& panel = context.panel;
    const std::string why_not = why_not_resumable(request_of(context));
    if (panel.interrupted && why_not.empty()) {
        bool always = true;
        draw_choice(kContinueLabel, always, "The unfinished export is resumed, or started over.");
        return;
    }
    bool resumable = panel.resumable.value_or(panel.takes_long);
    const bool before = resumable;
    draw_choice(kContinueLabel, resumable, why_not.empty() ? nullptr : why_not.c_str());
    if (!why_not.empty()) return;
    if (resumable != before) panel.resumable = resumable;
    tooltip(
        "On by default for exports of more than two minutes. Finished parts are kept next to the "
        "file until it is complete: after Cancel, Quit or a "
        "crash, the same export continues where it stopped. Needs twice the disk space and a "
        "tenth more time.");
}

// Sets an end of the part at the shown frame. An end before A, or an A after the end, clears the
// other one.
void mark_part(ExportPanel& panel, Playing& playing, bool begin) {
    const PlayerStatus& status = playing.status;
    const double here = playing.shown->played.seconds;
    const std::optional<double> first = begin ? here : status.loop_begin.value_or(0);
    const std::optional<double> end = begin ? status.loop_end : here;
    const bool ordered = !end || *first < *end;
    if (begin)
        playing.player.set_loop(first, ordered ? end : std::nullopt);
    else
        playing.player.set_loop(ordered ? first : 0, end);
    panel.part_only = true;
}

void draw_part(ExportPanel& panel, Playing& playing) {
    const auto part = loop_of(playing.status);
    bool wanted = panel.part_only && part;
    ImGui::BeginDisabled(!part);
    if (ImGui::Checkbox("Only from A to B", &wanted)) panel.part_only = wanted;
    ImGui::EndDisabled();
    tooltip(part ? fmt::format("From {:.3f} s to {:.3f} s", part->first, part->second)
                 : "Set A and B first, with the buttons or the l key.");
    if (!playing.has_timeline() || !playing.shown) return;
    ImGui::SameLine();
    if (ImGui::Button("Set A")) mark_part(panel, playing, true);
    tooltip("The part begins with the current frame.");
    ImGui::SameLine();
    if (ImGui::Button("Set B")) mark_part(panel, playing, false);
    tooltip("The part ends before the current frame.");
}

// Where the player has found the file damaged, the export would be refused: the way out is next to
// the reason.
void draw_damage(ExportPanel& panel, const std::string& damage) {
    ImGui::Checkbox(kKeepDamagedLabel, &panel.keep_damaged);
    if (damage.empty() || panel.keep_damaged) return;
    draw_problem(valid_utf8(damage));
    if (ImGui::Button("Keep the good part")) panel.keep_damaged = true;
    tooltip("Without it, a damaged file is not exported.");
}

void draw_options(const ExportContext& context) {
    ExportPanel& panel = context.panel;
    draw_part(panel, context.playing);
    draw_choice("The comparison as shown", panel.compared,
                context.view.mode != CompareMode::single ? nullptr
                                                         : "Select wipe, side by side or "
                                                           "difference first.");
    draw_damage(panel, context.playing.status.damage);
    draw_resumable(context);
}

void draw_settings(const ExportContext& context) {
    ExportPanel& panel = context.panel;
    const ExportSource source = export_source(*context.playing.status.media);
    ImGui::SetNextItemWidth(-1);
    note_glyphs(panel.name);
    if (ImGui::InputTextWithHint("##output", "File name", &panel.name)) {
        panel.refusal.reset();
        look_for_segments(panel);
    }
    std::error_code error;
    ImGui::PushTextWrapPos(0);
    dim_text(valid_utf8(fs::absolute(panel.output(), error).string()));
    ImGui::PopTextWrapPos();
    const Container* container = container_of(panel.name);
    if (begin_rows("settings")) {
        draw_container(panel, source, container);
        if (container != nullptr) {
            draw_codec(panel, source, *container);
            draw_quality(panel, source, *container);
            draw_sound(panel, source, *container);
        }
        end_rows();
    }
    draw_options(context);
}

// ---- the estimate and the buttons ----

// One line while they are unknown: what is below does not move.
void draw_losses(const std::optional<ExportForecast>& forecast) {
    if (!forecast) return dim_text("Losses: …");
    const std::vector<std::string>& losses = forecast->warnings;
    if (!forecast->problem.empty()) return dim_text("Losses: unknown");
    if (losses.empty())
        return dim_text(forecast->lossless ? "Losses: none" : "Losses: only those of the encoder");
    if (!ImGui::TreeNode("losses", "Losses: %zu", losses.size())) return;
    for (const std::string& loss : losses) {
        ImGui::Bullet();
        wrapped_text(valid_utf8(loss));
    }
    ImGui::TreePop();
}

void draw_line(const EstimateText& text) {
    dim_text(text.words);
    tooltip(text.basis);
}

// One line each, also while they are unknown: the buttons do not move.
void draw_estimate(const ExportContext& context) {
    ExportPanel& panel = context.panel;
    const ExportRequest request = request_of(context);
    panel.planner.want(request);
    const std::optional<ExportForecast> forecast = panel.planner.forecast();
    if (forecast)
        draw_problem(
            valid_utf8(forecast->problem.empty() ? forecast->shortage : forecast->problem));
    const std::optional<MeasuredExport> last = panel.queue.measured(work_key(request));
    const bool alone = !context.stacks.two;  // else the screen's frames take the time of both
    const auto filter_fps = alone ? panel.pace.fps(panel.stage_times) : std::nullopt;
    draw_line(forecast ? size_text_of(*forecast, last) : EstimateText{"Size: …"});
    draw_line(forecast ? time_text_of(*forecast, last, filter_fps) : EstimateText{"Time: …"});
    if (forecast) {
        const auto seconds = export_seconds(*forecast, last, filter_fps);
        panel.takes_long = seconds && *seconds > kLongExportSeconds;
    }
}

// The buttons that start an export are higher than the others.
float main_height() {
    return std::round(1.25F * ImGui::GetFrameHeight());
}

// The question that the last press of a button has raised.
void draw_question(const ExportContext& context) {
    ExportPanel& panel = context.panel;
    const bool unfinished = panel.refusal->unfinished;
    if (ImGui::Button(unfinished ? "Start over" : "Replace", {0, main_height()}))
        return unfinished ? start_over(context) : press(context, panel.refused, true);
    ImGui::SameLine();
    if (ImGui::Button("Cancel", {0, main_height()})) panel.refusal.reset();
}

void draw_unfinished(ExportPanel& panel) {
    const std::optional<ExportForecast> forecast = panel.planner.forecast();
    panel.unfinished = unfinished_of(panel.interrupted, forecast);
    if (panel.unfinished == Unfinished::none) return;
    wrapped_text(valid_utf8(unfinished_text(panel.unfinished, forecast)));
    if (panel.unfinished != Unfinished::fits) return;
    if (ImGui::Button("Start over…")) {
        panel.refused = ExportButton::save;
        panel.refusal = ExportRefusal{.sentence = start_over_text(panel.output(), forecast),
                                      .unfinished = true};
    }
    tooltip("Starts again from the first frame, after a confirmation.");
}

const char* name_of_output(const Playing& playing) {
    return playing.status.media && playing.status.media->still ? "picture" : "video";
}

// True if it was pressed.
bool draw_primary_button(const ExportPanel& panel, const Playing& playing) {
    const bool busy = panel.queue.running();
    const bool unknown = panel.unfinished == Unfinished::unknown;
    const bool resumes = panel.unfinished == Unfinished::fits;
    ImGui::BeginDisabled(busy || unknown);
    const std::string save = fmt::format("Save {}", name_of_output(playing));
    const bool pressed = primary_button(resumes ? "Resume" : save.c_str(), main_height());
    ImGui::EndDisabled();
    tooltip(busy                        ? "An export is running. Add this one to the queue."
            : unknown                   ? "The unfinished export is being compared."
            : resumes                   ? "Continues after the frames that are finished."
            : panel.queue.waiting() > 0 ? "Starts now, before the waiting exports."
                                        : "");
    return pressed;
}

void draw_buttons(const ExportContext& context) {
    ExportPanel& panel = context.panel;
    if (panel.refusal) wrapped_text(valid_utf8(panel.refusal->sentence));
    if (panel.refusal && (panel.refusal->exists || panel.refusal->unfinished))
        return draw_question(context);
    draw_unfinished(panel);
    if (draw_primary_button(panel, context.playing)) press(context, ExportButton::save, false);
    ImGui::SameLine();
    if (ImGui::Button("Add to queue", {0, main_height()})) press(context, ExportButton::add, false);
    tooltip("Stores this file, its filters and these settings for later.");
}

void draw_video(const ExportContext& context) {
    propose_output(context.panel, context.playing.status.media->path);
    draw_settings(context);
    draw_losses(context.panel.planner.forecast());
}

// ---- single pictures ----

void draw_endings(ExportPanel& panel) {
    if (!begin_rows("picture")) return;
    if (begin_row_list("File type", panel.extension)) {
        for (const char* ending : kPictureEndings)
            if (ImGui::Selectable(ending, panel.extension == ending)) panel.extension = ending;
        ImGui::EndCombo();
    }
    end_rows();
}

void draw_pictures(ExportPanel& panel, const Playing& playing, Side filtered) {
    draw_endings(panel);
    ImGui::BeginDisabled(!playing.shown);
    if (ImGui::Button("Save filtered")) save_picture(panel, playing, filtered);
    ImGui::SameLine();
    if (ImGui::Button("Save original")) save_picture(panel, playing, 0);
    ImGui::EndDisabled();
    ImGui::BeginDisabled(!playing.shown);
    if (ImGui::Button("Copy")) save_picture(panel, playing, filtered, PictureTo::clipboard);
    tooltip("The filtered frame, to the clipboard (Ctrl+C)");
    ImGui::EndDisabled();
    ImGui::SameLine();
    if (ImGui::Button("Save the window")) panel.window_shot_wanted = true;
    if (const std::size_t waiting = panel.shots.waiting(); waiting > 0)
        dim_text(fmt::format("Saving {}", waiting));
}

// The video's folder if it is writable, otherwise the working directory.
fs::path folder_for_pictures(const std::string& input) {
    const fs::path beside = fs::path(input).parent_path();
    const fs::path folder = beside.empty() ? fs::path(".") : beside;
    return access(folder.c_str(), W_OK) == 0 ? folder : fs::path(".");
}

Shot shot_of(const ExportPanel& panel, const Playing& playing, AVFramePtr picture) {
    Shot shot;
    const std::shared_ptr<const MediaInfo>& media = playing.status.media;
    shot.picture = std::move(picture);
    shot.input = media ? media->path : "weft";
    shot.folder = folder_for_pictures(shot.input);
    shot.seconds = playing.shown ? playing.shown->played.seconds : 0;
    shot.extension = panel.extension;
    return shot;
}

}  // namespace

// A typed path is relative to the folder, or absolute.
std::string ExportPanel::output() const {
    return (fs::path(folder) / name).string();
}

void draw_export(ExportPanel& panel, Playing& playing, const StackPair& stacks,
                 const ViewState& view, Playlist& playlist) {
    const Side filtered = view.filtered();
    const std::string name = name_of_output(playing);
    dim_text(stacks.two ? stacks.side_name(filtered) + " as a " + name : "Filtered " + name);
    if (playing.status.media)
        draw_video({panel, playing, stacks, view});
    else
        wrapped_text("Open a video first.");
    draw_export_queue(panel, playlist);
    ImGui::Separator();
    dim_text("Current frame");
    draw_pictures(panel, playing, filtered);
}

void draw_export_foot(ExportPanel& panel, Playing& playing, const StackPair& stacks,
                      const ViewState& view) {
    if (!playing.status.media) return;
    const ExportContext context{panel, playing, stacks, view};
    ImGui::Separator();
    draw_estimate(context);
    draw_buttons(context);
}

void poll_exports(ExportPanel& panel) {
    for (const ShotSaver::Outcome& outcome : panel.shots.take_outcomes()) {
        if (outcome.error.empty() && outcome.path.empty())
            panel.toasts.note("Copied the frame to the clipboard");
        else if (outcome.error.empty())
            panel.toasts.note("Saved " + valid_utf8(outcome.path.string()));
        else
            panel.toasts.error(outcome.error);
    }
    for (const ExportOutcome& outcome : panel.queue.poll()) {
        look_for_segments(panel);
        if (outcome.written || outcome.cancelled)
            panel.toasts.note(outcome.sentence);
        else
            panel.toasts.error(outcome.sentence);
    }
    const std::string full_disk = panel.queue.status().full_disk;
    if (!full_disk.empty() && full_disk != panel.reported_disk) panel.toasts.error(full_disk);
    panel.reported_disk = full_disk;
}

void save_picture(ExportPanel& panel, const Playing& playing, Side side, PictureTo to) {
    if (!playing.shown) return;
    try {
        Shot shot = shot_of(panel, playing, frame_of(*playing.shown, side));
        shot.rotation_degrees = playing.shown->info.rotation_degrees;
        shot.to_clipboard = to == PictureTo::clipboard;
        panel.shots.save(std::move(shot));
    } catch (const std::exception& error) {
        panel.toasts.error(error.what());
    }
}

void take_window_shot(ExportPanel& panel, const Playing& playing, const Window& window,
                      const std::optional<Rect>& part) {
    if (!std::exchange(panel.window_shot_wanted, false) && !part) return;
    const ScreenSize size = window.framebuffer();
    const Rect area = part.value_or(Rect{0, 0, size.width, size.height});
    const int width = static_cast<int>(area.width);
    const int height = static_cast<int>(area.height);
    std::vector<std::byte> pixels(static_cast<std::size_t>(width) *
                                  static_cast<std::size_t>(height) * 3);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(static_cast<int>(area.x), static_cast<int>(size.height - area.y) - height, width,
                 height, GL_RGB, GL_UNSIGNED_BYTE, pixels.data());
    try {
        Shot shot = shot_of(panel, playing, frame_of_rgb(pixels, width, height, true));
        shot.extension = "png";
        panel.shots.save(std::move(shot));
    } catch (const std::exception& error) {
        panel.toasts.error(error.what());
    }
}

}  // namespace weft
