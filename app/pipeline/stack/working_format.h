// The picture of higher precision on which a step computes, if it works in linear light, weighs
// colours by alpha, or dithers (filters/light/working.h).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "app/pipeline/stack/lowering.h"
#include "filters/light/working.h"
#include "filters/operation.h"
#include "filters/where.h"
#include "kernels/device/image_buffer.h"
#include "kernels/pixels/working_ops.h"

namespace weft {

// Components that are converted together, to as many planes of the working picture.
struct WorkingGroup {
    std::vector<ChannelIndex> components;  // of the frame, in the order y u v a or r g b a
    std::vector<bool> written;             // parallel: the others are only read
    std::size_t first_plane = 0;           // of the working picture
    WorkingRule rule;                      // without curves
    bool converted = false;                // colours; otherwise samples keep their levels
};

// Before the step, its groups are converted from the frame, or from a crop of it; then it computes
// on the working picture as on any other; and then they are converted back. The samples between are
// f32, or u16 where sums must be exact.
//
// A frame is converted for linear light and weighted alpha at its size in pixels; for dithering
// alone, each component keeps its size and its levels, so that the operation holds as it is.
struct WorkingFormat {
    FrameInfo info;  // one plane per component; planes of no group have no pixels
    std::vector<WorkingGroup> groups;
    // The function of the colours that are converted.
    TransferFunction transfer = TransferFunction::linear;
    // Per plane of the frame: whether a group has a component of it, which the step then writes,
    // and whether another component has to be copied.
    std::vector<bool> written, copied;
};

// Plans the working picture of frames like `info`, or of crops of them, and makes the operation one
// on that picture by replacing its components and levels. Throws std::invalid_argument if exact
// sums are too coarse for the frame's transfer function.
WorkingFormat plan_working(const Working& how, Operation& operation, const FrameInfo& info,
                           bool exact_sums);

// The frame for which a filter makes the operation: floats from 0 to 1 if colours are converted.
FrameInfo working_levels(const Working& how, const FrameInfo& info);

// Gives constants outside the sums the levels of the working picture: biases, fills and borders,
// where `border` is the frame's sample for pixels outside.
void set_working_levels(LoweredStep& step, const WorkingFormat& working, const FrameInfo& info,
                        float border);

// The working picture of one crop size.
class WorkingPicture {
 public:
    // `planes` have the frame's or the crop's shapes and memory space. The format must outlive
    // this.
    WorkingPicture(const WorkingFormat& format, std::span<const ImageView> planes);

    // Without pixels, for planes of no group.
    std::span<const ImageView> source() const { return source_; }
    std::span<const ImageView> result() const { return result_; }

    // Converts the frame's planes to source(). Returns the number of launches.
    int convert(std::span<const ImageView> in, StreamView stream) const;
    // Converts result() back to the planes that the format names as written; planes with
    // `computed` unset are taken from source(). `places` are those of the planes in the picture.
    int finish(std::span<const ImageView> in, std::span<const ImageView> out,
               const std::vector<bool>& computed, std::span<const PixelRect> places,
               StreamView stream) const;

 private:
    const WorkingFormat* format_;
    std::vector<WorkingRule> rules_;  // one per group, with curves
    std::vector<ImageBuffer> buffers_;
    std::vector<ImageView> source_, result_;
};

}  // namespace weft
