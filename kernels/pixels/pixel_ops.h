// The steps around a convolution: blending frames in time, luma out of RGB, constant planes,
// interleaved samples separated, parts of a picture mixed. Each runs where its images are: host
// images on the calling thread, device images on `stream` (asynchronous, ordered). All images of a
// call have the same size and are in the same space. Errors: CudaError; std::runtime_error when a
// device image is given to a CPU-only build.
#pragma once

#include <span>

#include "filters/operation.h"
#include "kernels/device/device.h"
#include "kernels/image_view.h"

namespace weft {

// dst = the blend of frames.size() == blend.weights.size() images, frames[0] the newest, by the
// formula at TemporalBlend; saturates to [0, max_value] for u8 and u16. Channels whose bit in
// `channel_mask` is clear copy frames[0]. Sums run in fp32 in the order of `weights`.
void blend_frames(const TemporalBlend& blend, std::span<const ImageView> frames,
                  const ImageView& dst, float max_value, unsigned channel_mask, StreamView stream);

// One RGB source sample: channel `channel` of `image`.
struct ChannelView {
    ImageView image;
    int channel = 0;
};

// luma = round_half_even(kr * r + kg * g + kb * b) in fp32, one channel, of the sources' type.
// (kr, kg, kb) = (0.299, 0.587, 0.114) BT.601, (0.2126, 0.7152, 0.0722) BT.709,
// (0.2627, 0.6780, 0.0593) BT.2020.
void extract_luma(const ChannelView& r, const ChannelView& g, const ChannelView& b,
                  ColorMatrix matrix, const ImageView& luma, StreamView stream);

// dst = channel `from.channel` of `from.image`, each sample shifted right by `shift` (0 to 15), for
// samples in the high bits of their words, as in P010. `dst` has one channel; u8 and u16 only.
void extract_channel(const ChannelView& from, int shift, const ImageView& dst, StreamView stream);

// Writes the one-channel `luma` to the channels of `dst` whose bit in `channel_mask` is set.
void spread_luma(const ImageView& luma, const ImageView& dst, unsigned channel_mask,
                 StreamView stream);

// Writes `value` to the channels of `dst` whose bit in `channel_mask` is set.
void fill_channels(const ImageView& dst, float value, unsigned channel_mask, StreamView stream);

// A part of a picture: `filtered` is mixed into `dst` by the weights w of the pixels, which are
// whole 65,535ths (u16, one channel, of the same size and in the same space). Weights without data
// are 65,535 everywhere.
struct MixedPart {
    ImageView filtered;
    ImageView weights;
    ImageView dst;
};

// Integers become round_half_even((dst * (65535 - w) + filtered * w) / 65535), exactly. Floats
// become fma(w / 65535, filtered - dst, dst) in fp32, and keep their bits where w is 0 or 65,535.
// The parts of a call have samples of one type and are in one space. Where they overlap, all but
// one have the weight 0. A GPU takes 256 of them per launch, and words of 16 bytes where the rows
// of `filtered`, `dst` and `weights` reach such an address at the same pixel. Returns the number of
// launches, 1 on the CPU.
int mix_images(std::span<const MixedPart> parts, StreamView stream);

// Two images of one size, type and number of channels. The pitch of `src` may be 0: then one row is
// copied to all.
struct CopiedImage {
    ImageView src;
    ImageView dst;
};

// Copies several images in one space, of which none is written twice. A GPU takes 256 of them per
// launch. Returns the number of launches, 1 on the CPU.
int copy_images(std::span<const CopiedImage> images, StreamView stream);

// Copies the pixels of `src` to `dst`, also between host and device. Between pageable host memory
// and the device it blocks; with pinned memory it is asynchronous on `stream`.
void copy_image(const ImageView& src, const ImageView& dst, StreamView stream);

// The same within the device by a kernel of 16 bytes per load. It overtakes the driver's copy for
// planes of a few megabytes and for padded rows. Images whose rows are not aligned to 16 bytes are
// left to copy_image().
void copy_by_kernel(const ImageView& src, const ImageView& dst, StreamView stream);

}  // namespace weft
