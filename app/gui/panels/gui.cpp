#include "app/gui/panels/gui.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace weft {

Gui::Gui(Window& on, const ViewOptions& what, Remembered before, SessionReport& to)
    : window(on),
      options(what),
      remembered(std::move(before)),
      report(to),
      plan(what.plans),
      renderer(what.device),
      filters(what.device),
      scopes(what.device),
      export_panel(what.device, stage_times, toasts),
      kernels(what.device, stage_times, toasts),
      playing({.times = &stage_times,
               .gpu = what.device,
               .cache_budget = remembered.settings.frame_cache_bytes(),
               .loop_below_seconds = remembered.settings.loop_below_seconds,
               .on_change = Window::wake,
               .on_error =
                   [this](const std::string& sentence) {
                       toasts.error(sentence);
                       Window::wake();
                   }}),
      worker(playing.player, presenter,
             {.device = what.device,
              .race = &kernels.race,
              .times = &stage_times,
              .on_change = Window::wake}) {
    stacks.editors[0].replace(what.stack);
    apply(remembered, *this);
}

void Gui::open_requested() {
    if (const std::string* const path = playlist.take_request())
        open(*path, remembered.recent.place(*path).value_or(0));
}

void Gui::open(const std::string& path, double at_seconds) {
    remembered.recent.forget_place(path);
    if (options.plans.is_plan != nullptr && options.plans.is_plan(path)) {
        remembered.recent.add(path);
        keep_recent(remembered.recent);
        return plan.watch.open(path);
    }
    view.zoom = {};
    export_panel.pace.restart(stage_times, stacks.has_filters());
    const bool on_command_line = std::ranges::find(options.files, path) != options.files.end();
    playing.player.play(path, at_seconds, on_command_line ? options.frame_rate : std::nullopt);
}

RegionTool region_tool(Gui& gui) {
    return {.edit = gui.filters.of_stack[gui.stacks.edited].regions,
            .editor = gui.stacks.current(),
            .shown = gui.panels.side_open && !gui.view.fullscreen && !gui.view.held_original};
}

void race_step(Gui& gui, std::size_t step) {
    gui.kernels.settings.step = step;
    gui.kernels.racing = true;
    gui.panels.bottom_open = true;
}

// ---- regions ----

