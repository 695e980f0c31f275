#include "tests/kernels/cases/conv_case.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <random>

#include <fmt/format.h>

#include "tests/support/conv_translation.h"
#include "tests/support/sum_error.h"

namespace weft::test {

namespace {

// Poison for pixels that no kernel may read (NaN in f32) and for those that it must write.
constexpr std::byte kUnread{0xFF};
constexpr std::byte kUnwritten{0xA5};

Shape shape_of(const ConvProblem& p, int channels) {
    return {p.width, p.height, channels, p.type};
}

// First bad sample of `got`, and how many there are.
struct Verdict {
    std::size_t bad = 0, first = 0;
};

template <class Good>
Verdict judge(std::size_t count, const Good& good) {
    Verdict v;
    for (std::size_t i = 0; i < count; ++i) {
        if (good(i)) continue;
        if (v.bad++ == 0) v.first = i;
    }
    return v;
}

std::string place(const ConvProblem& p, std::size_t index) {
    const std::size_t pixel = index / p.out_channels();
    return fmt::format("(y {}, x {}, channel {})", pixel / p.width, pixel % p.width,
                       index % p.out_channels());
}

}  // namespace

Runner::Runner(const ConvKernel& row, const Device& device) : row_(row), device_(device) {
    if (row.space == MemorySpace::host) return;
    use_device(device_);
    stream_ = std::make_unique<Stream>();
}

std::vector<double> Runner::run(const ConvCase& c, std::string& failure) const {
    const ConvProblem& p = c.problem;
    TestPlane source(shape_of(p, p.channels), c.source_layout, kUnread);
    TestPlane output(shape_of(p, p.out_channels()), c.output_layout, kUnwritten);
    source.set(source_samples(c));
    const std::vector<std::byte> before = source.bytes();
    const std::unique_ptr<PreparedConv> conv = row_.prepare(c.problem, device_);
    if (row_.space == MemorySpace::host)
        conv->launch(source.view(), output.view(), nullptr);
    else
        run_on_device(*conv, source, output);
    if (source.bytes() != before) failure = "the source was written";
    if (!output.surroundings_untouched()) failure = "bytes outside the output were written";
    return output.samples();
}

void Runner::run_on_device(PreparedConv& conv, TestPlane& source, TestPlane& output) const {
    DevicePlane in(source, stream_->view());
    DevicePlane out(output, stream_->view());
    conv.launch(in.view(), out.view(), stream_->view());
    in.download(stream_->view());
    out.download(stream_->view());
    stream_->synchronize();
}

std::vector<double> source_samples(const ConvCase& c) {
    if (!c.samples.empty()) return c.samples;
    const ConvProblem& p = c.problem;
    std::mt19937 random(c.seed);
    const auto fraction = [&] { return static_cast<double>(random()) / 4294967296.0; };
    std::vector<double> out(static_cast<std::size_t>(p.width) * p.height * p.channels);
    const double most = p.type == PixelType::f32 ? 4095.0 : p.max_value;
    for (double& v : out) {
        // A quarter of the samples at the ends of the range, where saturation and overflow occur.
        const double end = fraction();
        const double inner = fraction();
        v = end < 0.125 ? 0.0 : end > 0.875 ? most : std::floor(inner * (most + 1));
        if (p.type == PixelType::f32 && !c.integer_samples)
            v = static_cast<float>(inner * 3.0 - 1.0);
    }
    return out;
}

oracle::Problem oracle_problem(const ConvCase& c) {
    const ConvProblem& p = c.problem;
    oracle::Problem out{.image = {p.width, p.height, p.channels, source_samples(c)},
                        .channels = {},
                        .combination = oracle_combination(p.combine),
                        .sums_channels = p.sums_channels,
                        .edge_x = oracle_edge(p.border.x),
                        .edge_y = oracle_edge(p.border.y),
                        .edge_value = p.border_value,
                        .rounded = p.type != PixelType::f32,
                        .max_value = p.max_value,
                        .magnitude_by_formula = p.exact_sums && p.combine == Combine::magnitude};
    for (const ChannelConv& conv : p.conv) {
        oracle::Channel channel{.matrices = {}, .scale = conv.scale, .bias = conv.bias};
        for (const Taps& t : conv.taps) channel.matrices.push_back(oracle_matrix(t));
        out.channels.push_back(channel);
    }
    return out;
}

std::string describe(const ConvCase& c) {
    const ConvProblem& p = c.problem;
    const ChannelConv& conv = p.conv.front();
    return fmt::format(
        "{}{} (value {}), anchor ({}, {}), {}{}{} taps, scale {}, bias {}, max {}, {} to {}, "
        "seed {}",
        weft::describe(p), c.integer_samples ? " of integers" : "", p.border_value,
        p.taps().anchor_x, p.taps().anchor_y, integer_valued(p.taps()) ? "integer" : "fractional",
        p.taps().dense() ? ", dense" : "", p.taps().separable() ? ", factored" : "", conv.scale,
        conv.bias, p.max_value, name_of(c.source_layout), name_of(c.output_layout), c.seed);
}

namespace {

// The results that the bound of the least precise kernel accepts.
oracle::Answer right_answer(std::initializer_list<Arithmetic> kernels, const ConvCase& c) {
    double largest = std::fabs(static_cast<double>(c.problem.border_value));
    for (const double v : source_samples(c)) largest = std::max(largest, std::fabs(v));
    oracle::Problem problem = oracle_problem(c);
    for (const Arithmetic a : kernels) {
        problem.sum_error = std::max(problem.sum_error, sum_error(a, c.problem, largest));
        problem.roundings_factor = std::max(problem.roundings_factor, roundings_factor(a));
    }
    return oracle::convolve(problem);
}

}  // namespace

std::string check_against_oracle(const Runner& runner, const ConvCase& c) {
    std::string failure;
    const std::vector<double> got = runner.run(c, failure);
    const std::string where = fmt::format("{}: {}", runner.row().name, describe(c));
    if (!failure.empty()) return where + "\n  " + failure;
    const oracle::Answer answer = right_answer({runner.row().arithmetic}, c);
    const Verdict v = judge(got.size(), [&](std::size_t i) { return answer.accepts(i, got[i]); });
    if (v.bad == 0) return {};
    return fmt::format("{}\n  first bad {}: got {}, want {}, right from {} to {}; {} of {} bad",
                       where, place(c.problem, v.first), got[v.first], answer.want.samples[v.first],
                       answer.low[v.first], answer.high[v.first], v.bad, got.size());
}

std::string check_agreement(const Runner& one, const Runner& other, const ConvCase& c) {
    std::string failure;
    const std::vector<double> a = one.run(c, failure);
    const std::vector<double> b = other.run(c, failure);
    const std::string where =
        fmt::format("{} and {}: {}", one.row().name, other.row().name, describe(c));
    if (!failure.empty()) return where + "\n  " + failure;
    const oracle::Answer answer = right_answer({one.row().arithmetic, other.row().arithmetic}, c);
    const auto allowed = [&](std::size_t i) {
        if (answer.reproducible[i]) return 0.0;
        if (c.problem.type == PixelType::f32) return answer.high[i] - answer.low[i];
        return answer.exact(i) ? 0.0 : 1.0;
    };
    const Verdict v =
        judge(a.size(), [&](std::size_t i) { return std::fabs(a[i] - b[i]) <= allowed(i); });
    if (v.bad == 0) return {};
    return fmt::format("{}\n  first bad {}: {} and {}, allowed difference {}; {} of {} bad", where,
                       place(c.problem, v.first), a[v.first], b[v.first], allowed(v.first), v.bad,
                       a.size());
}

}  // namespace weft::test
