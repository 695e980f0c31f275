// Where in a picture a step filters, and the crops on which it computes that.
#pragma once

#include <span>
#include <vector>

#include "filters/operation.h"
#include "filters/where.h"

namespace weft {

// How far taps reach from a sample to either side, in samples of its plane.
struct Halo {
    int x = 0, y = 0;
};

// A step with regions computes crops, so that it reads and writes the pixels of the regions and the
// halo of its taps alone, and then mixes them into the picture in place. A crop holds all pixels
// that its results need: its edges are those of the picture, or so far away from the region that
// the border is not seen there.
//
// All crops of a plane have one size, for one prepared kernel, and begin at a multiple of 64
// samples where the plane has room. A step takes the whole picture instead, as a single crop, if
// its crops would have more samples, if its border wraps around, if it remembers earlier frames,
// and if it has a mask. Crops of regions that move have room for the largest box. Means are taken
// of the picture itself, and a crop holds the results alone.
struct RegionPlan {
    Where where;
    Lines lines;
    FrameInfo picture;
    FrameInfo crop;  // a crop as a picture of its own, with the size of each plane's crops
    Halo halo = {};
    bool whole = false;  // one crop: the whole picture
    // All planes of a crop show the same pixels, as a step needs that converts them together;
    // `halo` is then in pixels.
    bool joined = false;
    // Crops that are filtered together, copied one above the other into a single picture: launches
    // take longer than the pixels of small regions. If there are several, each has its whole halo
    // above and below, also outside of the picture, where `border` fills it.
    int at_once = 1;
    Border border = Border::reflect101;

    // The picture that the step's kernels filter.
    FrameInfo filtered() const;
    // Whether the weights may differ from frame to frame.
    bool changes() const { return where.moving != nullptr || where.masked; }
};

// The demands of a step on its crops.
struct CropRules {
    int most_at_once = 1;  // are filtered together
    // All planes are converted together. Taps are then in pixels, and a picture whose last samples
    // cover fewer pixels than the others is taken whole.
    bool joined = false;
};

// Plans the regions of a step that computes `operation` on pictures like `info`, which are made of
// these lines of their frames.
RegionPlan plan_region(const Where& where, const Operation& operation, const FrameInfo& info,
                       Lines lines, const CropRules& rules);

// How many pixels of the picture a sample of the plane covers.
Coverage coverage_of(const FrameInfo& info, const PlaneInfo& plane);

// A region's samples in one plane.
struct PlanePart {
    PixelRect samples;  // those that can change
    // The samples that are computed for them, which contain `samples`; above and below the picture,
    // too, where several crops are filtered at once.
    PixelRect crop;
};

// The parts of one plane, of each of these regions in their order, or a single one with
// Where::invert and for a mask. A part may have no samples, for example where a field has no line
// of a region.
std::vector<PlanePart> parts_of(const RegionPlan& plan, std::span<const RegionRect> regions,
                                std::size_t plane);

}  // namespace weft
