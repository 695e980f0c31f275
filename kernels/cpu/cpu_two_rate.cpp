// Idea    A large Gaussian is three: one before every step-th sample is taken, one of these low
//         samples, and one that fills in the samples between; their variances add up. So both long
//         sums are as short as the step, and the cost does not depend on sigma.
// Layout  Low rows are summed down the columns, 16 at a time, and transposed, so that sums along x
//         are sums of whole rows, too. The low picture is blurred, and the way back is the same.
//         All sums are fp32 in a fixed order, so that bits do not depend on vectors and threads.
// Borders The step divides the picture's period, so that low samples are mirrored or repeated as
//         the picture is, exactly and as often as needed. Where a border has none, low samples go
//         on until all beyond are equal.
// Source  Burt, "Fast filter transforms for image processing", CGIP 1981.
// Limits  one tap set that is a Gaussian by its sigma, the same for all channels that it filters.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <vector>

#include "kernels/common/conv_layout.h"
#include "kernels/common/kernel_terms.h"
#include "kernels/common/quotient.h"
#include "kernels/conv_kernel.h"
#include "kernels/cpu/cpu_terms.h"
#include "kernels/cpu/row_strips.h"
#include "kernels/cpu/two_rate_axis.h"
#include "kernels/device/parallel_slots.h"
#include "kernels/pixels/host_rows.h"
#include "kernels/rounding.h"
#include "kernels/with_sample_type.h"

namespace weft {
namespace {

constexpr int kLanes = 16;    // rows of a block: the lanes of the widest vectors
constexpr int kTile = 256;    // samples of a block that are transposed at a time
constexpr int kPart = 16;     // products that are added up by themselves
constexpr int kFewLow = 6;    // RowsBetween::window of 8 bits
constexpr int kManyLow = 11;  // and of other samples

struct TwoRatePlan {
    TwoRateAxis x, y;
    int channels = 1;
    int samples = 0;     // in a row of the picture
    int low_pitch = 0;   // samples of a row of the low picture, and room for whole vectors
    int wide_pitch = 0;  // the same of a low row that is as wide as the picture
};

// A thread's own rows. Columns hold kLanes rows of all channels.
struct TwoRateSlot {
    std::vector<float> tile, wide, narrow, blurred;
    std::vector<float> outside;                 // a column beyond a constant border
    std::vector<const float*> wide_columns;     // of `wide`, for TwoRatePlan::x.down
    std::vector<const float*> narrow_columns;   // of `narrow`, for x.blur
    std::vector<const float*> blurred_columns;  // of `blurred`, for x.up
};

}  // namespace
}  // namespace weft

#define WEFT_VECTOR_CODE "kernels/cpu/two_rate_rows.inc"
#include "kernels/cpu/each_instruction_set.inc"

