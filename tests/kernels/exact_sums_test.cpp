// Exact sums: every kernel that takes such a problem against sums in 64-bit integers, to the bit,
// over all tables of convolutions; and how far these taps are from those given.
#include "kernels/exact_sums.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/planner.h"
#include "tests/kernels/cases/conv_tables.h"
#include "tests/kernels/cases/dice.h"
#include "tests/kernels/device/gpu.h"

namespace weft::test {

namespace {

constexpr double kMostWork = 3e7;  // products of a case

// The place in 0..size-1 that a border rule shows at `at`, or -1: outside.
int place(int at, int size, Border border) {
    if (at >= 0 && at < size) return at;
    switch (border) {
        case Border::constant:
            return -1;
        case Border::replicate:
            return at < 0 ? 0 : size - 1;
        case Border::wrap:
            return ((at % size) + size) % size;
        case Border::reflect: {
            const int period = 2 * size;
            const int k = ((at % period) + period) % period;
            return k < size ? k : period - 1 - k;
        }
        case Border::ffmpeg: {
            const int period = 2 * size - 1;
            const int k = ((at % period) + period) % period;
            return k < size ? k : period - k;
        }
        case Border::ffmpeg_backwards:
            return size - 1 - place(size - 1 - at, size, Border::ffmpeg);
        case Border::reflect101: {
            if (size == 1) return 0;
            const int period = 2 * size - 2;
            const int k = ((at % period) + period) % period;
            return k < size ? k : period - k;
        }
    }
    return -1;
}

double weight(const Taps& t, int i, int j) {
    if (t.dense()) return t.weights[static_cast<std::size_t>(j) * t.width + i];
    return static_cast<double>(t.row[i]) * t.column[j];
}

struct Source {
    const ConvProblem& p;
    const std::vector<double>& samples;

