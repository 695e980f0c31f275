// Idea    Down the columns first, straight from the picture's rows, four rows of output at a time
//         that share their loads; then across, from the four rows between the passes. All channels
//         are one row of samples: neighbours along x are as far apart as the channels.
// Integers Samples of 8 bits, and of more where it is precise enough, are multiplied as 16-bit
//         integers by 16-bit taps and added in pairs to 32-bit sums, which have the same bits in
//         every width of vectors: twice as many lanes as fp32 has, and two products each. Sums of
//         whole numbers are exact. Others: see FixedPlan.
// Source  ITU and codec practice of fixed-point separable filters; Intel's PMADDWD of 1997.
// Limits  one tap set with factors, the same for all channels that it filters.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "kernels/common/kernel_terms.h"
#include "kernels/conv_kernel.h"
#include "kernels/cpu/cpu_terms.h"
#include "kernels/cpu/row_strips.h"
#include "kernels/pixels/host_rows.h"
#include "kernels/rounding.h"
#include "kernels/with_sample_type.h"

namespace weft {
namespace {

constexpr int kRows = 4;  // of output, which share their loads

// Rows between the passes, of kRows rows of output.
template <class T>
struct Between {
    std::vector<T> samples;
    std::array<T*, kRows> rows;  // the first sample after those of the border

    explicit Between(const RowStrips& strips) {
        const std::size_t before = strips.left() + 64;
        const std::size_t pitch = before + strips.samples() + strips.right() + 2 * 64;
        samples.resize(pitch * kRows);
        for (int r = 0; r < kRows; ++r) rows[r] = samples.data() + r * pitch + before;
    }
};

// Taps as whole numbers over powers of two. A sample between the passes is a 16-bit integer: what a
// sum down the column differs from `start`, without its last `shift` bits.
struct FixedPlan {
    int shift = 0;
    std::int32_t start = 0;          // of sums down the columns, half a step of `shift` included
    int down_pairs = 0;              // of rows
    int across_pairs = 0;            // of samples
    std::vector<std::int32_t> down;  // two 16-bit taps for each pair and each of kRows outputs
    std::vector<std::int32_t> across;
    float scale = 1;           // of sums across
    float bias = 0;            // with the correction for `start`
    std::int16_t outside = 0;  // the constant border between the passes
};

struct FloatPlan {
    int down_rows = 0;
    std::vector<float> down;  // the tap of each row and each of kRows outputs
    std::vector<float> across;
    float outside = 0;
};

}  // namespace
}  // namespace weft

#define WEFT_VECTOR_CODE "kernels/cpu/separable_rows.inc"
#include "kernels/cpu/each_instruction_set.inc"

