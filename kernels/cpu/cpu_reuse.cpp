// Idea    The project's idea on a CPU. Each row of the picture becomes one padded row of floats
// that
//         all outputs share. Up to four rows of output are summed together in registers: a vector
//         is loaded once for each column of taps, and added to every output whose window holds it.
//         All channels are one row of samples.
// Bytes   Where sums of whole numbers are exact, bytes are multiplied by taps of one byte each,
// four
//         in one instruction of AVX-512. The bits are those of fp32.
// Source  register blocking as in Goto and van de Geijn, Anatomy of High-Performance Matrix
//         Multiplication, 2008, for correlation.
// Limits  dense taps, the same for all channels that it filters.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/common/kernel_terms.h"
#include "kernels/conv_kernel.h"
#include "kernels/cpu/cpu_terms.h"
#include "kernels/cpu/padded_rows.h"
#include "kernels/cpu/row_strips.h"
#include "kernels/pixels/host_rows.h"
#include "kernels/with_sample_type.h"

namespace weft {
namespace {

constexpr int kMostRows = 4;       // of output, which share their loads
constexpr int kLeastQuadRows = 3;  // of taps

// A tap is a float, or four signed bytes that are side by side in their row.
template <class Tap>
struct DenseTaps {
    int rows = 0;
    int columns = 0;
    int step = 1;  // samples between neighbours along x
    Combine combine = Combine::single;
    std::vector<std::vector<Tap>> sets;
};

}  // namespace
}  // namespace weft

#define WEFT_VECTOR_CODE "kernels/cpu/reuse_rows.inc"
#include "kernels/cpu/each_instruction_set.inc"

namespace weft {
namespace {

template <int value>
using Constant = std::integral_constant<int, value>;

// Whether all taps are signed bytes, sums are exact, and saturation to bytes is all that results
// need, which fit 32 bits before it.
bool takes_quads(const ConvProblem& p) {
    const auto is_byte = [](float w) { return w >= -128 && w <= 127; };
    const ChannelConv conv = common_taps(p).conv;
    const double largest = 0x1p24 * kMaxTapSets * std::fabs(static_cast<double>(conv.scale)) +
                           std::fabs(static_cast<double>(conv.bias));
    return p.type == PixelType::u8 && p.taps().height >= kLeastQuadRows && p.max_value == 255 &&
           sums_are_exact(p) && largest < 0x1p30 &&
           std::ranges::all_of(
               conv.taps, [&](const Taps& t) { return std::ranges::all_of(t.weights, is_byte); });
}

int quads_in(const Taps& t) {  // in each row
    return (t.width + 3) / 4;
}

std::vector<std::int32_t> quads_of(const Taps& t) {
    std::vector<std::int32_t> quads;
    for (int j = 0; j < t.height; ++j)
        for (int i = 0; i < t.width; i += 4) {
            std::uint32_t quad = 0;
            for (int k = 0; k < 4 && i + k < t.width; ++k) {
                const float tap = t.weights[static_cast<std::size_t>(j) * t.width + i + k];
                quad |= (static_cast<std::uint32_t>(static_cast<int>(tap)) & 0xffU) << (8 * k);
            }
            quads.push_back(static_cast<std::int32_t>(quad));
        }
    return quads;
}

class PreparedReuse final : public PreparedConv {
 public:
    PreparedReuse(const ConvProblem& p, const Device& device)
        : problem_(p),
          common_(common_taps(p)),
          block_(std::min(kMostRows, p.taps().height)),
          strips_(p, device, block_, p.taps().height),
          vector_bytes_(device.vector_bytes) {
        const int rows = p.taps().height + block_ - 1;
        if (takes_quads(p)) {
            quads_ = taps_as<std::int32_t>(quads_in(p.taps()), quads_of);
            for (int k = 0; k < strips_.slots(); ++k) byte_rows_.emplace_back(strips_, rows);
        } else {
            taps_ = taps_as<float>(p.taps().width, [](const Taps& t) { return t.weights; });
            for (int k = 0; k < strips_.slots(); ++k) float_rows_.emplace_back(strips_, rows);
        }
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView) override {
        check_images(problem_, src, dst, MemorySpace::host);
        if (!byte_rows_.empty())
            problem_.channels == 1 ? by_quads<true>(src, dst) : by_quads<false>(src, dst);
        else
            with_sample_type(problem_.type,
                             [&](auto zero) { by_floats<decltype(zero)>(src, dst); });
        copy_untouched(common_, src, dst);
    }

