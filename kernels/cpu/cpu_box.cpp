// Idea    Sums of columns run down the picture: a row of samples enters and one leaves. Sums of
//         windows run along them in the same way, a vector at a time. Whole numbers stay exact, so
//         that subtracting them again loses nothing. All channels are one row of samples.
// Floats  Nothing is subtracted, as rounded sums would drift, and a NaN would stay in them. Rows
//         are cut into blocks as high as the box: a column of a window is the end of a block,
//         summed from its last row up, and the beginning of the next. Windows are sums of 4, 16,
//         64… columns.
// Source  McDonnell, CGIP 1981; the blocks: van Herk, Pattern Recognition Letters 1992, for maxima.
// Limits  one tap set of equal taps, the same for all channels that it filters.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
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

constexpr int kSpare = 64;  // values after and before a row, which vectors may read

// ((sum + addend) · multiplier >> 16) · second_multiplier >> 16, in place of fma(sum, scale, bias).
struct SmallQuotient {
    std::uint16_t multiplier = 0;         // 0 if small sums are not divided so
    std::uint16_t second_multiplier = 0;  // a power of two
    std::uint16_t addend = 0;
};

struct BoxPlan {
    int width = 0;  // pixels
    int height = 0;
    int step = 1;           // samples from one pixel to the next
    bool in_parts = false;  // sums of windows do not fit 32 bits
    bool fits_bytes = false;
    float value = 1;     // that each tap has, for f32
    double outside = 0;  // a column's sum in the constant border
    RowFinish finish;
    SmallQuotient quotient;
};

template <class T>
struct PaddedRow {
    std::vector<T> values;
    T* row;  // the first value after those of the border

    explicit PaddedRow(const RowStrips& strips)
        : values(strips.left() + strips.samples() + strips.right() + 3 * kSpare),
          row(values.data() + strips.left() + kSpare) {}
};

// Sums of columns, the even and the odd ones apart.
struct ColumnPairs {
    std::uint16_t* even;
    std::uint16_t* odd;

    // From that column on.
    ColumnPairs from(int x) const {
        return x % 2 == 0 ? ColumnPairs{even + x / 2, odd + x / 2}
                          : ColumnPairs{odd + (x - 1) / 2, even + (x + 1) / 2};
    }
};

struct PairRows {
    std::vector<std::uint16_t> values;  // the last one stands for the constant border
    ColumnPairs columns{};
    std::vector<std::array<int, 2>> border;  // the places of columns outside and of their sources

    PairRows(const RowStrips& strips, const BoxPlan& plan) {
        const int before = strips.left() / 2 + kSpare;
        const int pitch = before + (strips.samples() + strips.right()) / 2 + 2 * kSpare;
        values.resize(2 * pitch + 1);
        values.back() = static_cast<std::uint16_t>(plan.outside);
        columns = {values.data() + before, values.data() + pitch + before};
        const auto add = [&](int x) {
            const int source = strips.source_of(x);
            border.push_back({place_of(x), source < 0 ? 2 * pitch : place_of(source)});
        };
        for (int x = -strips.left(); x < 0; ++x) add(x);
        for (int x = 0; x < strips.right(); ++x) add(strips.samples() + x);
    }

    void pad() {
        for (const auto [to, from] : border) values[to] = values[from];
    }

 private:
    int place_of(int x) const { return static_cast<int>(columns.from(x).even - values.data()); }
};

// Sum is the integer that holds the sum of a column.
template <class Sum>
struct BoxRows {
    PaddedRow<Sum> columns, next_columns;

    BoxRows(const RowStrips& strips, const BoxPlan&) : columns(strips), next_columns(strips) {}
};

struct FloatRows {
    std::size_t pitch;
    std::vector<float> ends;  // sums from each row to the end of its block
    std::vector<float> zeros;
    std::vector<float> begun, next;  // the next block's first rows
    PaddedRow<float> columns;
    std::vector<float> windows;

