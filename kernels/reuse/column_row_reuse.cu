// The kernel column_row_reuse: columns are reused across a warp by shuffles or shared memory, rows
// down a strip by register accumulators. Four forms, one idea:
//
//   reuse_tile.cuh     fp32 of one and four channels and 16-bit gray up to 5×5: no strips
//   reuse_ring.cuh     fp32 of one channel, 7×7 to 15×15, centred: rows fetched ahead, row_ring.cuh
//   reuse_rolling.cuh  3×3 to 9×9, centred: everything unrolled, taps as constant operands
//   reuse_strip.cuh    any taps up to 63×63, any anchor, any number of sets: loops at run time
//   row_feed.cuh       the shuffle pattern, drawn, and the finish
//
// Idea: loading each input sample once per strip cuts FH·FW loads per output to (strip + FH - 1) /
// strip, and shuffling packed bytes makes a halo cost a quarter of a shuffle per sample.
// Source: Lu, Zhang, Wang, "Optimizing GPU Memory Transactions for Convolution Operations", CLUSTER
// 2020, pp. 399-403; the same, TPDS 33(1), 2022; patent CN111797985. The butterfly exchange of the
// papers needs as many loads as FW - 1 has one bits; the two-load form here needs two, always.
// Limits: dense taps; rows less than 2 GiB apart
// Cost, 5×5 u8 in strips of 8: 1.5 sample loads per output (direct: 25), a quarter of a word
// shuffle per output and row, 25 multiplications.
// Registers (sm_90, nvcc 13.0; no spills but 12 bytes of the 16-bit 5×5 tile): tile f32 gray 56,
// f32 RGBA and 16-bit gray 64 at 3×3 and 80 at 5×5; ring 56; rolling u8 gray 3×3 80, 5×5 91, 7×7
// 108, 9×9 123; Sobel pair 96; RGBA 9×9 135; strip form u8 gray 117, f32 gray 140, f32 RGBA 182.
#include "kernels/common/device_borders.cuh"
#include "kernels/conv_problem.h"
#include "kernels/device/device_array.cuh"
#include "kernels/device/stream.h"
#include "kernels/reuse/column_row_reuse.h"

namespace weft {

namespace {

template <class Args>
void point_at(const ImageView& src, const ImageView& dst, int alignment, Args& args) {
    set_images(src, dst, args.images);
    args.src_aligned = rows_aligned(src, alignment);
    args.dst_aligned = rows_aligned(dst, alignment);
}

class PreparedTile : public PreparedConv {
 public:
    PreparedTile(const ConvProblem& p, const Device& device, const TileVariant& variant)
        : problem_(p),
          device_(device),
          variant_(variant),
          layout_(lay_out(p, variant)),
          early_(variant.can_be_early()) {}

    void launch(const ImageView& src, const ImageView& dst, StreamView stream) override {
        check_images(problem_, src, dst, MemorySpace::device);
        use_device(device_);
        point_at(src, dst, variant_.alignment_bytes, layout_.args);
        variant_.launch(layout_.args, layout_.blocks, early_, stream);
    }

 private:
    ConvProblem problem_;
    Device device_;
    const TileVariant& variant_;
    TileLayout layout_;
    bool early_;
};

class PreparedRing : public PreparedConv {
 public:
    PreparedRing(const ConvProblem& p, const Device& device, const RingVariant& variant)
        : problem_(p),
          device_(device),
          variant_(variant),
          layout_(lay_out(p, variant, choose_strips(p, variant, device.multiprocessors))),
          early_(variant.can_be_early()) {
        variant.make_ready();
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView stream) override {
        check_images(problem_, src, dst, MemorySpace::device);
        use_device(device_);
        point_at(src, dst, variant_.alignment_bytes, layout_.args);
        variant_.launch(layout_.args, layout_.blocks, early_, stream);
    }

 private:
    ConvProblem problem_;
    Device device_;
    const RingVariant& variant_;
    RingLayout layout_;
    bool early_;
};

class PreparedRolling : public PreparedConv {
 public:
    PreparedRolling(const ConvProblem& p, const Device& device, const RollingVariant& variant)
        : problem_(p),
          device_(device),
          variant_(variant),
          layout_(lay_out(p, variant, choose_strip(p, variant, device.multiprocessors))),
          borders_(layout_.borders) {
        borders_.point(layout_.args.base.images);
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView stream) override {
        check_images(problem_, src, dst, MemorySpace::device);
        use_device(device_);
        point_at(src, dst, variant_.alignment_bytes, layout_.args.base);
        variant_.launch(layout_.args, layout_.blocks, stream);
    }

 private:
    ConvProblem problem_;
    Device device_;
    const RollingVariant& variant_;
    RollingLayout layout_;
    DeviceBorders borders_;
};

class PreparedStrip : public PreparedConv {
 public:
    PreparedStrip(const ConvProblem& p, const Device& device, const StripVariant& variant)
        : problem_(p),
          device_(device),
          variant_(variant),
          layout_(lay_out(p, variant)),
          borders_(layout_.borders),
          taps_(upload(layout_.taps)) {
        borders_.point(layout_.args.base.images);
        layout_.args.taps = taps_.get();
        variant_.reserve(layout_.shared_bytes);
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView stream) override {
        check_images(problem_, src, dst, MemorySpace::device);
        use_device(device_);
        point_at(src, dst, variant_.alignment_bytes, layout_.args.base);
        variant_.launch(layout_.args, layout_.blocks, layout_.shared_bytes, stream);
    }

 private:
    ConvProblem problem_;
    Device device_;
    const StripVariant& variant_;
    StripLayout layout_;
    DeviceBorders borders_;
    DeviceArray<float> taps_;
};

}  // namespace

std::unique_ptr<PreparedConv> prepare_column_row_reuse(const ConvProblem& p, const Device& device) {
    validate(p);
    use_device(device);
    if (const TileVariant* const variant = find_tile(p, tile_variants()))
        return std::make_unique<PreparedTile>(p, device, *variant);
    if (const RingVariant* const variant = find_ring(p, ring_variants()))
        return std::make_unique<PreparedRing>(p, device, *variant);
    if (const RollingVariant* const variant = find_rolling(p, rolling_variants()))
        return std::make_unique<PreparedRolling>(p, device, *variant);
    if (const StripVariant* const variant = find_strip(p, strip_variants(), device.multiprocessors))
        return std::make_unique<PreparedStrip>(p, device, *variant);
    throw std::logic_error("no strip variant takes " + describe(p));
}

}  // namespace weft
