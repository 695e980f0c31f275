// Idea    The definition: each row of output is the sum of rows of the picture, each moved by its
//         tap's place and multiplied by its weight. `cpu_sparse` leaves out the weights that are 0.
// Source  the definition of correlation.
// Limits  dense taps, the same for all channels that it filters.
#include <algorithm>
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
        : problem_(p), common_(common_taps(p)), strips_(p, device, 1, p.taps().height) {
        for (const Taps& t : common_.conv.taps) sets_.push_back(placed(t, p.channels, zeros));
        for (int k = 0; k < strips_.slots(); ++k) rows_.emplace_back(strips_, p.taps().height);
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView) override {
        check_images(problem_, src, dst, MemorySpace::host);
        const RowFinish finish{common_.conv.scale, common_.conv.bias, problem_.max_value};
        strips_.run(src, dst, [&](int slot, const RowStrips::Strip& strip) {
            std::vector<float> sums(strips_.samples());
            std::vector<float> more(strips_.samples());
            rows_[slot].clear();
            for (int y = strip.begin; y < strip.end; ++y) {
                add_up(strip, y, sets_.front(), rows_[slot], sums);
                for (std::size_t set = 1; set < sets_.size(); ++set) {
                    add_up(strip, y, sets_[set], rows_[slot], more);
                    combine(sums, more);
                }
                row_ops().finish(sums.data(), strip.out<std::byte>(y), problem_.type, sums.size(),
                                 finish);
            }
        });
        copy_untouched(common_, src, dst);
    }

 private:
    void add_up(const RowStrips::Strip& strip, int y, const std::vector<PlacedTap>& taps,
                PaddedRows<float>& rows, std::vector<float>& sums) const {
        const auto as_floats = [&](const std::byte* from, int samples, float* to) {
            row_ops().weigh(1.0F, from, problem_.type, to, samples);
        };
        std::ranges::fill(sums, 0.0F);
        for (const PlacedTap& tap : taps) {
            const float* const row = rows.get<std::byte>(
                strip, y - problem_.taps().anchor_y + tap.row, problem_.border_value, as_floats);
            row_ops().add_weighed(tap.weight, row + tap.sample, PixelType::f32, sums.data(),
                                  sums.size());
        }
    }

    void combine(std::vector<float>& sums, const std::vector<float>& more) const {
        if (problem_.combine == Combine::magnitude)
            return row_ops().magnitude(sums.data(), more.data(), sums.size());
        std::ranges::transform(sums, more, sums.begin(),
                               [](float a, float b) { return std::max(a, b); });
    }

    ConvProblem problem_;
    CommonTaps common_;
    RowStrips strips_;
    std::vector<std::vector<PlacedTap>> sets_;
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
               const Device&) { return cpu_time(p, 0.3 + 0.085 * taps_not_zero(p)); },
    .reason = "{size} taps, most of them 0, {type} on the CPU",
};

}  // namespace weft
