// The window's main function: opens it, runs until it is closed, reports.
#include <algorithm>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <chrono>
#include <ctime>
#include <epoxy/gl.h>
#include <imgui.h>
#include <stop_token>
#include <utility>

#include "app/gui/input_feed.h"
#include "app/gui/panels/gui.h"
#include "app/gui/window/fonts.h"
#include "app/viewer/screen/response_times.h"
#include "app/viewer/shell/opened_files.h"
#include "app/viewer/shell/view_options.h"

namespace weft {
namespace {

// ImGui draws into the window during this object's lifetime. The caller keeps its settings.
class UiSession {
 public:
    explicit UiSession(Window& window) {
        IMGUI_CHECKVERSION();
        ImGui::CreateContext();
        ImGui::GetIO().IniFilename = nullptr;
        ImGui::GetIO().UserData = &fonts_;
        ImGui_ImplGlfw_InitForOpenGL(window.handle(), false);  // feed_input() passes events
        ImGui_ImplOpenGL3_Init("#version 330 core");
    }
    ~UiSession() {
        ImGui_ImplOpenGL3_Shutdown();
        ImGui_ImplGlfw_Shutdown();
        ImGui::DestroyContext();
    }
    UiSession(const UiSession&) = delete;
    UiSession& operator=(const UiSession&) = delete;