    double at(int x, int y, int c) const {
        const int column = place(x, p.width, p.border.x);
        const int row = place(y, p.height, p.border.y);
        if (column < 0 || row < 0) return p.border_value;
        return samples[(static_cast<std::size_t>(row) * p.width + column) * p.channels + c];
    }
};

// Σ w · x of one tap set at (x, y); channel -1: over all channels.
template <class Sum>
Sum sum_at(const Source& source, int x, int y, int channel, std::size_t set) {
    const ConvProblem& p = source.p;
    Sum sum = 0;
    for (int c = std::max(channel, 0); c < (channel < 0 ? p.channels : channel + 1); ++c) {
        const Taps& t = p.channel(c).taps[set];
        for (int j = 0; j < t.height; ++j)
            for (int i = 0; i < t.width; ++i)
                sum += static_cast<Sum>(weight(t, i, j)) *
                       static_cast<Sum>(source.at(x + i - t.anchor_x, y + j - t.anchor_y, c));
    }
    return sum;
}

double finished(float v, const ConvProblem& p) {
    return std::clamp(std::nearbyint(static_cast<double>(v)), 0.0,
                      static_cast<double>(p.max_value));
}

// The one right sample: whole-number sums, and the roundings that ConvProblem names.
double right_sample(const Source& source, int x, int y, int channel) {
    const ConvProblem& p = source.p;
    const int summed = p.sums_channels ? -1 : channel;
    const ChannelConv& conv = p.channel(channel);
    auto combined = sum_at<std::int64_t>(source, x, y, summed, 0);
    auto root = static_cast<float>(combined);
    for (std::size_t set = 1; set < conv.taps.size(); ++set) {
        const auto next = sum_at<std::int64_t>(source, x, y, summed, set);
        combined = std::max(combined, next);
        const auto side = static_cast<float>(next);
        root = std::sqrt(std::fma(side, side, root * root));
    }
    if (p.combine == Combine::magnitude) return finished(std::fma(root, conv.scale, conv.bias), p);
    const double scaled = static_cast<double>(combined) * conv.scale;  // exact, see ConvProblem
    return finished(static_cast<float>(scaled + conv.bias), p);
}

// Empty, or the first sample that differs from the right one.
std::string check_bits(const Runner& runner, const ConvCase& c,
                       const std::vector<double>& samples) {
    std::string failure;
    const std::vector<double> got = runner.run(c, failure);
    const Source source{c.problem, samples};
    std::size_t at = 0;
    for (int y = 0; y < c.problem.height; ++y)
        for (int x = 0; x < c.problem.width; ++x)
            for (int channel = 0; channel < c.problem.out_channels(); ++channel, ++at) {
                const double want = right_sample(source, x, y, channel);
                if (got[at] != want)
                    return fmt::format("{}: {}\n  at ({}, {}) channel {}: {} instead of {}",
                                       runner.row().name, describe(c), x, y, channel, got[at],
                                       want);
            }
    return failure;
}

double work(const ConvProblem& p) {
    return static_cast<double>(p.width) * p.height * p.channels * p.taps().width * p.taps().height *
           static_cast<double>(p.conv.front().taps.size());
}

// The cases of integer samples with exact sums in place of their own.
std::vector<ConvCase> exact_cases(const ConvTable& table) {
    std::vector<ConvCase> cases;
    for (ConvCase c : table.cases()) {
        if (c.problem.type == PixelType::f32 || work(c.problem) > kMostWork) continue;
        try {
            c.problem = with_exact_sums(c.problem).problem;
        } catch (const std::invalid_argument&) {
            continue;  // several wide tap sets
        }
        cases.push_back(std::move(c));
    }
    return cases;
}

void check_table(const ConvTable& table, const Device& device) {
    std::vector<Runner> runners;
    for (const ConvKernel& row : conv_kernels())
        if ((row.space == MemorySpace::device) == device.is_gpu())
            runners.emplace_back(row, device);
    int checks = 0;
    int failures = 0;
    for (const ConvCase& c : exact_cases(table)) {
        const std::vector<double> samples = source_samples(c);
        for (const Runner& runner : runners) {
            if (!why_cannot(runner.row(), c.problem, device).empty()) continue;
            ++checks;
            if (const std::string failure = check_bits(runner, c, samples); !failure.empty())
                if (++failures <= 3) ADD_FAILURE() << failure;
        }
        EXPECT_NO_THROW((void)plan(c.problem, device)) << describe(c);
    }
    if (failures > 3) ADD_FAILURE() << failures << " of " << checks << " checks failed";
    if (checks == 0) GTEST_SKIP() << "no case of integer samples";
}

std::string name_of_table(const testing::TestParamInfo<const ConvTable*>& info) {
    return std::string(info.param->name);
}

ConvProblem gray(PixelType type, float most, Taps taps, float scale = 1.0F) {
    ConvProblem p;
    p.width = 40;
    p.height = 24;
    p.type = type;
    p.max_value = most;
    p.conv = {{.taps = {std::move(taps)}, .scale = scale}};
    return p;
}

Taps bell(int side) {
    std::vector<float> f(side);
    double sum = 0;
    for (int i = 0; i < side; ++i) sum += std::exp(-18.0 * std::pow((i + 0.5) / side - 0.5, 2));
    for (int i = 0; i < side; ++i)
        f[i] = static_cast<float>(std::exp(-18.0 * std::pow((i + 0.5) / side - 0.5, 2)) / sum);
    return separable_taps(f, f);
}

Taps without_factors(Taps t) {
    t.row.clear();
    t.column.clear();
    return t;
}

Taps disc(int side) {
    std::vector<float> w(static_cast<std::size_t>(side) * side);
    const double centre = (side - 1) / 2.0;
    double inside = 0;
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x)
            if (std::hypot(x - centre, y - centre) <= centre) inside += 1;
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x)
            if (std::hypot(x - centre, y - centre) <= centre)
                w[static_cast<std::size_t>(y) * side + x] = static_cast<float>(1 / inside);
    return dense_taps(side, side, w);
}

struct ExactRow {
    const char* name;
    ConvProblem problem;
    bool fp32;          // fits fp32 sums
    double most = 0.5;  // levels of deviation
};

std::vector<ExactRow> exact_rows() {
    std::vector<ExactRow> rows = {
        {"bell 3×3", gray(PixelType::u8, 255, bell(3)), true},
        {"bell 7×7", gray(PixelType::u8, 255, bell(7)), true},
        {"bell 15×15", gray(PixelType::u8, 255, bell(15)), false},
        {"dense 15×15", gray(PixelType::u8, 255, without_factors(bell(15))), true},
        {"dense 31×31", gray(PixelType::u8, 255, without_factors(bell(31))), true},
        {"disc 9", gray(PixelType::u8, 255, disc(9)), true},
        {"disc 59", gray(PixelType::u8, 255, disc(59)), false},
        {"10 bits 5×5", gray(PixelType::u16, 1023, without_factors(bell(5))), true},
        {"10 bits 15×15", gray(PixelType::u16, 1023, without_factors(bell(15))), false},
        {"16 bits 3×3", gray(PixelType::u16, 65535, without_factors(bell(3))), false},
        {"16 bits 101×101", gray(PixelType::u16, 65535, bell(101)), false, 8},
        {"sharpen", gray(PixelType::u8, 255, dense_taps(3, 1, {-0.7F, 2.4F, -0.7F})), true},
        {"whole, scaled", gray(PixelType::u8, 255, dense_taps(3, 1, {1, 1, 1}), 1 / 3.0F), true},
        {"whole, 16 bits",
         gray(PixelType::u16, 65535, dense_taps(20, 20, std::vector<float>(400, 1)), 1 / 400.0F),
         false},
        {"tiny", gray(PixelType::u8, 255, dense_taps(2, 1, {1e-30F, 3e-30F}), 1e30F), true},
        {"nothing", gray(PixelType::u8, 255, dense_taps(2, 1, {0.5F, 0.5F}), 0.0F), true},
        {"negative scale", gray(PixelType::u8, 255, dense_taps(2, 1, {-0.3F, -0.4F}), -1.0F), true},
    };
    ConvProblem edges = gray(PixelType::u16, 65535, dense_taps(2, 1, {0.3F, -0.3F}));
    edges.conv.front().taps.push_back(dense_taps(2, 1, {0.1F, 0.7F}));
    edges.combine = Combine::magnitude;
    rows.push_back({"magnitude", edges, true, 200});
    edges.combine = Combine::maximum;
    rows.push_back({"maximum", edges, false});
    return rows;
}