    FloatRows(const RowStrips& strips, const BoxPlan& plan)
        : pitch(strips.samples() + kSpare),
          ends(pitch * plan.height),
          zeros(pitch),
          begun(pitch),
          next(pitch),
          columns(strips),
          windows(pitch) {}

    float* end(int row) { return ends.data() + row * pitch; }
};

}  // namespace
}  // namespace weft

#define WEFT_VECTOR_CODE "kernels/cpu/box_rows.inc"
#include "kernels/cpu/each_instruction_set.inc"

namespace weft {
namespace {

double value_of(const ConvProblem& p) {
    ChannelConv conv = common_taps(p).conv;
    conv.scale = 1;
    return box_gain(conv);
}

// The largest of a window, of any samples of the type.
double largest_sum(const ConvProblem& p) {
    const double most = p.type == PixelType::u8 ? 255 : 65535;
    return most * p.taps().width * p.taps().height;
}

// Whether saturation to bytes is all that results need, which fit 32 bits before it.
bool fits_bytes(const ConvProblem& p) {
    const ChannelConv conv = common_taps(p).conv;
    const double bias = std::fabs(static_cast<double>(conv.bias));
    return p.type == PixelType::u8 && p.max_value == 255 &&
           largest_sum(p) * std::fabs(box_gain(conv)) + bias < 0x1p30;
}

// Whether columns of a gray picture are summed in pairs: their differences fit 16 bits.
bool takes_pairs(const ConvProblem& p) {
    return p.channels == 1 && fits_bytes(p) &&
           255 * p.taps().height <= std::numeric_limits<std::int16_t>::max();
}

// One that gives the same results for all sums of a small box. Both ways grow with the sum, so
// that they agree if they reach each result at the same sum.
SmallQuotient quotient_for(const ConvProblem& p, const RowFinish& finish) {
    constexpr int kMostHeight = 64;  // differences of two columns are added in 16 bits
    const auto scale = static_cast<double>(finish.scale);
    const bool divides = scale > 0x1p-16 && scale < 0.5;
    if (!takes_pairs(p) || p.taps().height > kMostHeight || !divides) return {};
    const int shift = -1 - std::ilogb(scale);
    const double multiplier = std::ceil(std::ldexp(scale, 16 + shift));
    const double addend = std::floor((0.5 + static_cast<double>(finish.bias)) / scale);
    if (multiplier > 65535 || addend < 0 || largest_sum(p) + addend > 65535) return {};
    const double largest = largest_sum(p);
    const auto reaches = [&](double sum, int result) {
        return std::nearbyint(std::fma(static_cast<float>(sum), finish.scale, finish.bias)) >=
               static_cast<float>(result);
    };
    for (int result = 0; result <= 256; ++result) {
        const double first = std::ceil(std::ldexp(result, 16 + shift) / multiplier) - addend;
        if (result == 256 && first <= largest) return {};
        if (first > 0 && reaches(std::min(first - 1, largest), result)) return {};
        if (first <= largest && !reaches(std::max(first, 0.0), result)) return {};
    }
    return {.multiplier = static_cast<std::uint16_t>(multiplier),
            .second_multiplier = static_cast<std::uint16_t>(1 << (16 - shift)),
            .addend = static_cast<std::uint16_t>(addend)};
}

BoxPlan plan_box(const ConvProblem& p) {
    const ChannelConv conv = common_taps(p).conv;
    const bool whole = p.type != PixelType::f32;
    BoxPlan plan;
    plan.width = p.taps().width;
    plan.height = p.taps().height;
    plan.step = p.channels;
    plan.in_parts = whole && largest_sum(p) > std::numeric_limits<int>::max();
    if (!whole) plan.value = static_cast<float>(value_of(p));
    plan.outside = static_cast<double>(p.border_value) * plan.height * plan.value;
    plan.finish = {.scale = whole ? static_cast<float>(box_gain(conv)) : conv.scale,
                   .bias = conv.bias,
                   .max_value = p.max_value};
    plan.fits_bytes = fits_bytes(p);
    plan.quotient = quotient_for(p, plan.finish);
    return plan;
}

int floor_div(int a, int b) {
    return a >= 0 ? a / b : -((b - 1 - a) / b);
}

class PreparedBox final : public PreparedConv {
 public:
    PreparedBox(const ConvProblem& p, const Device& device)
        : problem_(p),
          common_(common_taps(p)),
          plan_(plan_box(p)),
          strips_(p, device, 1, plan_.height / 4),
          vector_bytes_(device.vector_bytes) {
        for (int k = 0; k < strips_.slots(); ++k) {
            if (p.type == PixelType::f32)
                floats_.emplace_back(strips_, plan_);
            else if (takes_pairs(p))
                pairs_.emplace_back(strips_, plan_);
            else if (p.type == PixelType::u8 && 255 * plan_.height <= 65535)
                short_sums_.emplace_back(strips_, plan_);
            else
                sums_.emplace_back(strips_, plan_);
        }
    }