 private:
    UiFonts fonts_;
};

// ---- one redraw of the user interface ----------------------------------------------------------

constexpr double kLeastScaleChange = 0.01;

double wanted_scale(const Gui& gui) {
    return gui.window.unit_scale() * gui.appearance.user_scale;
}

bool wants_dark(const Gui& gui) {
    return gui.appearance.theme == Theme::system ? gui.system_theme.dark()
                                                 : gui.appearance.theme == Theme::dark;
}

void follow_appearance(Gui& gui) {
    const double scale = wanted_scale(gui);
    const bool dark = wants_dark(gui);
    const bool new_scale = std::abs(scale - gui.appearance.scale) >= kLeastScaleChange;
    const bool applied = gui.appearance.applied && !new_scale;
    const bool new_glyphs = ui_fonts().demand().take_grown();
    if (applied && !new_glyphs && dark == gui.appearance.dark) return;
    if (applied && !new_glyphs) return apply_theme(scale, gui.appearance.dark = dark);
    gui.appearance.scale = scale;
    gui.appearance.dark = dark;
    gui.appearance.applied = true;
    apply_theme(scale, dark);
    ui_fonts().load(scale);
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
}

// Otherwise arrows, Home and Space would mark a control the first time they control the video, and
// no longer reach the video after that. Keys move in an open list in any case.
void mark_controls_by_key(bool wanted) {
    ImGuiConfigFlags& flags = ImGui::GetIO().ConfigFlags;
    flags = wanted ? flags | ImGuiConfigFlags_NavEnableKeyboard
                   : flags & ~ImGuiConfigFlags_NavEnableKeyboard;
}

// ---- controls in full screen -------------------------------------------------------------------

using Clock = std::chrono::steady_clock;

constexpr double kControlsSeconds = 2;

double seconds_between(Clock::time_point a, Clock::time_point b) {
    return std::chrono::duration<double>(b - a).count();
}

// Whether a menu, a list, or a bar under the mouse is in use: these do not disappear.
bool uses_controls(const Gui& gui) {
    constexpr ImGuiPopupFlags kAny = ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const Point at{mouse.x, mouse.y};
    return ImGui::IsPopupOpen("", kAny) || ImGui::IsAnyItemActive() ||
           gui.panels.keys_mark_controls || gui.layout.transport.contains(at) ||
           gui.layout.compare.contains(at) || gui.layout.menu.contains(at);
}

// Time until the controls and the mouse pointer disappear; 0: they are hidden.
double controls_left(const Gui& gui) {
    if (uses_controls(gui)) return kControlsSeconds;
    return std::max(kControlsSeconds - seconds_between(gui.mouse_used, Clock::now()), 0.0);
}

// Starts a frame: follows the display's scale and the theme, lays out the window's parts.
void begin_ui_frame(Gui& gui) {
    follow_appearance(gui);
    const std::string file =
        gui.playing.status.media ? gui.playing.file_name() : plan_title(gui.plan);
    gui.window.set_title(file.empty() ? "weft" : file + " — weft");
    if (ImGui::IsAnyMouseDown()) gui.panels.keys_mark_controls = false;
    constexpr ImGuiPopupFlags kAny = ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel;
    mark_controls_by_key(gui.panels.keys_mark_controls || ImGui::IsPopupOpen("", kAny));
    gui.controls_shown = !gui.view.fullscreen || controls_left(gui) > 0;
    gui.layout = lay_out({.window = gui.window.size(),
                          .scale = gui.appearance.scale,
                          .menu_height = ImGui::GetFrameHeight(),
                          .side_open = gui.panels.side_open,
                          .bottom_open = gui.panels.bottom_open,
                          .side_width = gui.panels.side_width,
                          .bottom_height = gui.panels.bottom_height,
                          .timeline = gui.playing.has_timeline(),
                          .motion = gui.transport.motion.found() != nullptr,
                          .compare = gui.playing.shown != nullptr,
                          .bare = gui.view.fullscreen,
                          .controls = gui.controls_shown});
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    place_mouse(gui);
    let_enter_press();
    ImGui::NewFrame();
    if (!gui.controls_shown) ImGui::SetMouseCursor(ImGuiMouseCursor_None);
}

// A region is drawn on the original, because the step filters the whole picture until then.
ViewState visible_view(Gui& gui) {
    const RegionTool regions = region_tool(gui);
    ViewState view = gui.view;
    view.held_original =
        view.held_original || (regions.shown && regions.edit.draws(regions.editor));
    return view;
}

// Draws the picture and, over it, ImGui's windows since begin_ui_frame().
void render_ui_frame(Gui& gui) {
    ImGui::Render();
    const ScreenSize pixels = gui.window.framebuffer();
    glViewport(0, 0, static_cast<GLsizei>(pixels.width), static_cast<GLsizei>(pixels.height));
    glClearColor(0.05F, 0.05F, 0.055F, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    render_picture(gui.renderer, gui.playing, visible_view(gui), gui.layout.picture, gui.window);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

// ---- the loop ----------------------------------------------------------------------------------

// ImGui needs more than one redraw for an event: a click is pressed, then released, then settled.
constexpr int kRedrawsAfterEvent = 3;
// A thread's report can change the size of its panel, to which the second redraw fits the rest.
constexpr int kRedrawsAfterWake = 2;
constexpr double kSpinnerSeconds = 1.0 / 12;  // redraws compete with decoding for cores
constexpr double kPollSeconds = 0.05;
constexpr double kToastSeconds = 0.5;
constexpr double kCursorSeconds = 0.25;  // blink interval
constexpr double kUntilEvent = -1;
constexpr double kNearSeconds = 0.05;  // a thread's report waits this long for a frame's redraw

// CPU time of this thread: a wait costs none, and other programs on the machine do not add to it.
double thread_cpu_seconds() {
    timespec used{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

// A FrameLoop redraws the window after events, new frames and changes; it sleeps between them.
class FrameLoop {
 public:
    explicit FrameLoop(Gui& gui)
        : gui_(gui),
          had_steps_(gui.stacks.has_steps()),
          stack_responses_(gui.report.stack_response_seconds),
          seek_responses_(gui.report.seek_response_seconds) {}

    void run() {
        while (!should_close(gui_.panels.quit_asked, gui_.window, gui_.export_panel.queue,
                             gui_.options.stop)) {
            const double cpu_before = thread_cpu_seconds();  // wait() handles drops
            const double wait = wait_seconds();
            const Clock::time_point asleep = Clock::now();
            const bool event = gui_.window.wait(wait);
            const Clock::time_point now = Clock::now();
            const bool woken = !event && seconds_between(asleep, now) < wait;
            const std::uint64_t serial = gui_.playing.player.serial();
            const std::optional<Clock::time_point> input = feed_input(gui_);
            if (event || input)
                redraws_left_ = kRedrawsAfterEvent;
            else if (wait == kUntilEvent)
                redraws_left_ = kRedrawsAfterWake;
            if (input) event_ = input;
            const bool new_frame = take_frame(now);
            // Each filtered frame wakes this thread, mostly before the frame is due.
            if (woken && !input && !new_frame && redraws_left_ == 0 && next_frame_is_near(now))
                continue;
            gui_.playing.status = gui_.playing.player.status();
            poll_open(gui_.open_panel, gui_.remembered, gui_.playlist, gui_.playing, gui_.toasts);
            poll_record(gui_.kernels);
            poll_plan(gui_.plan, gui_.toasts);
            poll_exports(gui_.export_panel);
            poll_regions(gui_);
            gui_.wait_sign.update(awaited(), new_frame, Clock::now());
            update_race(gui_.kernels, gui_.stacks, gui_.playing,
                        gui_.panels.bottom_open && !gui_.view.fullscreen);
            const bool drawn = !gui_.window.minimised();
            if (drawn) draw();
            gui_.open_requested();
            note_seek(serial);
            // Before OpenGL draws, which takes some of the time until the changed picture.
            update_stacks();
            // Without OpenGL: llvmpipe compiles a shader for 0.2 s on this thread.
            note_cpu(thread_cpu_seconds() - cpu_before);
            if (drawn) render();
            gui_.window.input().redrawn();
            note_redraw(now, new_frame);
            start_clock();
        }
    }

 private:
    // Time until the next redraw that needs no event. A change of the player since the last redraw
    // is an event.
    double wait_seconds() {
        if (redraws_left_ > 0 || !gui_.window.input().empty() || ui_fonts().demand().grown())
            return 0;
        const PlayerStatus& status = gui_.playing.status;
        double wait = kUntilEvent;
        const auto at_most = [&](double s) { wait = wait < 0 ? s : std::min(wait, s); };
        if (const auto left = gui_.wait_sign.left(Clock::now())) at_most(left->count());
        if (!gui_.wait_sign.text().empty()) at_most(kSpinnerSeconds);
        if (const auto left = gui_.transport.drops.left(Clock::now())) at_most(left->count());
        if (gui_.open_panel.waits() || gui_.kernels.record_dialog.is_open()) at_most(kPollSeconds);
        if (!gui_.toasts.empty()) at_most(kToastSeconds);
        if (ImGui::GetIO().WantTextInput) at_most(kCursorSeconds);
        if (gui_.view.fullscreen && gui_.controls_shown)
            at_most(std::max(controls_left(gui_), kPollSeconds));
        if (status.paused) return wait;
        if (const auto due = gui_.presenter.next_due(gui_.playing.player.serial()))
            at_most(std::max((*due - gui_.playing.player.clock(Clock::now())) / status.speed, 0.0));
        return wait;
    }

    // Seeks and steps count the player's serial up, which was `before` when this redraw began.
    void note_seek(std::uint64_t before) {
        const std::uint64_t serial = gui_.playing.player.serial();
        if (gui_.playing.status.opening) {
            stack_responses_.forget();
            seek_responses_.forget();
        } else if (event_ && serial != before) {
            seek_responses_.ask(serial, *event_);
        }
    }

    // A playing video shows the change with its next frames; otherwise the shown frame is filtered
    // again, once the previous change is on the screen.
    void update_stacks() {
        const bool steps = gui_.stacks.has_steps();
        if (std::exchange(had_steps_, steps) != steps) gui_.view.follow_filters(steps);
        std::vector<StackRequest> wanted = gui_.stacks.requests();
        if (!sent_ || *sent_ != wanted) {
            revision_ = gui_.worker.set_stacks(wanted);
            if (event_ && gui_.playing.shown) stack_responses_.ask(revision_, *event_);
            sent_ = std::move(wanted);
            gui_.export_panel.pace.restart(gui_.stage_times, gui_.stacks.has_filters());
        }
        if (!gui_.playing.shown || gui_.playing.shown->revision == revision_) return;
        const PlayerStatus& status = gui_.playing.status;
        const bool still = status.media && status.media->still;
        if (status.paused || status.ended || still)
            gui_.playing.player.refilter(gui_.playing.shown->played);
    }

    // What a newer picture than the one on the screen waits for.
    std::string_view awaited() const {
        const PlayerStatus& status = gui_.playing.status;
        const ShownFramePtr& shown = gui_.playing.shown;
        if (status.opening) return "Opening…";
        if (status.seeking) return "Seeking…";
        const bool newest = shown && shown->revision == revision_ &&
                            shown->played.serial == gui_.playing.player.serial();
        if (newest || !status.delivered || !gui_.worker.status().error.empty()) return "";
        return "Filtering…";
    }

    bool next_frame_is_near(Clock::time_point now) const {
        const PlayerStatus& status = gui_.playing.status;
        const auto due = gui_.presenter.next_due(gui_.playing.player.serial());
        return !status.paused && due &&
               *due - gui_.playing.player.clock(now) < kNearSeconds * status.speed;
    }

    bool take_frame(Clock::time_point now) {
        Presented next =
            gui_.presenter.take(gui_.playing.player.serial(), gui_.playing.player.clock(now));
        if (!next.frame) return false;
        gui_.playing.player.count_dropped(next.late);
        gui_.playing.shown = std::move(next.frame);
        starts_clock_ = starts_clock_ || next.first_of_serial;
        return true;
    }

    // Starts after the first frame is on the screen: creating its textures and shaders takes time,
    // which must not make the next frames late.
    void start_clock() {
        if (!std::exchange(starts_clock_, false)) return;
        gui_.playing.player.started(gui_.playing.shown->played, Clock::now());
    }

    // Whether neither a file nor a plan is open.
    bool is_empty() const {
        const PlayerStatus& status = gui_.playing.status;
        return !gui_.playing.shown && !status.opening && !status.media &&
               gui_.plan.watch.view().path.empty();
    }

    // Opens the sample, or asks for a film, with the filter that the tile promises.
    void try_out(const Trial* trial) {
        if (trial == nullptr) return;
        gui_.stacks.current().replace(trial->stack);
        if (trial->region) return draw_first_region();
        gui_.view.choose(CompareMode::wipe);
        if (trial->race) gui_.panels.bottom_open = true;
        gui_.playlist.set({gui_.open_panel.sample});
    }

    void draw_first_region() {
        StackPanelState& panel = gui_.filters.of_stack[gui_.stacks.edited];
        panel.unfold = gui_.stacks.current().steps().front().id;
        panel.regions.set_drawing(panel.unfold, true);
        gui_.view.choose(CompareMode::single);
        gui_.panels.side_open = true;
        gui_.open_panel.wanted = true;
    }

    void draw() {
        begin_ui_frame(gui_);
        const WindowLayout& layout = gui_.layout;
        const RegionTool regions = region_tool(gui_);
        handle_picture_mouse(gui_.pointer, {gui_.view, gui_.playing, layout, regions, gui_.window});
        draw_over_picture(gui_.playing, visible_view(gui_), gui_.stacks, layout);
        if (const auto shape = gui_.playing.picture_shape())
            draw_regions(regions, *shape, gui_.view, layout);
        draw_box(gui_.pointer, layout.scale);
        if (gui_.pointer.over_picture && gui_.controls_shown)
            draw_pixel_values({*gui_.playing.shown, gui_.pointer.coded, gui_.playing.hdr()},
                              gui_.view, gui_.stacks, layout);
        draw_wait_sign(gui_.wait_sign.text(), layout);
        if (is_empty())
            try_out(draw_first_page(gui_.open_panel, gui_.remembered.recent, gui_.playlist,
                                    gui_.toasts, layout.picture));
        else
            leave_first_page(gui_.open_panel);
        if (gui_.controls_shown) draw_menu(gui_);
        draw_compare_bar(gui_);
        if (draw_transport(gui_.transport, gui_.playing, gui_.playlist, gui_.toasts,
                           shown_progress(gui_.export_panel.queue), layout)) {
            gui_.panels.side_open = true;
            gui_.panels.section = "Export";
        }
        draw_side(gui_);
        draw_bottom(gui_);
        draw_error_map(gui_.kernels, gui_.playing, gui_.view, layout);
        draw_toasts(gui_.toasts, layout.picture);
        draw_help(gui_.help, gui_.remembered.keys);
        if (gui_.panels.stats_open)
            draw_stats(gui_.options.device, gui_.playing.status, gui_.worker.status(), gui_.report,
                       layout.picture);
        draw_plan(gui_.plan, layout);
        draw_open(gui_.open_panel, gui_.remembered.recent, gui_.playlist);
        draw_about(gui_.panels.about_open, gui_.report);
        draw_quit(gui_.panels.quit_asked, gui_.window, gui_.export_panel.queue);
    }

    void render() {
        render_ui_frame(gui_);
        take_window_shot(gui_.export_panel, gui_.playing, gui_.window,
                         std::exchange(gui_.kernels.picture_wanted, std::nullopt));
    }

    void note_cpu(double seconds) {
        gui_.report.frame_cpu_seconds.add(seconds);
        if (seconds > kSlowRedrawSeconds) ++gui_.report.slow_redraws_cpu;
    }

    void note_redraw(Clock::time_point began, bool new_frame) {
        const Clock::time_point done = Clock::now();
        SessionReport& report = gui_.report;
        report.frame_seconds.add(seconds_between(began, done));
        if (seconds_between(began, done) > kSlowRedrawSeconds) ++report.slow_redraws;
        ++report.redraws;
        if (new_frame) {
            gui_.stage_times.add(Stage::draw, seconds_between(began, done));
            ++report.frames_shown;
            if (last_new_frame_ && !gui_.playing.status.paused)
                report.shown_interval_seconds.add(seconds_between(*last_new_frame_, began));
            last_new_frame_ = began;
        }
        gui_.window.swap();
        const Clock::time_point swapped = Clock::now();
        report.swap_seconds.add(seconds_between(done, swapped));
        if (const ShownFramePtr& shown = gui_.playing.shown) {
            stack_responses_.answer(shown->revision, swapped);
            seek_responses_.answer(shown->played.serial, swapped);
        }
        redraws_left_ = std::max(redraws_left_ - 1, 0);
    }

    Gui& gui_;
    int redraws_left_ = kRedrawsAfterEvent;
    std::optional<std::vector<StackRequest>> sent_;  // to the worker
    std::uint64_t revision_ = 0;                     // the worker's, of these
    bool had_steps_;                          // filters of the command line leave the view as it is
    std::optional<Clock::time_point> event_;  // when the last one came
    ResponseTimes stack_responses_;           // by revision
    ResponseTimes seek_responses_;            // by serial
    bool starts_clock_ = false;
    std::optional<Clock::time_point> last_new_frame_;
};

std::string gl_text(GLenum name) {
    const auto* text = reinterpret_cast<const char*>(glGetString(name));
    return text == nullptr ? "" : text;
}

// The records of races go to their panel, and the rest is played.
void open_dropped(Gui& gui, std::vector<std::string> paths) {
    const auto record = std::ranges::stable_partition(
        paths, [](const std::string& path) { return !path.ends_with(".json"); });
    for (const std::string& path : record) {
        open_record(gui.kernels, path);
        gui.panels.bottom_open = true;
    }
    paths.erase(record.begin(), record.end());
    if (!paths.empty()) gui.playlist.set(opened_files(paths));
}

void run_window(const ViewOptions& options, SessionReport& report) {
    Remembered remembered = load_remembered();
    const Settings& settings = remembered.settings;
    Window window(options.width > 0 ? options.width : static_cast<int>(settings.window_width),
                  options.height > 0 ? options.height : static_cast<int>(settings.window_height),
                  "weft");
    Gui gui(window, options, std::move(remembered), report);
    window.on_drop([&gui](const std::vector<std::string>& paths) { open_dropped(gui, paths); });
    const UiSession session(window);
    report.device = options.device.name;
    report.renderer = gl_text(GL_RENDERER);
    report.why_no_interop = gui.renderer.why_no_interop();
    if (!options.device_note.empty()) gui.toasts.note(options.device_note);
    if (options.start_seconds > 0 && !options.files.empty())
        gui.open(options.files.front(), options.start_seconds);
    else
        gui.playlist.set(options.files);
    gui.open_requested();
    const std::stop_callback on_stop(options.stop, [&window] {
        window.ask_to_close();
        Window::wake();
    });
    FrameLoop(gui).run();
    keep(gui);
    const PlayerStatus player = gui.playing.player.status();
    report.frames_dropped = player.dropped;
    report.decoded_on_gpu = player.media && player.media->decoding.on_gpu;
    report.errors = gui.toasts.errors();
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void weft_run_window(const ViewOptions& options,
                                                                       SessionReport& report) {
    ViewOptions opened = options;
    opened.files = opened_files(options.files);
    run_window(opened, report);
}

static_assert(std::is_same_v<RunWindow, decltype(&weft_run_window)>);

}  // namespace weft
