// Reads a film and finds the stretches in which something moves.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/media/check/damage.h"
#include "app/media/demux/reader_options.h"
#include "app/pipeline/motion/luma_shrinker.h"
#include "app/pipeline/motion/motion_detector.h"
#include "filters/where.h"

namespace weft {

// Parses one region in the grammar of parse_regions(). Throws FilterError with the place.
RegionText parse_region(const std::string& text);

// The pixels that a region of a picture of this size touches, without parts outside of the picture.
// Throws Error(usage) if no pixel is left, naming `text`.
PixelRect place_region(const RegionText& region, int width, int height, const std::string& text);

struct FilmMotionOptions {
    ReaderOptions reader;
    // As parse_region() takes it, in pixels of the picture as a viewer sees it: after rotation and
    // before the sample aspect ratio. An empty text stands for the whole picture.
    std::string region = {};
    MotionOptions motion;
};

struct FilmMotion {
    int width = 0;  // the picture's after rotation
    int height = 0;
    PixelRect region;                   // in that picture
    std::int64_t frames = 0;            // so far
    std::int64_t frames_estimated = 0;  // 0: unknown
    // Both count from the beginning of the file, as -ss does.
    double begin_seconds = 0;  // the first frame's time
    double end_seconds = 0;    // of the last frame so far
    MotionPoint last = {};     // the last frame's; its box is in cells
    // In order. The boxes are in pixels of the picture after rotation. They consist of cells of
    // LumaShrinker::factor() pixels, and exceed the object by one cell on each side if its contrast
    // is three times the threshold.
    std::vector<MotionEvent> events;
    std::vector<std::string> notes;
    DamageReport damage;  // if the input was read to its end
};

// Called after each frame, on the thread that called find_motion().
using FilmMotionProgress = std::function<void(const FilmMotion&)>;

// Decodes on threads of its own while it measures. Ends early when a stop is requested: the events
// are then those so far. Frames of another size or format than the first are converted to it.
// Throws Error as Reader does, and Error(usage) for a picture and for a region outside of the film.
FilmMotion find_motion(const FilmMotionOptions& options, const std::stop_token& stop,
                       const FilmMotionProgress& progress);

}  // namespace weft
