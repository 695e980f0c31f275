// Renders the compare view as frames of a video: a wipe, both pictures next to each other, or their
// difference, in the file's own planes.
#pragma once

#include <cstdint>

#include "app/pipeline/file_job.h"
#include "app/viewer/view/view_geometry.h"

namespace weft {

enum class CompareLayout : std::uint8_t { wipe, side_by_side, difference };

struct CompareVideo {
    CompareLayout layout = CompareLayout::wipe;
    double position = 0.5;      // wipe line, 0..1 of the displayed width or height
    double gain = 1;            // for the difference
    bool false_colour = false;  // for the difference
    int rotation_degrees = 0;   // clockwise, applied by players; left and right refer to the result
    WipeOrientation line = WipeOrientation::vertical;  // horizontal: the left picture is above it
};

// Combines two frames with the same size, native format and tags.
// - wipe: the picture's size; the position of the wipe is rounded to a whole chroma sample.
// - side_by_side: twice as wide, or twice as high with a horizontal line. Where a picture ends in
// the
//   middle of a chroma sample, its last column or row is repeated to fill it.
// - difference: the picture's size; middle gray + gain · (right - left), rounded and clamped to the
//   range, for every component; alpha is opaque. Middle gray is half the range, 128 at 8 bits.
//   In false colour it is paint_false_colours().
// Throws MediaError when out of memory.
AVFramePtr compare_frames(const CompareVideo& how, const AVFrame& left, const AVFrame& right);

// compare_frames() as a FileJob::compose callback.
FrameComposer compare_composer(const CompareVideo& how);

}  // namespace weft
