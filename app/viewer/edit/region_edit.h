// Draws, moves and resizes the regions of a step on the picture, with the mouse, and makes them
// follow objects. The results are edits of the step's parameters `region` and `boxes`.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/viewer/edit/box_files.h"
#include "app/viewer/edit/object_tracks.h"
#include "app/viewer/edit/stack_editor.h"
#include "app/viewer/view/view_geometry.h"
#include "filters/where.h"

namespace weft {

// A picture on the screen, and the pixels in which its regions are written: those after the
// rotation and before the sample aspect ratio.
struct RegionCanvas {
    Rect placed;  // where the whole picture is, in screen units
    int width = 0;
    int height = 0;

    RegionCanvas(const DisplayShape& shape, const Rect& on_screen);
    Rect to_screen(const RegionRect& region) const;
    Point to_pixels(Point screen) const;
};

// The sides of a region that a drag moves: -1 the left or upper one, 1 the right or lower one. None
// of them moves the region as a whole.
struct RegionGrip {
    int across = 0;
    int down = 0;

    bool whole() const { return across == 0 && down == 0; }
    bool operator==(const RegionGrip&) const = default;
};

// The place of a handle on the edge of a box.
Point handle_place(const Rect& box, RegionGrip grip);

// The region after a drag by `moved` pixels, in whole pixels. A region that is moved keeps at least
// a pixel in the picture, and a side that is moved stays in the picture and a pixel away from the
// opposite side.
PixelRect dragged_region(const RegionRect& from, RegionGrip grip, Point moved,
                         const RegionCanvas& canvas);

// The pixels of the picture that a box between these corners, in pixels, touches.
PixelRect drawn_region(Point from, Point to, const RegionCanvas& canvas);

// Where the effect of a step ends around a region of it: the corners of a polygon in pixels of the
// picture. Without `grow` and `feather` that is the region's own outline, and nothing is returned.
std::vector<Point> effect_outline(const Params& params, const RegionRect& region);

// The text with the region of this index replaced, or with one more at its end. Other regions stay
// as they were typed.
std::string with_region(std::string_view text, std::size_t index, const PixelRect& region);
// The text without the region of this index.
std::string without_region(std::string_view text, std::size_t index);

// The regions on the picture are those of one step. One of them is selected and has handles.
//
// Regions that stand still are the step's parameter `region`. As soon as one of them follows an
// object, all of them are boxes of the shown film in a file, see BoxFiles, and an edit changes the
// boxes from the shown frame on. Every edit is one step of undo.
class RegionEdit {
 public:
    // The folder for files with boxes, see BoxFiles.
    explicit RegionEdit(std::filesystem::path folder = {}) : files_(std::move(folder)) {}

    // Boxes are those of this frame, and edits apply to it, from now on.
    void show(FilmMoment moment) { film_ = std::move(moment); }
    const FilmMoment& film() const { return film_; }

    // Shows the regions of this step from now on.
    void choose(StepId step);
    // The step whose regions are shown: the chosen one, or else the last with regions; 0: none.
    StepId step(const StackEditor& editor) const;
    // The regions in pixels of the picture, without `grow`. One that has no box in the shown frame,
    // as the step's `gap` has it, has no size.
    std::vector<RegionRect> regions(const StackEditor& editor, const RegionCanvas& canvas) const;
    // The index of one of them, or of the one after the last while that is drawn.
    std::size_t selected(const StackEditor& editor) const;
    // Whether they are boxes of a file.
    bool moves(const StackEditor& editor) const { return moves(editor, step(editor)); }
    // The same regions as boxes, in the same order; never null.
    std::shared_ptr<const ObjectTracks> tracks(const StackEditor& editor) const;

    // Whether the next drag draws a region of the chosen step.
    bool draws(const StackEditor& editor) const {
        return draws_ && editor.find(chosen_) != nullptr;
    }
    void set_drawing(StepId step, bool wanted);
    // The next drag draws the selected region in the shown frame. False without a region.
    bool redraw(const StackEditor& editor);

