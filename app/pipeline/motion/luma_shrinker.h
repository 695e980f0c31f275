// The luma of a part of a frame, shrunk by averages to a size that a detector of motion can afford.
#pragma once

#include <cstdint>
#include <vector>

#include "filters/frame_info.h"
#include "filters/where.h"
#include "kernels/image_view.h"
#include "kernels/plane_views.h"

namespace weft {

// Where `rect` of a picture of `width` by `height` is after the picture has been turned clockwise
// by 0, 90, 180 or 270 degrees.
PixelRect turned(PixelRect rect, int width, int height, int degrees);

// Each output pixel is the mean of factor() × factor() input pixels, or of those that exist at the
// right and the lower edge. Sums of integers are exact. One thread at a time may use it.
class LumaShrinker {
 public:
    // Pictures of more pixels are shrunk: 341 × 192 remain of 1920 × 1080.
    static constexpr int kMostPixels = 1 << 16;

    // `part` is in pixels as coded and inside the frame.
    LumaShrinker(const FrameInfo& info, PixelRect part);

    int factor() const { return factor_; }

    // `planes` are in host memory and laid out as the FrameInfo states. Returns one channel of f32
    // in levels of 8 bits, so that the largest sample of any format is 255. RGB becomes the luma of
    // BT.709, since motion depends little on the weights. Means that are no numbers become 0. The
    // view is valid until the next call.
    ImageView shrink(const PlaneViews& planes);

 private:
    // The share of one component in the luma.
    struct Source {
        int plane = 0;
        int channel = 0;
        float weight = 0;
    };

    template <class Sample, class Sum>
    void add(const ImageView& plane, const Source& source, std::vector<Sum>& sums);

    PixelRect part_;
    int factor_ = 1;
    int width_ = 0;
    int height_ = 0;
    float levels_per_step_ = 1;
    std::vector<Source> sources_;
    std::vector<float> out_;
    std::vector<std::uint16_t> sums_u8_;
    std::vector<std::uint32_t> sums_u16_;
    std::vector<float> sums_f32_;
};

}  // namespace weft
