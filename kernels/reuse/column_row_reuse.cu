// The kernel column_row_reuse: columns are reused across a warp by shuffles, shared memory or the
// L1 cache, rows down a strip by register accumulators. Four forms, one idea:
//
//   reuse_rolling.cuh  8 and 16 bits, 3×3 to 9×9, centred: a warp walks down a strip
//   reuse_tile.cuh     fp32 up to 5×5, in two to four channels up to 9×9, centred: no strips
//   reuse_ring.cuh     fp32 of one channel, 7×7 to 15×15, centred: rows fetched ahead, row_ring.cuh
//   reuse_strip.cuh    any taps up to 63×63, any anchor, any number of sets: loops at run time, the
//                      shuffles of row_feed.cuh
//
// Idea: loading each input sample once per strip cuts FH·FW loads per output to (strip + FH - 1) /
// strip; the halo comes in vectors from the L1 cache, or as packed bytes by a quarter of a shuffle
// per sample.
// Source: Lu, Zhang, Wang, "Optimizing GPU Memory Transactions for Convolution Operations", CLUSTER
// 2020, pp. 399-403; the same, TPDS 33(1), 2022; patent CN111797985. The butterfly exchange of the
// papers needs as many loads as FW - 1 has one bits; the two-load form here needs two, always.
// Limits: dense taps; rows less than 2 GiB apart
// Cost, 5×5 u16 in strips of 10: 1.4 vector loads per 8 outputs and two for the halo, 25
// multiplications per output.
// Registers (sm_90, nvcc 13.0): rolling u8 3×3 gray 96, RGB 64, RGBA 80; u16 3×3 56, 5×5 72, 9×9
// 128; tile f32 gray 56, RGBA 64 at 3×3 and 80 at 5×5; ring 56; strip form u8 gray 117, f32 gray
// 140, f32 RGBA 182.
#include "kernels/common/prepared.cuh"
#include "kernels/reuse/column_row_reuse.h"
#include "kernels/reuse/reuse_variants.cuh"

namespace weft {

namespace {

// The forms whose arguments hold taps and borders. Variant and Layout belong to the tile, the ring
// or the rolling form.
template <class Variant, class Layout>
std::unique_ptr<PreparedConv> prepared_form(const ConvProblem& p, const Device& device,
                                            const Variant& variant, Layout layout) {
    auto body = [&variant, layout = std::move(layout), early = variant.can_be_early()](
                    const ImageView& src, const ImageView& dst, StreamView stream) mutable {
        set_images(src, dst, layout.args.images);
        set_alignment(variant, rows_aligned(src, variant.alignment_bytes),
                      rows_aligned(dst, variant.alignment_bytes), layout);
        variant.launch(layout.args, layout.blocks, early, stream);
    };
    return prepared(p, device, std::move(body));
}

std::unique_ptr<PreparedConv> prepared_strip(const ConvProblem& p, const Device& device,
                                             const StripVariant& variant) {
    const StripLayout layout = lay_out(p, variant);
    StripArgs args = layout.args;
    DeviceBorders borders(layout.borders);
    borders.point(args.base.images);
    DeviceArray<float> taps = upload(layout.taps);
    args.taps = taps.get();
    variant.reserve(layout.shared_bytes);
    auto body = [&variant, args, blocks = layout.blocks, shared_bytes = layout.shared_bytes,
                 borders = std::move(borders), taps = std::move(taps)](
                    const ImageView& src, const ImageView& dst, StreamView stream) mutable {
        set_images(src, dst, args.base.images);
        args.base.src_aligned = rows_aligned(src, variant.alignment_bytes);
        args.base.dst_aligned = rows_aligned(dst, variant.alignment_bytes);
        variant.launch(args, blocks, shared_bytes, stream);
    };
    return prepared(p, device, std::move(body));
}

}  // namespace

std::span<const RollingVariant> rolling_variants(PixelType type, int channels) {
    if (type != PixelType::u8) return compiled_rolling<RollingDeepForms>();
    return channels == 1 ? compiled_rolling<RollingGrayForms>()
                         : compiled_rolling<RollingColorForms>();
}

std::span<const StripVariant> strip_variants(PixelType type) {
    switch (type) {
        case PixelType::u8:
            return compiled_strips<StripU8Forms>();
        case PixelType::u16:
            return compiled_strips<StripU16Forms>();
        case PixelType::f32:
            break;
    }
    return compiled_strips<StripF32Forms>();
}

std::unique_ptr<PreparedConv> prepare_column_row_reuse(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    if (const TileVariant* const variant = find_tile(p, tile_variants()))
        return prepared_form(p, device, *variant, lay_out(p, *variant));
    if (const RingVariant* const variant = find_ring(p, ring_variants())) {
        variant->make_ready();
        const int strips = choose_strips(p, *variant, device.multiprocessors);
        return prepared_form(p, device, *variant, lay_out(p, *variant, strips));
    }
    if (const RollingVariant* const variant =
            find_rolling(p, rolling_variants(p.type, p.channels))) {
        const int strip = choose_strip(p, *variant, device.multiprocessors);
        return prepared_form(p, device, *variant, lay_out(p, *variant, strip));
    }
    if (const StripVariant* const variant =
            find_strip(p, strip_variants(p.type), device.multiprocessors))
        return prepared_strip(p, device, *variant);
    throw std::logic_error("no strip variant takes " + describe(p));
}

}  // namespace weft