namespace weft {
namespace {

TwoRatePlan two_rate_plan(const ConvProblem& p, const Taps& t) {
    const TwoRates rates = two_rates_for(p.type);
    TwoRatePlan plan{
        .x = two_rate_axis(p.width, p.border.x, t.gaussian_x, t.row, t.anchor_x, rates),
        .y = two_rate_axis(p.height, p.border.y, t.gaussian_y, t.column, t.anchor_y, rates),
        .channels = p.channels,
        .samples = p.width * p.channels};
    constexpr int kRoom = 32;
    plan.low_pitch = ceil_div((plan.x.low + RowSums::kGroup) * p.channels, kRoom) * kRoom;
    plan.wide_pitch = ceil_div(plan.samples, kRoom) * kRoom + kRoom;
    return plan;
}

// The rows begin..end-1, some of which the border puts there.
template <class Row, class RowAt>
std::vector<Row> rows_with_border(int begin, int end, int length, Border border, Row outside,
                                  const RowAt& row_at) {
    std::vector<Row> rows;
    for (int k = begin; k < end; ++k) {
        const int source = border_source(k, length, border);
        rows.push_back(source < 0 ? outside : row_at(source));
    }
    return rows;
}

TwoRateSlot two_rate_slot(const TwoRatePlan& plan, float border_value) {
    const auto lanes = static_cast<std::size_t>(plan.channels) * kLanes;
    TwoRateSlot slot;
    slot.tile.resize((kTile + 4) * kLanes);
    slot.wide.resize((static_cast<std::size_t>(plan.samples) + 4) * kLanes);
    slot.narrow.resize(static_cast<std::size_t>(plan.low_pitch) * kLanes);
    slot.blurred.resize(slot.narrow.size());
    slot.outside.assign(lanes, border_value);
    const auto columns = [&](const std::vector<float>& of, int begin, int end, int length,
                             Border border) {
        return rows_with_border(begin, end, length, border,
                                static_cast<const float*>(slot.outside.data()),
                                [&](int x) { return of.data() + x * lanes; });
    };
    const TwoRateAxis& x = plan.x;
    slot.wide_columns = columns(slot.wide, x.down.begin, x.down.end, x.length, x.border);
    slot.narrow_columns = columns(slot.narrow, x.blur.begin, x.blur.end, x.low, x.low_border);
    slot.blurred_columns = columns(slot.blurred, x.up.begin, x.up.end, x.low, x.low_border);
    return slot;
}

class PreparedTwoRate final : public PreparedConv {
 public:
    PreparedTwoRate(const ConvProblem& p, const Device& device)
        : problem_(p),
          common_(common_taps(p)),
          plan_(two_rate_plan(p, common_.conv.taps.front())),
          vector_bytes_(device.vector_bytes) {
        const double work = static_cast<double>(plan_.samples) * p.height * kProducts;
        const int slots = std::clamp(static_cast<int>(work / kWorkOfThread), 1,
                                     std::max(1, device.multiprocessors));
        for (int k = 0; k < slots; ++k) slots_.push_back(two_rate_slot(plan_, p.border_value));
        const auto rows = static_cast<std::size_t>(ceil_div(plan_.y.low, kLanes)) * kLanes;
        low_.resize(rows * plan_.low_pitch);
        wide_.resize(rows * plan_.wide_pitch);
        const auto low_rows = [&](const std::vector<float>& of, int pitch, int begin, int end) {
            return rows_with_border(
                begin, end, plan_.y.low, plan_.y.low_border, static_cast<const float*>(nullptr),
                [&](int y) { return of.data() + static_cast<std::size_t>(y) * pitch; });
        };
        low_rows_ = low_rows(low_, plan_.low_pitch, plan_.y.blur.begin, plan_.y.blur.end);
        wide_rows_ = low_rows(wide_, plan_.wide_pitch, plan_.y.up.begin, plan_.y.up.end);
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView) override {
        check_images(problem_, src, dst, MemorySpace::host);
        with_slack(src, dst, [&](const ImageView& in, const ImageView& out) {
            with_sample_type(problem_.type, [&](auto zero) { filter<decltype(zero)>(in, out); });
        });
        copy_untouched(common_, src, dst);
    }

 private:
    static constexpr double kProducts = 20;  // for each sample

    template <class T>
    void filter(const ImageView& src, const ImageView& dst) {
        const std::vector<T> outside(plan_.samples + RowStrips::kSlack,
                                     static_cast<T>(problem_.border_value));
        const RowSums& down = plan_.y.down;
        const std::vector<const T*> rows =
            rows_with_border(down.begin, down.end, plan_.y.length, plan_.y.border, outside.data(),
                             [&](int y) { return reinterpret_cast<const T*>(src.row(y)); });
        const int blocks = ceil_div(plan_.y.low, kLanes);
        const auto narrow = for_vectors(vector_bytes_, &vectors16::narrow_rows<T>,
                                        &vectors32::narrow_rows<T>, &vectors64::narrow_rows<T>);
        each_of(blocks, [&](int block, TwoRateSlot& slot) {
            narrow(plan_, rows.data(), block * kLanes, slot, low_.data());
        });
        const auto widen = for_vectors(vector_bytes_, &vectors16::widen_rows,
                                       &vectors32::widen_rows, &vectors64::widen_rows);
        each_of(blocks, [&](int block, TwoRateSlot& slot) {
            widen(plan_, low_rows_.data(), block * kLanes, slot, wide_.data());
        });
        const RowFinish finish{common_.conv.scale, common_.conv.bias, problem_.max_value};
        const auto fill = for_vectors(vector_bytes_, &vectors16::finish_rows<T>,
                                      &vectors32::finish_rows<T>, &vectors64::finish_rows<T>);
        const std::vector<RowsBetween::Run>& runs = plan_.y.up.runs;
        each_of(static_cast<int>(runs.size()), [&](int k, TwoRateSlot&) {
            std::array<T*, RowsBetween::kMostRows> out{};
            for (int r = 0; r < runs[k].count; ++r)
                out[r] = reinterpret_cast<T*>(dst.row(runs[k].row + r));
            fill(plan_, runs[k], wide_rows_.data(), finish, out.data());
        });
    }

