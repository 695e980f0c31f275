#include "app/gui/frame_loop.h"

#include <algorithm>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <chrono>
#include <imgui.h>
#include <utility>

#include "app/gui/input_feed.h"
#include "app/gui/panels/gui.h"
#include "app/gui/panels/panels.h"
#include "app/gui/panels/picture_area.h"
#include "app/gui/ui_session.h"
#include "app/gui/window/theme.h"

namespace weft {
namespace {

using Clock = std::chrono::steady_clock;

// ImGui needs more than one redraw for an event: a click is pressed, then released, then settled.
constexpr int kRedrawsAfterEvent = 3;
constexpr double kSpinnerSeconds = 1.0 / 12;  // redraws compete with decoding for cores
constexpr double kPollSeconds = 0.05;
constexpr double kToastSeconds = 0.5;
constexpr double kCursorSeconds = 0.25;  // blink interval
constexpr double kForEver = -1;

double seconds_between(Clock::time_point a, Clock::time_point b) {
    return std::chrono::duration<double>(b - a).count();
}

class FrameLoop {
 public:
    explicit FrameLoop(Gui& gui) : gui_(gui) {}

    void run() {
        while (!closes_now(gui_)) {
            const bool event = gui_.window.wait(wait_seconds());
            const bool input = feed_input(gui_);
            if (event || input) redraws_left_ = kRedrawsAfterEvent;
            const Clock::time_point now = Clock::now();
            const bool news = take_frame(now);
            gui_.status = gui_.player.status();
            tend_open(gui_);
            tend_exports(gui_);
            hand_on_stacks();
            hand_on_race(gui_);
            redraw();
            gui_.window.input().redrawn();
            note_redraw(now, news);
            start_clock();
        }
    }

 private:
    // Time until the next redraw that needs no event. A change of the player since the last redraw
    // is an event.
    double wait_seconds() {
        if (redraws_left_ > 0 || !gui_.window.input().empty()) return 0;
        const PlayerStatus& status = gui_.status;
        double wait = kForEver;
        const auto at_most = [&](double s) { wait = wait < 0 ? s : std::min(wait, s); };
        if (status.opening || status.seeking) at_most(kSpinnerSeconds);
        if (gui_.open_panel.waits()) at_most(kPollSeconds);
        if (!gui_.toasts.empty()) at_most(kToastSeconds);
        if (ImGui::GetIO().WantTextInput) at_most(kCursorSeconds);
        if (status.paused) return wait;
        if (const auto due = gui_.presenter.next_due(gui_.player.serial()))
            at_most(std::max((*due - gui_.player.clock(Clock::now())) / status.speed, 0.0));
        return wait;
    }

    std::vector<StackRequest> wanted_stacks() const {
        std::vector<StackRequest> wanted;
        const std::size_t count = gui_.two_stacks ? 2 : 1;
        for (std::size_t k = 0; k < count; ++k) wanted.push_back(gui_.stacks[k].request());
        return wanted;
    }

    // A playing video shows the change with its next frames; otherwise the shown frame is filtered
    // again, once the previous change is on the screen.
    void hand_on_stacks() {
        std::vector<StackRequest> wanted = wanted_stacks();
        if (!sent_ || *sent_ != wanted) {
            revision_ = gui_.worker.set_stacks(wanted);
            sent_ = std::move(wanted);
        }
        if (!gui_.shown || gui_.shown->revision == revision_) return;
        const PlayerStatus& status = gui_.status;
        const bool still = status.media && status.media->still;
        if (status.paused || status.ended || still) gui_.player.refilter(gui_.shown->played);
    }

    bool take_frame(Clock::time_point now) {
        Presented next = gui_.presenter.take(gui_.player.serial(), gui_.player.clock(now));
        if (!next.frame) return false;
        gui_.player.count_dropped(next.late);
        gui_.shown = std::move(next.frame);
        starts_clock_ = starts_clock_ || next.first_of_serial;
        return true;
    }

    // Starts after the first frame is on the screen: creating its textures and shaders takes time,
    // which must not make the next frames late.
    void start_clock() {
        if (!std::exchange(starts_clock_, false)) return;
        gui_.player.started(gui_.shown->played, Clock::now());
    }

    void redraw() {
        if (gui_.window.minimised()) return;
        begin_ui_frame(gui_);
        handle_picture_mouse(gui_);
        draw_over_picture(gui_);
        if (!gui_.view.fullscreen) draw_menu(gui_);
        draw_transport(gui_);
        draw_side(gui_);
        draw_bottom(gui_);
        draw_matrix(gui_);
        draw_toasts(gui_);
        draw_help(gui_);
        draw_stats(gui_);
        draw_open(gui_);
        draw_quit(gui_);
        render_ui_frame(gui_);
        take_window_shot(gui_);
    }

    void note_redraw(Clock::time_point began, bool news) {
        const Clock::time_point done = Clock::now();
        SessionReport& report = gui_.report;
        report.frame_seconds.add(seconds_between(began, done));
        ++report.redraws;
        if (news) {
            gui_.stage_times.add(Stage::draw, seconds_between(began, done));
            ++report.frames_shown;
            if (last_news_ && !gui_.status.paused)
                report.shown_interval_seconds.add(seconds_between(*last_news_, began));
            last_news_ = began;
        }
        gui_.window.swap();
        report.swap_seconds.add(seconds_between(done, Clock::now()));
        redraws_left_ = std::max(redraws_left_ - 1, 0);
    }

    Gui& gui_;
    int redraws_left_ = kRedrawsAfterEvent;
    std::optional<std::vector<StackRequest>> sent_;  // to the worker
    std::uint64_t revision_ = 0;                     // the worker's, of these
    bool starts_clock_ = false;
    std::optional<Clock::time_point> last_news_;
};

}  // namespace

void run_frame_loop(Gui& gui) {
    FrameLoop(gui).run();
}

}  // namespace weft
