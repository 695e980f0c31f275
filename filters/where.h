// Where and when a step filters: the parameters that every filter takes besides its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "filters/boxes.h"
#include "filters/filter.h"
#include "filters/frame_info.h"
#include "filters/params.h"
#include "filters/stack.h"

namespace weft {

// A length in pixels, or in percent of a length that is only known with the frame.
struct Length {
    double value = 0;
    bool percent = false;

    double of(double whole) const { return percent ? value * whole / 100 : value; }
    bool operator==(const Length&) const = default;
};

// A box as it is written: WxH+X+Y, as in ImageMagick, or "10%x20%+40%+5%" with percents of the
// frame's width and height. X and Y may be negative, and W and H are more than 0.
struct RegionText {
    Length width, height, left, top;

    bool operator==(const RegionText&) const = default;
};

// Parses boxes that are separated by '|', at most 1024. Throws TextError.
std::vector<RegionText> parse_regions(std::string_view text);

// Parses "4", "4px" or "10%". Throws TextError, also for a negative length.
Length parse_length(std::string_view text);

// Parses the ids of boxes, numbers that are separated by '|'. Throws TextError.
std::vector<std::int64_t> parse_ids(std::string_view text);

// Whether a step's `enable`, `boxes` or `mask` may depend on the numbers of frames.
bool counts_frames(const Stack& stack);

// Checks the names in an expression of ffmpeg's `enable`: the variables t, n, w and h, its
// constants and its functions, without those that would give another result in another run. Throws
// TextError at the first other name. The rest of the grammar is libavutil's.
void check_enable_names(std::string_view text);

// A rectangle in pixels of the frame as it is coded, before a player turns it. The sides may be
// fractions and may lie outside the frame.
struct RegionRect {
    double left = 0, top = 0, right = 0, bottom = 0;
};

// Whole pixels or samples.
struct PixelRect {
    int left = 0, top = 0, width = 0, height = 0;

    int right() const { return left + width; }
    int bottom() const { return top + height; }
    bool empty() const { return width <= 0 || height <= 0; }
    bool operator==(const PixelRect&) const = default;
};

// Regions that follow the boxes of a file.
struct MovingRegions {
    BoxTracks boxes;
    Gap gap = Gap::interpolate;
    Length grow = {};
    FrameInfo frame;

    // Those of one frame, without any that do not meet it.
    std::vector<RegionRect> at(const FramePlace& place) const;
    // The greatest width and height of a region, in pixels of the frame as it is coded.
    BoxSize largest() const;
};

enum class RegionShape : std::uint8_t { rectangle, ellipse };

// The pixels that a step changes, by weights in whole 65,535ths: 0 keeps the input's bits, 65,535
// takes the filter's bits, and between them the two are mixed.
//
// A pixel that a region touches has the full weight. An ellipse touches the pixels whose centres
// are not outside of it; it is inscribed in the rectangle of the pixels that its box touches.
// Outside of the shape the weight falls linearly with the distance d of the pixel's centre from the
// shape, 1 - d / feather, and is rounded to the next 65,535th; d is the Euclidean distance from a
// rectangle, and the distance along the ray from the centre of an ellipse. Where regions overlap
// the largest weight holds. `invert` takes 65,535 minus the weight.
//
// A sample of a plane with fewer samples than the frame has pixels takes the largest weight of the
// pixels that it covers, before `invert`.
struct Where {
    std::vector<RegionRect> regions = {};
    RegionShape shape = RegionShape::rectangle;
    double feather = 0;  // px
    bool invert = false;
    // The regions of each frame, which replace `regions`; null: they stand still.
    std::shared_ptr<const MovingRegions> moving = {};
    // The weights are those of a mask, which has one for each pixel of each frame, see MaskSource;
    // they replace `regions`.
    bool masked = false;
};

inline constexpr unsigned kFullWeight = 65'535;

// Throws FilterError if a parameter of regions is given without `region`, `boxes` or `mask`, or two
// of them are.
void check_where(const Params& params);

// The regions that the parameters name in frames like `info`, grown and turned against the frame's
// rotation; nothing: the step filters the whole frame. Regions that lie outside the frame are left
// out. Reads the file of boxes. Throws FilterError at the first region if none meets the frame, if
// the file cannot be read, and for ids that it does not have.
std::optional<Where> where_of(const Params& params, const FrameInfo& info);

// The lines of a frame that a picture consists of: all, or those of one field.
struct Lines {
    int first = 0;
    int step = 1;
};

// The pixels of the frame that the region touches, also outside of the frame; at least one.
PixelRect touched_pixels(const RegionRect& region);

// The pixels of a width × height picture, made of `lines` of its frame, whose weight can be above 0
// because of this region, without `invert`: clipped to the picture, and empty outside of it.
PixelRect reach_of(const Where& where, const RegionRect& region, int width, int height,
                   Lines lines);

// A plane's samples: each covers columns × rows pixels of the picture, those of the last column and
// row as many as there are.
struct Coverage {
    int columns = 1;
    int rows = 1;
    int width = std::numeric_limits<int>::max();  // the picture's
    int height = std::numeric_limits<int>::max();
};

// Rows of weights, which begin so many entries apart.
struct WeightRows {
    std::uint16_t* first = nullptr;
    std::ptrdiff_t pitch = 0;
};

// Writes the weights of the plane's samples in `samples`. Not for masks.
void fill_weights(const Where& where, const PixelRect& samples, Coverage coverage, Lines lines,
                  WeightRows rows);

}  // namespace weft