    void launch(const ImageView& src, const ImageView& dst, StreamView) override {
        check_images(problem_, src, dst, MemorySpace::host);
        const auto run = [&](auto zero, auto& rows) {
            strips_.run(src, dst, [&](int slot, const RowStrips::Strip& strip) {
                filter_strip<decltype(zero)>(strip, rows[slot]);
            });
        };
        if (problem_.type == PixelType::f32)
            run(float{}, floats_);
        else if (problem_.type == PixelType::u16)
            run(std::uint16_t{}, sums_);
        else if (!pairs_.empty())
            run(std::uint8_t{}, pairs_);
        else if (!short_sums_.empty())
            run(std::uint8_t{}, short_sums_);
        else
            run(std::uint8_t{}, sums_);
        copy_untouched(common_, src, dst);
    }

 private:
    template <class T, class Sum>
    void filter_strip(const RowStrips::Strip& strip, BoxRows<Sum>& rows) {
        running_sums<T>(strip, rows, rows.columns.row,
                        for_vectors(vector_bytes_, &vectors16::first_sums<T, Sum>,
                                    &vectors32::first_sums<T, Sum>, &vectors64::first_sums<T, Sum>),
                        for_vectors(vector_bytes_, &vectors16::next_row<T, Sum>,
                                    &vectors32::next_row<T, Sum>, &vectors64::next_row<T, Sum>));
    }

    template <class T>
    void filter_strip(const RowStrips::Strip& strip, PairRows& rows) {
        running_sums<T>(strip, rows, rows.columns,
                        for_vectors(vector_bytes_, &vectors16::first_pairs, &vectors32::first_pairs,
                                    &vectors64::first_pairs),
                        for_vectors(vector_bytes_, &vectors16::next_pairs, &vectors32::next_pairs,
                                    &vectors64::next_pairs));
    }

    // The first window above the strip, and then a row after the other.
    template <class T, class Rows, class Columns, class First, class Next>
    void running_sums(const RowStrips::Strip& strip, Rows& rows, Columns columns, First first,
                      Next next) {
        const int above = strip.begin - problem_.taps().anchor_y - 1;
        std::vector<const T*> window(plan_.height);
        for (int i = 0; i < plan_.height; ++i) window[i] = strip.row<T>(above + i);
        first(window.data(), plan_.height, strips_.samples(), columns);
        for (int y = strip.begin; y < strip.end; ++y) {
            const int leaves = above + y - strip.begin;
            next(plan_, strips_, strip.row<T>(leaves + plan_.height), strip.row<T>(leaves), rows,
                 strip.out<T>(y));
        }
    }

