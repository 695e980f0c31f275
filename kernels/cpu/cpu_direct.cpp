// Idea    The definition: each row of output is the sum of rows of the picture, each moved by its
//         tap's place and multiplied by its weight. Sums stay in registers until all taps are
//         added. `cpu_sparse` leaves out the weights that are 0.
// Source  the definition of correlation.
// Limits  dense taps, the same for all channels that it filters.
#include <algorithm>
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

struct PlacedTap {
    int row = 0;
    int sample = 0;  // from the first padded one
    float weight = 0;
};

struct PlacedTaps {
    Combine combine = Combine::single;
    std::vector<std::vector<PlacedTap>> sets;
};

}  // namespace
}  // namespace weft

#define WEFT_VECTOR_CODE "kernels/cpu/placed_rows.inc"
#include "kernels/cpu/each_instruction_set.inc"

namespace weft {
namespace {

enum class Zeros : std::uint8_t { added, left_out };

std::vector<PlacedTap> placed(const Taps& t, int channels, Zeros zeros) {
    std::vector<PlacedTap> taps;
    for (int j = 0; j < t.height; ++j)
        for (int i = 0; i < t.width; ++i) {
            const float weight = t.weights[static_cast<std::size_t>(j) * t.width + i];
            if (weight != 0.0F || zeros == Zeros::added) taps.push_back({j, i * channels, weight});
        }
    return taps;
}

class PreparedDirect final : public PreparedConv {
 public:
    PreparedDirect(const ConvProblem& p, const Device& device, Zeros zeros)
        : problem_(p),
          common_(common_taps(p)),
          strips_(p, device, 1, p.taps().height),
          vector_bytes_(device.vector_bytes),
          taps_{.combine = p.combine, .sets = {}} {
        for (const Taps& t : common_.conv.taps) taps_.sets.push_back(placed(t, p.channels, zeros));
        for (int k = 0; k < strips_.slots(); ++k) rows_.emplace_back(strips_, p.taps().height);
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView) override {
        check_images(problem_, src, dst, MemorySpace::host);
        with_sample_type(problem_.type, [&](auto zero) { filter<decltype(zero)>(src, dst); });
        copy_untouched(common_, src, dst);
    }

 private:
    template <class T>
    void filter(const ImageView& src, const ImageView& dst) {
        const auto convert = for_vectors(vector_bytes_, &vectors16::as_floats<T>,
                                         &vectors32::as_floats<T>, &vectors64::as_floats<T>);
        const auto placed_row = for_vectors(vector_bytes_, &vectors16::placed_row<T>,
                                            &vectors32::placed_row<T>, &vectors64::placed_row<T>);
        const RowFinish finish{common_.conv.scale, common_.conv.bias, problem_.max_value};
        const Taps& t = problem_.taps();
        strips_.run(src, dst, [&](int slot, const RowStrips::Strip& strip) {
            std::vector<const float*> in(t.height);
            rows_[slot].clear();
            for (int y = strip.begin; y < strip.end; ++y) {
                for (int i = 0; i < t.height; ++i)
                    in[i] = rows_[slot].template get<T>(strip, y - t.anchor_y + i,
                                                        problem_.border_value, convert);
                placed_row(taps_, in.data(), strips_.samples(), finish, strip.out<T>(y));
            }
        });
    }

    ConvProblem problem_;
    CommonTaps common_;
    RowStrips strips_;
    int vector_bytes_;
    PlacedTaps taps_;
    std::vector<PaddedRows<float>> rows_;
};

template <Zeros zeros>
std::unique_ptr<PreparedConv> prepare(const ConvProblem& p, const Device& device) {
    validate(p);
    return std::make_unique<PreparedDirect>(p, device, zeros);
}

}  // namespace

extern constinit const ConvKernel kCpuDirectKernel = {
    .name = "cpu_direct",
    .summary = "one row of output at a time, tap by tap: the definition, to compare others with",
    .source = "the definition of correlation",
    .limits = "taps up to 63×63, alike for all channels that it filters",
    .space = MemorySpace::host,
    .why_not = why_not_dense_on_cpu,
    .prepare = prepare<Zeros::added>,
    .cost = dense_cost,
};

extern constinit const ConvKernel kCpuSparseKernel = {
    .name = "cpu_sparse",
    .summary = "one row of output at a time, without the taps that are 0: discs, rings, motion",
    .source = "the definition of correlation",
    .limits = "taps up to 63×63, alike for all channels that it filters",
    .space = MemorySpace::host,
    .why_not = why_not_dense_on_cpu,
    .prepare = prepare<Zeros::left_out>,
    .cost = sparse_cost,
    .time = [](const ConvProblem& p,
               const Device&) { return cpu_time(p, 0.19 + 0.072 * taps_not_zero(p)); },
    .reason = "{size} taps, most of them 0, {type} on the CPU",
};

}  // namespace weft