namespace {

// It is empty without a film, because regions of a still picture do not move.
FilmMoment moment_of(const Playing& playing) {
    const auto shape = playing.picture_shape();
    if (!shape || !playing.has_timeline()) return {};
    const MediaInfo& media = *playing.status.media;
    const PlayedFrame& played = playing.shown->played;
    const RegionCanvas canvas(*shape, {});
    return {.film = media.path,
            .wanted_rate = media.wanted_rate,
            .width = canvas.width,
            .height = canvas.height,
            .begin = media.first_frame_seconds,
            .end = media.first_frame_seconds + media.duration,
            .frame_rate = media.frame_rate,
            .frame = {played.number, played.file_seconds, played.duration}};
}

void review(Gui& gui, RegionEdit& regions, bool forwards) {
    const std::optional<double> seconds = regions.review(gui.stacks.current(), forwards);
    if (!seconds)
        return gui.toasts.note(forwards ? "No uncertain frame follows"
                                        : "No uncertain frame precedes this one");
    gui.playing.player.set_paused(true);
    gui.playing.player.seek(*seconds + kIntoFrame - regions.film().begin);
}

// "Followed through 280 frames, 21 of them uncertain, and up to a cut: n goes to the next one".
void report_track(Gui& gui, const RegionTracker::Answer& answer, const ObjectTracks& tracks) {
    std::size_t frames = 0;
    std::ptrdiff_t uncertain = 0;
    for (const TrackReport& report : answer.reports) {
        frames += report.frames.size();
        uncertain += std::ranges::count_if(
            report.frames, [](const TrackedFrame& frame) { return frame.confidence < 0.5; });
        if (report.damage.damaged)
            gui.toasts.error("The film is damaged where it was followed: " + report.damage.reason);
    }
    std::string words = fmt::format("Followed through {} frames", frames);
    if (uncertain > 0) words += fmt::format(", {} of them uncertain", uncertain);
    const bool ends = std::ranges::any_of(tracks.objects, [](const ObjectTrack& object) {
        return std::ranges::any_of(object.boxes, is_cut);
    });
    if (ends) words += ", and up to a cut";
    if (uncertain > 0 || ends) words += ": n goes to the next one";
    gui.toasts.note(words);
}

void cancel_tracks(Gui& gui) {
    gui.filters.tracker.cancel();
    for (StackPanelState& state : gui.filters.of_stack) state.regions.cancel_tracks();
}

void start_next_track(Gui& gui) {
    for (std::size_t k = 0; k < gui.filters.of_stack.size(); ++k) {
        const auto& waiting = gui.filters.of_stack[k].regions.to_follow();
        if (waiting.empty()) continue;
        gui.filters.tracked_stack = k;
        return gui.filters.tracker.start(waiting.front().jobs);
    }
}

// Not during a drag, which would lose its region.
void take_track(Gui& gui) {
    RegionTracker& tracker = gui.filters.tracker;
    RegionEdit& regions = gui.filters.of_stack[gui.filters.tracked_stack].regions;
    const auto& waiting = regions.to_follow();
    if (!waiting.empty() && waiting.front().film.film != regions.film().film) cancel_tracks(gui);
    if (regions.drags()) return;
    if (const std::optional<RegionTracker::Answer> answer = tracker.take()) {
        StackEditor& editor = gui.stacks.editors[gui.filters.tracked_stack];
        if (regions.end_track(editor, answer->reports))
            report_track(gui, *answer, *regions.tracks(editor));
        if (!answer->problem.empty()) gui.toasts.error(answer->problem);
    }
    if (!tracker.progress()) start_next_track(gui);
}

// A film that plays on takes the object away from the mouse, and the wipe that the first filter
// switches on hides the effect in half of the picture.
void prepare_drawing(Gui& gui) {
    const RegionTool tool = region_tool(gui);
    const bool draws = tool.shown && gui.playing.shown && tool.edit.draws(tool.editor);
    if (draws == std::exchange(gui.filters.drawing, draws) || !draws) return;
    gui.playing.player.set_paused(true);
    if (!gui.view.mode_chosen) gui.view.choose(CompareMode::single);
}

RegionMarks marks_of(const RegionTool& tool) {
    if (!tool.shown) return {};
    const auto tracks = tool.edit.tracks(tool.editor);
    if (!tool.edit.moves(tool.editor) || tracks->objects.empty()) return {};
    const FilmMoment& film = tool.edit.film();
    const auto seconds = [&](double place) {
        return film.seconds_of(tracks->clock, place) - film.begin;
    };
    const std::size_t selected = tool.edit.selected(tool.editor);
    const ObjectTrack& object = tracks->objects[std::min(selected, tracks->objects.size() - 1)];
    RegionMarks marks{.colour = region_colour(selected, tracks->objects.size())};
    for (const double place : drawn_places(object)) marks.drawn.push_back(seconds(place));
    const double frame = film.interval(tracks->clock);
    for (const auto& [from, to] : present_places(object, frame))
        marks.present.emplace_back(seconds(from), seconds(to));
    for (const auto& [from, to] : uncertain_places(object))
        marks.uncertain.emplace_back(seconds(from), seconds(to + frame));
    return marks;
}

}  // namespace

void act_on_region(Gui& gui, RegionAction action) {
    const RegionTool tool = region_tool(gui);
    if (!tool.shown) return;
    switch (action) {
        case RegionAction::none:
            return;
        case RegionAction::track:
            tool.edit.track(tool.editor);
            return;
        case RegionAction::cancel_track:
            return cancel_tracks(gui);
        case RegionAction::redraw:
            tool.edit.redraw(tool.editor);
            return;
        case RegionAction::hold:
            tool.edit.hold(tool.editor);
            return;
        case RegionAction::delete_from_here:
            tool.edit.delete_from_here(tool.editor);
            return;
        case RegionAction::next_uncertain:
        case RegionAction::previous_uncertain:
            return review(gui, tool.edit, action == RegionAction::next_uncertain);
    }
}

void poll_regions(Gui& gui) {
    for (StackPanelState& state : gui.filters.of_stack) {
        state.regions.show(moment_of(gui.playing));
        if (const std::string problem = state.regions.take_problem(); !problem.empty())
            gui.toasts.error(problem);
    }
    take_track(gui);
    prepare_drawing(gui);
    gui.transport.regions = marks_of(region_tool(gui));
}

}  // namespace weft