    // Calls body(k, slot) for 0..count-1, each slot on one thread at a time.
    template <class Body>
    void each_of(int count, const Body& body) {
        std::atomic<int> next = 0;
        parallel_slots(std::min(static_cast<int>(slots_.size()), count), [&](int slot) {
            for (int k = next++; k < count; k = next++) body(k, slots_[slot]);
        });
    }

    ConvProblem problem_;
    CommonTaps common_;
    TwoRatePlan plan_;
    int vector_bytes_;
    std::vector<TwoRateSlot> slots_;
    std::vector<float> low_;   // the low picture, blurred along x
    std::vector<float> wide_;  // low rows, as wide as the picture
    std::vector<const float*> low_rows_, wide_rows_;
};

// In levels, with that of the fp32 sums, before it is rounded.
double largest_error(const ConvProblem& p) {
    return p.type == PixelType::u8 ? 0.2 : 4e-6 * p.max_value;
}

std::string why_not(const ConvProblem& p, const Device& device) {
    if (std::string reason = why_not_on_cpu(device); !reason.empty()) return reason;
    if (p.combine != Combine::single) return "it computes one tap set, and this problem has more";
    if (std::string reason = why_no_common_taps(p); !reason.empty()) return reason;
    const ChannelConv conv = common_taps(p).conv;
    const Taps& t = conv.taps.front();
    if (std::max(t.gaussian_x, t.gaussian_y) < kLeastTwoRateSigma)
        return "it is for Gaussians with a sigma of 4 px or more";
    const double gain = absolute_sum(t) * std::fabs(static_cast<double>(conv.scale));
    if (p.type != PixelType::f32 && !(largest_error(p) * gain <= kLargestRounding))
        return "the scale would multiply its error to more than half a level";
    return {};
}

std::unique_ptr<PreparedConv> prepare(const ConvProblem& p, const Device& device) {
    validate(p);
    return std::make_unique<PreparedTwoRate>(p, device);
}

// Products of a sample at the picture's rate, and at that of the low rows.
struct Products {
    double high = 0;
    double low = 0;
};

Products products_of(const ConvProblem& p) {
    const TwoRates rates = two_rates_for(p.type);
    const Taps t = common_taps(p).conv.taps.front();
    const auto step_of = [&](double sigma) {
        return sigma < kLeastTwoRateSigma ? 1 : std::min(sigma / rates.least, rates.most_step);
    };
    const auto down = [&](double sigma, int factors) {
        return sigma < kLeastTwoRateSigma ? factors : 2 * rates.part * rates.reach_down;
    };
    const auto blur = [&](double sigma) { return 2 * rates.reach_blur * sigma / step_of(sigma); };
    return {.high = down(t.gaussian_y, t.height) + rates.window,
            .low = (down(t.gaussian_x, t.width) + rates.window +
                    (blur(t.gaussian_x) + blur(t.gaussian_y)) / step_of(t.gaussian_x)) /
                   step_of(t.gaussian_y)};
}

Cost cost(const ConvProblem& p) {
    const Products products = products_of(p);
    return {.bytes = image_bytes(p),
            .flops = 2 * (products.high + products.low) * p.width * p.height * p.channels,
            .flops_formula = "22.5 (8 bits) or 43.2 for each sample, and fewer at the lower rate"};
}

// Products of low rows take longer: their sums are shorter and are transposed.
double time(const ConvProblem& p, const Device&) {
    const Products products = products_of(p);
    return cpu_time(p, 0.047 * products.high + 0.098 * products.low);
}

}  // namespace

extern constinit const ConvKernel kCpuTwoRateKernel = {
    .name = "cpu_two_rate",
    .summary = "large Gaussians by every so many samples, at a cost that sigma does not change",
    .source = "Burt, fast filter transforms, 1981",
    .limits = "one tap set that is a Gaussian of sigma 4 or more, alike for all channels",
    .space = MemorySpace::host,
    .arithmetic = Arithmetic::two_rate,
    .gaussians_by_sigma = true,
    .why_not = why_not,
    .prepare = prepare,
    .cost = cost,
    .time = time,
    .reason = "{size} Gaussian of {type}: few samples, between two short blurs",
};

}  // namespace weft