 private:
    template <class Tap, class TapsOf>
    DenseTaps<Tap> taps_as(int columns, TapsOf taps_of) const {
        DenseTaps<Tap> taps{.rows = problem_.taps().height,
                            .columns = columns,
                            .step = problem_.channels,
                            .combine = problem_.combine,
                            .sets = {}};
        for (const Taps& t : common_.conv.taps) taps.sets.push_back(taps_of(t));
        return taps;
    }

    template <class T>
    void by_floats(const ImageView& src, const ImageView& dst) {
        const auto convert = for_vectors(vector_bytes_, &vectors16::as_floats<T>,
                                         &vectors32::as_floats<T>, &vectors64::as_floats<T>);
        const auto run = [&](auto rows, auto columns) {
            filter<T>(src, dst, taps_, float_rows_, convert,
                      for_vectors(vector_bytes_, &vectors16::float_rows<T, rows, columns>,
                                  &vectors32::float_rows<T, rows, columns>,
                                  &vectors64::float_rows<T, rows, columns>));
        };
        if (taps_.rows == 3 && taps_.columns == 3) return run(Constant<3>(), Constant<3>());
        if (block_ == 1) return run(Constant<1>(), Constant<0>());
        if (block_ == 2) return run(Constant<2>(), Constant<0>());
        if (block_ == 3) return run(Constant<3>(), Constant<0>());
        run(Constant<kMostRows>(), Constant<0>());
    }

    template <bool gray>
    void by_quads(const ImageView& src, const ImageView& dst) {
        const auto copy = [](const std::uint8_t* from, int samples, std::uint8_t* to) {
            std::copy_n(from, samples, to);
        };
        const auto run = [&](auto rows, auto columns) {
            filter<std::uint8_t>(
                src, dst, quads_, byte_rows_, copy,
                for_vectors(vector_bytes_, &vectors16::quad_rows<rows, columns, gray>,
                            &vectors32::quad_rows<rows, columns, gray>,
                            &vectors64::quad_rows<rows, columns, gray>));
        };
        if (quads_.rows == 3 && quads_.columns == 1) return run(Constant<3>(), Constant<1>());
        if (block_ == 3) return run(Constant<3>(), Constant<0>());
        run(Constant<kMostRows>(), Constant<0>());
    }

    template <class T, class Tap, class Sample, class Convert, class RowsOf>
    void filter(const ImageView& src, const ImageView& dst, const DenseTaps<Tap>& taps,
                std::vector<PaddedRows<Sample>>& rows, Convert convert, RowsOf rows_of) {
        const RowFinish finish{common_.conv.scale, common_.conv.bias, problem_.max_value};
        const auto outside = static_cast<Sample>(problem_.border_value);
        strips_.run(src, dst, [&](int slot, const RowStrips::Strip& strip) {
            std::vector<const Sample*> in(taps.rows + block_ - 1);
            std::array<T*, kMostRows> out{};
            rows[slot].clear();
            for (int y = strip.begin; y < strip.end; y += block_) {
                for (std::size_t i = 0; i < in.size(); ++i)
                    in[i] = rows[slot].template get<T>(
                        strip, y - problem_.taps().anchor_y + static_cast<int>(i), outside,
                        convert);
                for (int r = 0; r < block_; ++r) out[r] = strip.out<T>(y + r);
                rows_of(taps, in.data(), strips_.samples(), finish, out.data());
            }
        });
    }

    ConvProblem problem_;
    CommonTaps common_;
    int block_;  // rows of output
    RowStrips strips_;
    int vector_bytes_;
    DenseTaps<float> taps_;
    DenseTaps<std::int32_t> quads_;
    std::vector<PaddedRows<float>> float_rows_;
    std::vector<PaddedRows<std::uint8_t>> byte_rows_;  // empty unless there are quads
};

std::unique_ptr<PreparedConv> prepare(const ConvProblem& p, const Device& device) {
    validate(p);
    return std::make_unique<PreparedReuse>(p, device);
}

double time(const ConvProblem& p, const Device&) {
    if (!takes_quads(p)) return cpu_time(p, 0.34 + 0.029 * tap_count(p));
    return cpu_time(p, 0.22 + 0.045 * tap_count(p) / p.taps().width * quads_in(p.taps()));
}

}  // namespace

extern constinit const ConvKernel kCpuReuseKernel = {
    .name = "cpu_reuse",
    .summary = "columns and rows reused in registers: up to four rows of output share each load",
    .source = "register blocking (Goto and van de Geijn 2008)",
    .limits = "taps up to 63×63, alike for all channels that it filters",
    .space = MemorySpace::host,
    .why_not = why_not_dense_on_cpu,
    .prepare = prepare,
    .cost = dense_cost,
    .time = time,
    .reason = "{size} dense {type}: columns and rows reused on the CPU",
};

}  // namespace weft
