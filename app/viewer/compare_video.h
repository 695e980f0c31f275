// What the compare view shows, as frames of a video: a wipe, both pictures side by side, or their
// difference, in the file's own planes.
#pragma once

#include <cstdint>

#include "app/pipeline/file_job.h"
#include "app/viewer/view_geometry.h"

namespace weft {

enum class CompareLayout : std::uint8_t { wipe, side_by_side, difference };

struct CompareVideo {
    CompareLayout layout = CompareLayout::wipe;
    double position = 0.5;     // of the wipe's line, 0..1 of the width or height as it is shown
    double gain = 1;           // of the difference
    int rotation_degrees = 0;  // clockwise turn that a player applies: left and right are its
    WipeOrientation line = WipeOrientation::vertical;  // horizontal: the left picture is above it
};

// Two frames of one size, native format and set of tags as one.
// - wipe: the picture's size; where the other picture begins is rounded to a whole chroma sample.
// - side_by_side: twice as wide. Where a picture ends in the middle of a chroma sample, its last
//   column is repeated to fill it.
// - difference: the picture's size; middle gray + gain · (right - left), rounded and kept in
//   range, on every component; alpha is opaque. Middle gray is half the range, 128 at 8 bits.
// Throws MediaError when memory ends.
AVFramePtr compare_frames(const CompareVideo& how, const AVFrame& left, const AVFrame& right);

// The same for FileJob::compose.
FrameComposer compare_composer(const CompareVideo& how);

}  // namespace weft
