// The moving regions of a step: one track of boxes per object, as a user and the tracker make it.
//
// A box whose confidence is 1 was drawn by hand: the tracker starts from it and never changes it.
// Boxes of the tracker have less, and those below 0.5 are uncertain. Where an object is held, the
// same box was drawn by hand twice, for the first and for the last frame of that time. An object
// that was not followed yet has the same box at the film's beginning and end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/pipeline/track/film_track.h"
#include "filters/boxes.h"
#include "filters/where.h"

namespace weft {

// The film in the window and the frame that is shown.
struct FilmMoment {
    std::string film = {};                   // its path; "" while no video is open
    std::optional<double> wanted_rate = {};  // ReaderOptions::frame_rate
    int width = 0;                           // of the picture in which regions are written
    int height = 0;
    double begin = 0;       // seconds, of the first frame
    double end = 0;         // seconds, after the last frame
    double frame_rate = 0;  // 0: unknown
    FramePlace frame = {};

    // The place of the shown frame, and one after the film's last frame.
    double place(BoxClock clock) const;
    double last_place(BoxClock clock) const;
    // From one frame to the next.
    double interval(BoxClock clock) const;
    // The time of the frame at a place, on the clock of -ss.
    double seconds_of(BoxClock clock, double place) const;
};

struct ObjectTrack {
    std::int64_t id = 1;
    std::string name = {};              // as the user typed it
    std::vector<PlacedBox> boxes = {};  // by place; of this id

    bool operator==(const ObjectTrack&) const = default;
};

struct ObjectTracks {
    std::string made_for = {};  // the name of their film; "": unknown
    BoxClock clock = BoxClock::seconds;
    std::vector<ObjectTrack> objects = {};  // by id

    ObjectTracks() = default;
    // Boxes without an id belong to no object and are left out.
    explicit ObjectTracks(const BoxTracks& boxes);
    BoxTracks boxes() const;
    // The objects with these ids.
    ObjectTracks only(std::span<const std::int64_t> ids) const;
    // Adds an object that stays in this box through the whole film, drawn by hand in no frame.
    void add_still(const RegionRect& region, const FilmMoment& film);
};

bool is_drawn(const PlacedBox& placed);
bool is_uncertain(const PlacedBox& placed);
// Whether a camera cut ended the track here.
bool is_cut(const PlacedBox& placed);

// The box that holds in the shown frame, if the object has one there.
std::optional<ObjectBox> box_in(const ObjectTrack& object, BoxClock clock, const FilmMoment& film,
                                Gap gap = Gap::interpolate);

// ---- edits of one object at the shown frame ----

// Draws the box by hand. Where the object stayed, it stays in the new box from here on. Where it
// was absent to the film's end, it stays in the box to the film's end.
void draw_box(ObjectTrack& object, BoxClock clock, const FilmMoment& film, const PixelRect& box);
// The box stays where it is from here until the next one that was drawn by hand, or to the film's
// end. False, without a change, if the object has no box here.
bool hold_box(ObjectTrack& object, BoxClock clock, const FilmMoment& film);
// The object is absent from here on.
void delete_boxes(ObjectTrack& object, BoxClock clock, const FilmMoment& film);

// ---- for the tracker ----

// Parts of the film in which to follow an object, with the boxes to start from: all those drawn by
// hand, or else the box in the shown frame. Where the object is held or absent, nothing is
// followed. Throws Error(usage) if no box is there to start from, and for boxes that are too small.
std::vector<TrackJob> jobs_of(const ObjectTrack& object, BoxClock clock, const FilmMoment& film);
// The object with the tracker's boxes in place of its earlier ones. Boxes that were drawn by hand
// stay as they are, and an empty box stands where a camera cut ended the track.
ObjectTrack followed(const ObjectTrack& object, BoxClock clock, const FilmMoment& film,
                     std::span<const TrackReport> reports);

// ---- for the timeline and for review ----

std::vector<double> drawn_places(const ObjectTrack& object);
// From where to where the object has a box, whether its own or between two of them.
std::vector<std::pair<double, double>> present_places(const ObjectTrack& object, double interval);
// First and last places of uncertain boxes one after another.
std::vector<std::pair<double, double>> uncertain_places(const ObjectTrack& object);

struct UncertainBox {
    std::size_t object = 0;  // index
    double place = 0;
};
// The uncertain box, or the first frame after a cut, that is next after the shown frame (before it,
// if not `forwards`) of all objects.
std::optional<UncertainBox> next_uncertain(const ObjectTracks& tracks, const FilmMoment& film,
                                           bool forwards);

}  // namespace weft
