// The two implementations of pixel_ops.h. The public functions check their arguments, then call
// host_ops for host images and device_ops for device images; these have no other callers.
//
// Both compute the same fp32 operations in the same order, so that they agree bit for bit:
//   blend  s = weights[0] * in_0; s = fma(weights[k], in_k, s) for k = 1, 2, …;
//          v = fma(absolute ? |s| : s, scale, bias); v = v < threshold ? 0 : v; saturate as below
//   luma   v = fma(kb, b, fma(kg, g, kr * r)); saturate as below
//   fill   v = value; saturate as below
//   mix    in integers of 32 bits: 65535 is odd, so no quotient lies half way, and adding half of
//          it before the division rounds to the nearest; the sum stays below 2^32
// Saturate: f32 stores v; u8 and u16 store round_half_even(clamp(v, 0, max)), NaN as 0, where max
// is `max_value` in blends and the type's largest value (255, 65535) elsewhere.
#pragma once

#include <span>

#include "kernels/pixels/pixel_ops.h"

namespace weft {

struct LumaWeights {
    float r = 0, g = 0, b = 0;
};

namespace host_ops {

void blend_frames(const TemporalBlend& blend, std::span<const ImageView> frames,
                  const ImageView& dst, float max_value, unsigned channel_mask);
void extract_luma(const ChannelView& r, const ChannelView& g, const ChannelView& b,
                  const LumaWeights& weights, const ImageView& luma);
void extract_channel(const ChannelView& from, int shift, const ImageView& dst);
void spread_luma(const ImageView& luma, const ImageView& dst, unsigned channel_mask);
void fill_channels(const ImageView& dst, float value, unsigned channel_mask);
void mix_images(std::span<const MixedPart> parts);
void copy_images(std::span<const CopiedImage> images);
void copy_image(const ImageView& src, const ImageView& dst);

}  // namespace host_ops

// In a CPU-only build each throws std::runtime_error with a sentence.
namespace device_ops {

void blend_frames(const TemporalBlend& blend, std::span<const ImageView> frames,
                  const ImageView& dst, float max_value, unsigned channel_mask, StreamView stream);
void extract_luma(const ChannelView& r, const ChannelView& g, const ChannelView& b,
                  const LumaWeights& weights, const ImageView& luma, StreamView stream);
void extract_channel(const ChannelView& from, int shift, const ImageView& dst, StreamView stream);
void spread_luma(const ImageView& luma, const ImageView& dst, unsigned channel_mask,
                 StreamView stream);
void fill_channels(const ImageView& dst, float value, unsigned channel_mask, StreamView stream);
// These return the number of launches.
int mix_images(std::span<const MixedPart> parts, StreamView stream);
int copy_images(std::span<const CopiedImage> images, StreamView stream);
// At least one of the two is on the device.
void copy_image(const ImageView& src, const ImageView& dst, StreamView stream);
void copy_by_kernel(const ImageView& src, const ImageView& dst, StreamView stream);

}  // namespace device_ops

}  // namespace weft
