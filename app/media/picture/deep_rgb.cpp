#include "app/media/picture/deep_rgb.h"

#include <algorithm>
#include <cstdint>

#include "app/media/picture/pixel_traits.h"

extern "C" {
#include <libavutil/intreadwrite.h>
#include <libavutil/pixdesc.h>
}

namespace weft {
namespace {

constexpr int kColours = 3;  // the first components; alpha comes after them

struct Scale {
    std::uint32_t from_max, to_max;

    std::uint16_t of(std::uint32_t value) const {
        return static_cast<std::uint16_t>(
            (std::min(value, from_max) * std::uint64_t{to_max} + from_max / 2) / from_max);
    }
};

template <bool BigEndian>
void scale_row(std::uint8_t* sample, int count, int step, const Scale& scale) {
    for (int x = 0; x < count; ++x, sample += step) {
        if constexpr (BigEndian)
            AV_WB16(sample, scale.of(AV_RB16(sample)));
        else
            AV_WL16(sample, scale.of(AV_RL16(sample)));
    }
}

void scale_colours(AVFrame& frame, const Scale& scale) {
    const AVPixFmtDescriptor* desc = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
    const auto scale_one =
        (desc->flags & AV_PIX_FMT_FLAG_BE) != 0 ? scale_row<true> : scale_row<false>;
    for (int c = 0; c < kColours; ++c) {
        const AVComponentDescriptor& place = desc->comp[c];
        std::uint8_t* row = frame.data[place.plane] + place.offset;
        for (int y = 0; y < frame.height; ++y, row += frame.linesize[place.plane])
            scale_one(row, frame.width, place.step, scale);
    }
}

std::uint32_t white(const AVFrame& frame) {
    return (1U << pixel_traits(static_cast<AVPixelFormat>(frame.format)).depth) - 1;
}

std::uint32_t low_white(const AVFrame& frame) {
    return 255U << (pixel_traits(static_cast<AVPixelFormat>(frame.format)).depth - 8);
}

}  // namespace

bool has_low_white(AVPixelFormat format) {
    const PixelTraits traits = pixel_traits(format);
    const AVPixFmtDescriptor* desc = av_pix_fmt_desc_get(format);
    const bool whole_samples = desc->comp[0].shift == 0 && desc->comp[0].step % 2 == 0 &&
                               desc->comp[1].shift == 0 && desc->comp[2].shift == 0;
    return traits.rgb && !traits.floating && traits.depth > 8 && traits.depth <= 16 &&
           whole_samples;
}

void raise_white(AVFrame& frame) {
    scale_colours(frame, {low_white(frame), white(frame)});
}

AVFramePtr lower_white(const AVFrame& frame) {
    AVFramePtr lowered = make_frame();
    av_check(av_frame_ref(lowered.get(), &frame), "sharing a frame", "memory");
    av_check(av_frame_make_writable(lowered.get()), "copying a frame", "memory");
    scale_colours(*lowered, {white(frame), low_white(frame)});
    return lowered;
}

}  // namespace weft