namespace weft {
namespace {

constexpr double kMostFixedError = 0.1;
constexpr double kMostTap = 32767;
constexpr double kMostSum = 0x7fff'0000;

struct WholeTaps {
    std::vector<int> taps;
    int bits = 0;  // the taps are over 2^bits
    double error =
        0;  // Σ|w' - w| plus |Σ(w' - w)|: twice the error per sample of the largest value
    double sum = 0;  // Σ|w'|
};

// The nearest whole numbers over 2^bits; the largest takes up what rounding adds or removes.
WholeTaps whole_taps(const std::vector<float>& factors, int bits) {
    WholeTaps whole;
    whole.bits = bits;
    double rest = 0;
    for (const float f : factors) {
        const double scaled = std::ldexp(static_cast<double>(f), bits);
        whole.taps.push_back(static_cast<int>(std::lrint(scaled)));
        rest += scaled - whole.taps.back();
    }
    const auto largest =
        std::ranges::max_element(whole.taps, {}, [](int tap) { return std::abs(tap); });
    *largest += static_cast<int>(std::lrint(rest));
    double difference = 0;
    for (std::size_t i = 0; i < factors.size(); ++i) {
        const double tap = std::ldexp(static_cast<double>(whole.taps[i]), -bits);
        whole.error += std::fabs(tap - factors[i]);
        difference += tap - factors[i];
        whole.sum += std::fabs(tap);
    }
    whole.error += std::fabs(difference);
    return whole;
}

// The finest for 16-bit taps whose sums of samples up to ±`most` fit 32 bits.
WholeTaps finest_taps(const std::vector<float>& factors, double most) {
    const double sum = absolute_sum_of(factors);
    const double room = std::min(kMostTap / largest_of(factors), kMostSum / (most * sum));
    int bits = std::min(std::ilogb(room), 24);
    WholeTaps whole = whole_taps(factors, bits);
    while (std::ldexp(whole.sum, bits) * most > kMostSum) whole = whole_taps(factors, --bits);
    return whole;
}

double signed_sum(const WholeTaps& whole) {
    return std::ldexp(std::accumulate(whole.taps.begin(), whole.taps.end(), 0.0), -whole.bits);
}

std::int32_t pair_of(int first, int second) {
    return static_cast<std::int32_t>(
        static_cast<std::uint16_t>(first) |
        (static_cast<std::uint32_t>(static_cast<std::uint16_t>(second)) << 16U));
}

template <class T>
T tap_or_zero(const std::vector<T>& taps, int i) {
    return i < 0 || i >= static_cast<int>(taps.size()) ? T{} : taps[i];
}

bool are_whole(const std::vector<float>& factors) {
    return std::ranges::all_of(factors, [](float f) { return f == std::nearbyint(f); });
}

struct FixedTaps {
    WholeTaps down = {};
    WholeTaps across = {};
    int bits = 0;       // of fractions between the passes
    double centre = 0;  // middle of the samples between the passes, in levels
    double error = 0;   // the largest of a result before it is rounded, in levels
};

// Samples between the passes are stored as differences from the middle of their range, because a
// bit more of them or of the taps fits then. More bits of the one are less of the other.
FixedTaps finest_fixed_taps(const Taps& t, double most, double scale) {
    const WholeTaps down = finest_taps(t.column, most / 2);
    const double range = most / 2 * down.sum;
    FixedTaps best{.down = down, .error = std::numeric_limits<double>::infinity()};
    for (int bits = std::ilogb((kMostTap - 1) / range); bits >= 0; --bits) {
        if (bits > down.bits) continue;
        const WholeTaps across = finest_taps(t.row, std::ldexp(range, bits) + 1);
        const double rounded = bits < down.bits ? std::ldexp(0.5, -bits) : 0;
        const double error = scale * ((most / 2 * down.error + rounded) * across.sum +
                                      most / 2 * absolute_sum_of(t.column) * across.error);
        if (error >= best.error) continue;
        const double centre = std::nearbyint(std::ldexp(most / 2 * signed_sum(down), bits));
        best = {.down = down,
                .across = across,
                .bits = bits,
                .centre = std::ldexp(centre, -bits),
                .error = error};
    }
    return best;
}

// Whole-number taps, whose sums are exact.
FixedTaps exact_fixed_taps(const Taps& t) {
    return {.down = whole_taps(t.column, 0), .across = whole_taps(t.row, 0)};
}

// None if the numbers do not fit, or the error would be larger than a tenth of a level.
std::optional<FixedPlan> fixed_plan(const ConvProblem& p, const ChannelConv& conv) {
    const Taps& t = conv.taps.front();
    const double most = std::max(p.max_value, p.border_value);
    if (p.type == PixelType::f32 || most > kMostTap || largest_of(t.row) == 0 ||
        largest_of(t.column) == 0)
        return {};
    const bool exact = are_whole(t.row) && are_whole(t.column);
    if (exact) {
        const double between = most * absolute_sum_of(t.column);
        if (largest_of(t.row) > kMostTap || between > kMostTap ||
            between * absolute_sum_of(t.row) > 0x1p24)
            return {};
    } else if (sums_are_exact(p)) {
        return {};
    }
    const auto scale = static_cast<double>(conv.scale);
    const FixedTaps taps =
        exact ? exact_fixed_taps(t) : finest_fixed_taps(t, most, std::fabs(scale));
    if (!(taps.error <= kMostFixedError)) return {};
    FixedPlan plan;
    plan.shift = taps.down.bits - taps.bits;
    const std::int64_t half = plan.shift > 0 ? std::int64_t{1} << (plan.shift - 1) : 0;
    const std::int64_t start = half - std::llrint(std::ldexp(taps.centre, taps.down.bits));
    plan.start = static_cast<std::int32_t>(start);
    plan.scale = std::ldexp(conv.scale, -taps.bits - taps.across.bits);
    plan.bias = static_cast<float>(conv.bias + scale * taps.centre * signed_sum(taps.across));
    plan.down_pairs = (t.height + kRows) / 2;
    for (int i = 0; i < plan.down_pairs; ++i)
        for (int o = 0; o < kRows; ++o)
            plan.down.push_back(pair_of(tap_or_zero(taps.down.taps, 2 * i - o),
                                        tap_or_zero(taps.down.taps, 2 * i + 1 - o)));
    plan.across_pairs = (t.width + 1) / 2;
    for (int i = 0; i < plan.across_pairs; ++i)
        plan.across.push_back(pair_of(tap_or_zero(taps.across.taps, 2 * i),
                                      tap_or_zero(taps.across.taps, 2 * i + 1)));
    std::int64_t sum = start;
    for (const int tap : taps.down.taps) sum += static_cast<std::int64_t>(p.border_value) * tap;
    plan.outside = static_cast<std::int16_t>(sum >> plan.shift);
    return plan;
}

FloatPlan float_plan(const ConvProblem& p, const Taps& t) {
    FloatPlan plan;
    plan.down_rows = t.height + kRows - 1;
    plan.across = t.row;
    for (int i = 0; i < plan.down_rows; ++i)
        for (int o = 0; o < kRows; ++o) plan.down.push_back(tap_or_zero(t.column, i - o));
    for (const float tap : t.column) plan.outside = std::fma(p.border_value, tap, plan.outside);
    return plan;
}

class PreparedSeparable final : public PreparedConv {
 public:
    PreparedSeparable(const ConvProblem& p, const Device& device)
        : problem_(p),
          common_(common_taps(p)),
          strips_(p, device, kRows, 0),
          vector_bytes_(device.vector_bytes),
          fixed_(fixed_plan(p, common_.conv)) {
        if (!fixed_) floats_ = float_plan(p, common_.conv.taps.front());
        for (int k = 0; k < strips_.slots(); ++k) {
            if (fixed_)
                shorts_between_.emplace_back(strips_);
            else
                floats_between_.emplace_back(strips_);
        }
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView) override {
        check_images(problem_, src, dst, MemorySpace::host);
        with_sample_type(problem_.type, [&](auto zero) { filter<decltype(zero)>(src, dst); });
        copy_untouched(common_, src, dst);
    }

