// Idea    The project's idea on a CPU. Each row of the picture becomes one padded row of floats
// that
//         all outputs share. Up to four rows of output are summed together in registers: a vector
//         is loaded once for each column of taps, and added to every output whose window holds it.
//         All channels are one row of samples.
// Source  register blocking as in Goto and van de Geijn, Anatomy of High-Performance Matrix
//         Multiplication, 2008, for correlation.
// Limits  dense taps, the same for all channels that it filters.
#include <algorithm>
#include <array>
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

constexpr int kMostRows = 4;  // of output, which share their loads

struct DenseTaps {
    int rows = 0;
    int columns = 0;
    int step = 1;  // samples between columns
    Combine combine = Combine::single;
    std::vector<std::vector<float>> sets;
};

}  // namespace
}  // namespace weft

#define WEFT_VECTOR_CODE "kernels/cpu/reuse_rows.inc"
#include "kernels/cpu/each_instruction_set.inc"

namespace weft {
namespace {

template <int value>
using Constant = std::integral_constant<int, value>;

class PreparedReuse final : public PreparedConv {
 public:
    PreparedReuse(const ConvProblem& p, const Device& device)
        : problem_(p),
          common_(common_taps(p)),
          block_(std::min(kMostRows, p.taps().height)),
          strips_(p, device, block_, p.taps().height),
          vector_bytes_(device.vector_bytes) {
        taps_.rows = p.taps().height;
        taps_.columns = p.taps().width;
        taps_.step = p.channels;
        taps_.combine = p.combine;
        for (const Taps& t : common_.conv.taps) taps_.sets.push_back(t.weights);
        for (int k = 0; k < strips_.slots(); ++k)
            rows_.emplace_back(strips_, taps_.rows + block_ - 1);
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView) override {
        check_images(problem_, src, dst, MemorySpace::host);
        with_sample_type(problem_.type, [&](auto zero) {
            using T = decltype(zero);
            const auto run = [&](auto rows, auto side) {
                filter<T>(src, dst,
                          for_vectors(vector_bytes_, &vectors16::dense_rows<T, rows, side>,
                                      &vectors32::dense_rows<T, rows, side>,
                                      &vectors64::dense_rows<T, rows, side>));
            };
            const int side = taps_.rows == taps_.columns ? taps_.rows : 0;
            if (side == 3) return run(Constant<3>(), Constant<3>());
            if (side == 5) return run(Constant<4>(), Constant<5>());
            if (block_ == 1) return run(Constant<1>(), Constant<0>());
            if (block_ == 2) return run(Constant<2>(), Constant<0>());
            if (block_ == 3) return run(Constant<3>(), Constant<0>());
            run(Constant<kMostRows>(), Constant<0>());
        });
        copy_untouched(common_, src, dst);
    }

 private:
    template <class T, class DenseRows>
    void filter(const ImageView& src, const ImageView& dst, DenseRows dense_rows) {
        const auto as_floats = for_vectors(vector_bytes_, &vectors16::as_floats<T>,
                                           &vectors32::as_floats<T>, &vectors64::as_floats<T>);
        const RowFinish finish{common_.conv.scale, common_.conv.bias, problem_.max_value};
        strips_.run(src, dst, [&](int slot, const RowStrips::Strip& strip) {
            std::vector<const float*> in(taps_.rows + block_ - 1);
            std::array<T*, kMostRows> out{};
            rows_[slot].clear();
            for (int y = strip.begin; y < strip.end; y += block_) {
                for (std::size_t i = 0; i < in.size(); ++i)
                    in[i] = rows_[slot].template get<T>(
                        strip, y - problem_.taps().anchor_y + static_cast<int>(i),
                        problem_.border_value, as_floats);
                for (int r = 0; r < block_; ++r) out[r] = strip.out<T>(y + r);
                dense_rows(taps_, in.data(), strips_.samples(), finish, out.data());
            }
        });
    }

    ConvProblem problem_;
    CommonTaps common_;
    int block_;  // rows of output
    RowStrips strips_;
    int vector_bytes_;
    DenseTaps taps_;
    std::vector<PaddedRows> rows_;
};

std::unique_ptr<PreparedConv> prepare(const ConvProblem& p, const Device& device) {
    validate(p);
    return std::make_unique<PreparedReuse>(p, device);
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
    .time = [](const ConvProblem& p,
               const Device&) { return cpu_time(p, 0.34 + 0.029 * tap_count(p)); },
    .reason = "{size} dense {type}: columns and rows reused on the CPU",
};

}  // namespace weft