// Pictures at which sums are extreme.
std::vector<std::vector<double>> pictures(const ConvProblem& p) {
    const std::size_t count = static_cast<std::size_t>(p.width) * p.height;
    std::vector<std::vector<double>> all;
    all.emplace_back(count, p.max_value);
    Dice dice(7);
    std::vector<double> noise(count);
    for (double& v : noise) v = dice.below(static_cast<int>(p.max_value) + 1);
    all.push_back(noise);
    for (double& v : noise) v = dice.below(2) == 0 ? 0.0 : p.max_value;
    all.push_back(noise);
    return all;
}

}  // namespace

class KernelsExactSums : public testing::TestWithParam<const ConvTable*> {};
class GpuExactSums : public NeedsGpu<testing::TestWithParam<const ConvTable*>> {};

TEST_P(KernelsExactSums, AreTheBitsOfIntegerSums) {
    check_table(*GetParam(), cpu_device());
}

TEST_P(GpuExactSums, AreTheBitsOfIntegerSums) {
    check_table(*GetParam(), first_gpu());
}

INSTANTIATE_TEST_SUITE_P(Tables, KernelsExactSums, testing::ValuesIn(all_tables()), name_of_table);
INSTANTIATE_TEST_SUITE_P(Tables, GpuExactSums, testing::ValuesIn(all_tables()), name_of_table);

TEST(KernelsExactTaps, AreAsFineAsTheirSumsAllow) {
    for (const ExactRow& row : exact_rows()) {
        const ExactProblem exact = with_exact_sums(row.problem);
        EXPECT_NO_THROW(validate(exact.problem)) << row.name;
        EXPECT_EQ(sums_are_exact(exact.problem), row.fp32) << row.name;
        EXPECT_TRUE(same_bits_everywhere(exact.problem)) << row.name;
        EXPECT_LE(exact.deviation, row.most) << row.name;
    }
}

// The named bound holds, and a flat picture keeps its level.
TEST(KernelsExactTaps, StayWithinTheNamedDeviation) {
    for (const ExactRow& row : exact_rows()) {
        if (row.problem.combine != Combine::single) continue;
        const ExactProblem exact = with_exact_sums(row.problem);
        const auto all = pictures(row.problem);
        double largest = 0;
        for (const std::vector<double>& picture : all) {
            const Source given{row.problem, picture};
            const Source rounded{exact.problem, picture};
            for (int x = 0; x < row.problem.width; x += 3) {
                const double want = sum_at<double>(given, x, x / 2, 0, 0) *
                                    static_cast<double>(row.problem.conv.front().scale);
                const double is = sum_at<double>(rounded, x, x / 2, 0, 0) *
                                  static_cast<double>(exact.problem.conv.front().scale);
                largest = std::max(largest, std::fabs(is - want));
                if (&picture == &all.front()) {
                    EXPECT_NEAR(is, want, 0.02) << row.name;
                }
            }
        }
        EXPECT_LE(largest, exact.deviation + 1e-3 * row.problem.max_value / 255) << row.name;
    }
}

TEST(KernelsExactTaps, RefuseFloatsAndFalsePromises) {
    ConvProblem p = gray(PixelType::f32, 255, bell(3));
    EXPECT_THROW((void)with_exact_sums(p), std::invalid_argument);
    p = gray(PixelType::u8, 255, bell(3));
    p.exact_sums = true;
    EXPECT_THROW(validate(p), std::invalid_argument);
    p.conv.front().taps.front() = dense_taps(1, 1, {16777216.0F});
    EXPECT_NO_THROW(validate(p));
    for (const ConvKernel& kernel : conv_kernels())
        if (kernel.space == MemorySpace::host) {
            EXPECT_EQ(why_cannot(kernel, p, cpu_device()).empty(), kernel.sums_in_double)
                << kernel.name;
        }
}

}  // namespace weft::test