    // The part of a region that a press here would drag, if handles reach this far on the screen.
    // Nothing is returned where no region is.
    std::optional<RegionGrip> grip_at(const StackEditor& editor, const RegionCanvas& canvas,
                                      Point screen, double reach) const;

    // A drag is one step of undo. press() returns false if it begins none here.
    bool press(const StackEditor& editor, const RegionCanvas& canvas, Point screen, double reach);
    void drag(StackEditor& editor, const RegionCanvas& canvas, Point screen);
    void release(StackEditor& editor);
    bool drags() const { return drag_.has_value(); }
    // Takes a drag back, or else ends drawing; false if there is neither.
    bool cancel(StackEditor& editor);

    // Moves the selected region by whole pixels, or the sides of it that `grip` names. All calls
    // with one grip until release() are one step of undo. False without a region in this frame, and
    // during a drag.
    bool move_by(StackEditor& editor, const RegionCanvas& canvas, RegionGrip grip, Point by);

    // Removes the selected region; false without one.
    bool remove(StackEditor& editor);

    // ---- the selected region at the shown frame, in films; false without one ----

    // Gives a moving region the name, on one line.
    bool rename(StackEditor& editor, std::int64_t id, std::string name);
    bool hold(StackEditor& editor);
    bool delete_from_here(StackEditor& editor);
    // Lets the tracker follow it, after those that wait. Regions may be edited meanwhile, but the
    // results are refused if a followed one was.
    bool track(const StackEditor& editor);

    // Selects the region with the next uncertain box of any region, or the previous one. Returns
    // the time to seek to.
    std::optional<double> review(const StackEditor& editor, bool forwards);

    // ---- for the tracker ----

    // A region to follow, as it was when the user asked for it.
    struct Followed {
        StepId step = 0;
        std::vector<PlacedBox> boxes;
        FilmMoment film;
        std::vector<TrackJob> jobs;
    };
    // The first one is the next to follow.
    const std::vector<Followed>& to_follow() const { return to_follow_; }
    // Takes the first one's results; without any, gives it up. False if they were refused.
    bool end_track(StackEditor& editor, std::span<const TrackReport> reports);
    void cancel_tracks() { to_follow_.clear(); }

    // Why an edit failed, once; "" if none did.
    std::string take_problem() { return std::exchange(problem_, ""); }

 private:
    struct Drag {
        StepId step = 0;
        std::string before = {};  // the step's text
        RegionRect from = {};     // without a size: a new region is drawn from here
        RegionGrip grip = {};
        Point pressed = {};  // on the screen
        double least = 0;    // a shorter way is a click
        bool begun = false;
        bool draws = false;
        bool adds = false;  // draws one more
        bool by_keys = false;
        Point moved = {};     // by keys, in pixels
        bool moving = false;  // a box of a file, which is written at the end
        PixelRect now = {};   // of a moving region
    };
    struct Hit {
        std::size_t region = 0;
        RegionGrip grip;
    };
    static bool moves(const Drag& drag, Point screen);
    std::optional<Hit> hit(const StackEditor& editor, const RegionCanvas& canvas, Point screen,
                           double reach) const;

    bool moves(const StackEditor& editor, StepId step) const;
    // Shows the dragged region in this place.
    void place(StackEditor& editor, const PixelRect& region);
    void keep_box(StackEditor& editor, const Drag& drag);
    // Makes them the regions of the step.
    void store(StackEditor& editor, StepId step, const ObjectTracks& tracks);
    // Edits the selected region; `edit` returns false if it changes nothing.
    template <class Edit>
    bool edit_selected(StackEditor& editor, const Edit& edit);

    FilmMoment film_;
    mutable BoxFiles files_;
    StepId chosen_ = 0;
    std::size_t selected_ = 0;
    bool draws_ = false;
    bool redraws_ = false;  // with draws_: the selected one
    std::optional<Drag> drag_;
    std::vector<Followed> to_follow_;
    std::string problem_;
};

}  // namespace weft
