// Boxes that follow objects: tables of frames or times, as detectors and trackers write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "filters/frame_place.h"

namespace weft {

// Limits of a file. Two hours at 60 frames per second with 20 boxes in each have 8.6 million lines.
inline constexpr std::size_t kMaxBoxes = 10'000'000;
inline constexpr std::size_t kMaxBoxFile = std::size_t{512} << 20;
inline constexpr double kMaxBoxPixels = 1e9;  // of positions, to both sides, and of sizes

// Boxes of objects that the detector did not number have this id.
inline constexpr std::int64_t kNoId = -1;

// Pixels count from the top-left corner of the picture, after rotation and before the sample aspect
// ratio: left = 0 is the left edge of the first pixel. A box may reach over the picture's edges.
struct ObjectBox {
    std::int64_t id = kNoId;
    double left = 0;
    double top = 0;
    double width = 0;  // not negative
    double height = 0;
    double confidence = 1;  // 1 also if the file gives none, or a negative one

    // An empty box covers nothing: its object is absent from there on, until its next box.
    bool empty() const { return width == 0 || height == 0; }
    bool operator==(const ObjectBox&) const = default;
};

// What the places of boxes count: frames from 0, or seconds from the film's beginning.
enum class BoxClock : std::uint8_t { frames, seconds };

struct PlacedBox {
    double place = 0;  // a whole number if it counts frames
    ObjectBox box;

    bool operator==(const PlacedBox&) const = default;
};

// What holds in frames for which an object has no box of its own.
enum class Gap : std::uint8_t {
    // Position and size move linearly between two boxes of an id, however far apart they are: files
    // with a box per second and files that miss a few frames are both filled. The confidence is the
    // lower one of the two. A box before an empty one stays where it is until then. Nothing holds
    // before the first and after the last box of an id. Boxes without an id hold in their own
    // frames only, since nothing shows which of them belong together.
    interpolate,
    // The last box stays until the next one, and after the last one to the film's end. Nothing
    // holds before the first one. Boxes without an id stay together: all of a frame hold until the
    // next frame that has such boxes.
    hold,
    // Boxes hold in their own frames only.
    off,
};

struct BoxSize {
    double width = 0;
    double height = 0;
};

// The boxes of one id, including empty ones.
struct TrackFacts {
    std::int64_t id = kNoId;
    std::int64_t boxes = 0;
    double first = 0;  // place of its first box
    double last = 0;
    // Frames from the first to the last that have no box; nothing if places are times.
    std::optional<std::int64_t> frames_without = {};
};

// The frames that are a box's own: if places count frames, the frame of that number. If places are
// times, every frame that is shown at the time, or begins at most half of its duration after it,
// because times are often rounded; of several boxes of an id in a frame, the nearest one counts.
//
// Immutable. Memory: 56 bytes per box and 32 per id.
class BoxTracks {
 public:
    BoxTracks() = default;
    // In any order; negative ids become kNoId. Throws std::invalid_argument if an id has two boxes
    // in one place, which kNoId may, and for places and sizes that parse_boxes() refuses.
    BoxTracks(BoxClock clock, std::vector<PlacedBox> boxes);

    BoxClock clock() const { return clock_; }
    // By id, then by place.
    std::span<const PlacedBox> boxes() const { return boxes_; }

    // The boxes that hold in a frame, none of them empty: at most one per id, by id, and any number
    // of kNoId. The time grows with the logarithm of the ids, and with the boxes returned.
    std::vector<ObjectBox> at(const FramePlace& frame, Gap gap) const;

    // The ids and where their boxes are, by id.
    std::vector<TrackFacts> facts() const;
    // How many tracks there are, or boxes without an id: no frame has more boxes.
    std::size_t objects() const;
    // The greatest width and the greatest height. No box that at() returns is larger.
    BoxSize largest() const;

    // The tracks of these ids; others do not exist for it.
    BoxTracks only(std::span<const std::int64_t> ids) const;
    // "no box has the id 7 or 9: the ids are 1 to 5, 8", or "" if every one of `ids` exists.
    std::string absent(std::span<const std::int64_t> ids) const;

    bool operator==(const BoxTracks& other) const {
        return clock_ == other.clock_ && boxes_ == other.boxes_;
    }

 private:
    struct Stretch;
    struct Track {
        std::size_t begin, end;  // in boxes_
        double first;            // places
        double last_below;       // the greatest last place of its part of tracks_, see index()
    };

    double index(std::size_t begin, std::size_t end);
    void add_unnumbered(const Stretch& stretch, Gap gap, std::vector<ObjectBox>& boxes) const;
    void add_tracks(std::span<const Track> tracks, const Stretch& stretch, Gap gap,
                    std::vector<ObjectBox>& boxes) const;

    BoxClock clock_ = BoxClock::frames;
    std::vector<PlacedBox> boxes_;
    std::size_t unnumbered_ = 0;  // the first boxes_ have no id
    std::vector<Track> tracks_;   // of the ids, by first place: a search tree
};

// Reads either of two forms, with numbers as in parse_number().
//
// The MOT Challenge's: a line is `frame,id,left,top,width,height[,confidence[,…]]`. Frames count
// from 1, left and top from 0, and a negative id is none.
//
// A table whose first line names its columns: `time` or `frame`, `id`, `left`, `top`, `width`,
// `height`, and `confidence` if there is one, in any order and case. Further columns do not count.
// Times are seconds or [H:]MM:SS, see parse_seconds(). If both are there, frames count.
//
// In both, fields are separated by commas or, in lines without a comma, by blanks; fields may be
// "quoted". '#' starts a comment that runs to the end of its line. Empty lines, CRLF and a byte
// order mark do not count, and lines may be in any order.
//
// `origin` names the text in errors. Throws FilterError whose message starts with
// "origin:line:column: "; its text is the line. A text without boxes is an error, because a
// detector that failed leaves one.
BoxTracks parse_boxes(std::string_view text, const std::string& origin);

// The same for a file. Throws FilterError also if it cannot be read.
BoxTracks load_boxes(const std::filesystem::path& path);

// The text that parse_boxes() reads as the same boxes, in the order of their places: the ten fields
// of the MOT Challenge's form, the last three of them -1, or a table with times.
std::string print_boxes(const BoxTracks& tracks);

}  // namespace weft