 private:
    template <class T>
    void filter(const ImageView& src, const ImageView& dst) {
        const auto run = [&](auto rows_of, const auto& plan, auto& between) {
            strips_.run(src, dst, [&](int slot, const RowStrips::Strip& strip) {
                filter_strip<T>(strip, rows_of, plan, between[slot]);
            });
        };
        if constexpr (!std::is_same_v<T, float>) {
            if (fixed_)
                return run(for_vectors(vector_bytes_, &vectors16::fixed_rows<T>,
                                       &vectors32::fixed_rows<T>, &vectors64::fixed_rows<T>),
                           *fixed_, shorts_between_);
        }
        run(for_vectors(vector_bytes_, &vectors16::float_rows<T>, &vectors32::float_rows<T>,
                        &vectors64::float_rows<T>),
            floats_, floats_between_);
    }

    template <class T, class RowsOf, class Plan, class Rows>
    void filter_strip(const RowStrips::Strip& strip, RowsOf rows_of, const Plan& plan,
                      Rows& between) {
        const Taps& t = common_.conv.taps.front();
        const RowFinish finish{common_.conv.scale, common_.conv.bias, problem_.max_value};
        std::vector<const T*> in(t.height + kRows);
        for (int y = strip.begin; y < strip.end; y += kRows) {
            for (std::size_t i = 0; i < in.size(); ++i)
                in[i] = strip.row<T>(y - t.anchor_y + static_cast<int>(i));
            std::array<T*, kRows> out{};
            for (int r = 0; r < kRows; ++r) out[r] = strip.out<T>(y + r);
            rows_of(plan, strips_, finish, problem_.channels, in.data(), out.data(), between);
        }
    }

    ConvProblem problem_;
    CommonTaps common_;
    RowStrips strips_;
    int vector_bytes_;
    std::optional<FixedPlan> fixed_;
    FloatPlan floats_;
    std::vector<Between<std::int16_t>> shorts_between_;
    std::vector<Between<float>> floats_between_;
};

std::string why_not(const ConvProblem& p, const Device& device) {
    if (std::string reason = why_not_on_cpu(device); !reason.empty()) return reason;
    if (std::string reason = why_no_common_taps(p); !reason.empty()) return reason;
    ConvProblem filtered = p;  // without channels that pass through
    filtered.conv = {common_taps(p).conv};
    if (std::string reason = why_not_separable(filtered); !reason.empty()) return reason;
    return fixed_plan(p, filtered.conv.front()) ? "" : why_not_factors_in_fp32(p);
}

double time(const ConvProblem& p, const Device&) {
    const Taps& t = p.taps();
    const double each = !fixed_plan(p, common_taps(p).conv) ? 0.033 : p.channels > 1 ? 0.027 : 0.02;
    return cpu_time(p, 0.3 + each * (t.width + t.height));
}

std::unique_ptr<PreparedConv> prepare(const ConvProblem& p, const Device& device) {
    validate(p);
    return std::make_unique<PreparedSeparable>(p, device);
}

}  // namespace

extern constinit const ConvKernel kCpuSeparableKernel = {
    .name = "cpu_separable",
    .summary = "down the columns, then across, four rows at a time in 16-bit integers or fp32",
    .source = "fixed-point separable filters of codecs",
    .limits = "one tap set with factors, alike for all channels that it filters",
    .space = MemorySpace::host,
    .arithmetic = Arithmetic::fixed_point,
    .why_not = why_not,
    .prepare = prepare,
    .cost = separable_cost,
    .time = time,
    .reason = "{size} {type}: both passes at once on the CPU",
};

}  // namespace weft