    // Blocks begin at multiples of the box's height, so that sums are the same in any strips.
    template <class>
    void filter_strip(const RowStrips::Strip& strip, FloatRows& rows) {
        const auto add_row = for_vectors(vector_bytes_, &vectors16::add_row, &vectors32::add_row,
                                         &vectors64::add_row);
        const auto next_floats = for_vectors(vector_bytes_, &vectors16::next_floats,
                                             &vectors32::next_floats, &vectors64::next_floats);
        for (int y = strip.begin; y < strip.end; ++y) {
            const int top = y - problem_.taps().anchor_y;
            const int block = floor_div(top, plan_.height) * plan_.height;
            const int next = block + plan_.height;
            const int bottom = top + plan_.height - 1;
            if (y == strip.begin || top == block) {
                const float* sum = rows.zeros.data();
                for (int row = next - 1; row >= top; --row) {
                    float* const end = rows.end(row - block);
                    add_row(strip.row<float>(row), plan_.value, strips_.samples(), sum, end);
                    sum = end;
                }
                std::ranges::fill(rows.begun, 0.0F);
                for (int row = next; row < bottom; ++row) {
                    add_row(strip.row<float>(row), plan_.value, strips_.samples(),
                            rows.begun.data(), rows.next.data());
                    rows.begun.swap(rows.next);
                }
            }
            next_floats(plan_, strips_,
                        bottom < next ? rows.zeros.data() : strip.row<float>(bottom),
                        rows.end(top - block), rows, strip.out<float>(y));
        }
    }

    ConvProblem problem_;
    CommonTaps common_;
    BoxPlan plan_;
    RowStrips strips_;
    int vector_bytes_;
    std::vector<PairRows> pairs_;
    std::vector<BoxRows<std::uint16_t>> short_sums_;
    std::vector<BoxRows<std::int32_t>> sums_;
    std::vector<FloatRows> floats_;
};

std::string why_not(const ConvProblem& p, const Device& device) {
    if (std::string reason = why_not_on_cpu(device); !reason.empty()) return reason;
    if (p.combine != Combine::single) return "it computes one tap set, and this problem has more";
    if (std::string reason = why_no_common_taps(p); !reason.empty()) return reason;
    const ChannelConv conv = common_taps(p).conv;
    if (!is_box(conv.taps.front()))
        return "it takes taps that are all one value, and these are not";
    if (!box_keeps_exactness(conv))
        return "the taps' value times the scale is no number in fp32, and exact sums would be "
               "rounded twice";
    // Both the sum and the gain are rounded to fp32.
    const double rounding = largest_sum(p) * std::fabs(box_gain(conv)) * 0x1p-23;
    if (p.type != PixelType::f32 && !sums_are_exact(p) && rounding > kLargestRounding)
        return "sums of these taps are so large that fp32 could move a result by half a level";
    return "";
}

double each_sample(const ConvProblem& p) {
    if (p.type == PixelType::f32) return 0.75 + 0.08 * std::log2(p.taps().width);
    if (!takes_pairs(p)) return 0.45;
    return plan_box(p).quotient.multiplier == 0 ? 0.27 : 0.18;
}

// A row of the first window costs a quarter of the others.
double time(const ConvProblem& p, const Device&) {
    return cpu_time(p, each_sample(p) * (1 + 0.25 * p.taps().height / p.height));
}

std::unique_ptr<PreparedConv> prepare(const ConvProblem& p, const Device& device) {
    validate(p);
    return std::make_unique<PreparedBox>(p, device);
}

}  // namespace

extern constinit const ConvKernel kCpuBoxKernel = {
    .name = "cpu_box",
    .summary =
        "running sums down the columns, then along the rows: cost does not grow with the box",
    .source = "running sums (McDonnell, CGIP 1981; van Herk, PRL 1992)",
    .limits = "taps all of one value, alike for all channels that it filters",
    .space = MemorySpace::host,
    .why_not = why_not,
    .prepare = prepare,
    .cost = box_cost,
    .time = time,
    .reason = "{size} box {type}: running sums on the CPU",
};

}  // namespace weft
