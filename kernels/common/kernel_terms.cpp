#include "kernels/common/kernel_terms.h"

#include <algorithm>
#include <vector>

#include "kernels/common/conv_layout.h"
#include "kernels/device/gpu_rates.h"
#include "kernels/rounding.h"

namespace weft {

namespace {

double samples(const ConvProblem& p) {
    return static_cast<double>(p.width) * p.height * p.channels;
}

bool all_equal(const std::vector<float>& values) {
    return std::ranges::all_of(values, [&](float v) { return v == values.front(); });
}

// The weight of every sample of the window.
double value_of(const Taps& t) {
    return t.dense() ? static_cast<double>(t.weights.front())
                     : static_cast<double>(t.row.front()) * t.column.front();
}

constexpr double kSamples4K = 3840.0 * 2160.0;

// Clocks of all multiprocessors of an H100 or H200 in a µs.
constexpr double kHopperClocks = 132 * 1980.0;

// Those of the device; where they are unknown, those of an H100.
double clocks_of(const Device& device) {
    const double clocks = device.multiprocessors * static_cast<double>(device.clock_hz) / 1e6;
    return clocks > 0 ? clocks : kHopperClocks;
}

// µs that an H100's multiprocessors would be busy with 4K samples at that rate. 0 if the rate is
// Hopper's, with which the unit is not the limit.
double busy_time(double operations, double rate, double hopper_rate) {
    if (rate >= hopper_rate) return 0;
    return operations / rate * (kSamples4K / kHopperClocks);
}

}  // namespace

std::string why_not_dense(const ConvProblem& p) {
    if (!every_tap_set(p, &Taps::dense))
        return "it takes dense taps up to 63×63, and these are larger: separable_reuse takes them";
    return "";
}

std::string why_not_fp32_sums(const ConvProblem& p) {
    std::string reason = why_not_dense(p);
    return reason.empty() ? why_not_dense_in_fp32(p) : reason;
}

std::string why_not_separable(const ConvProblem& p) {
    if (p.combine != Combine::single)
        return "it takes one tap set, and this problem combines several";
    if (!every_tap_set(p, &Taps::separable))
        return "it takes taps that are a row times a column, and these are not known to be";
    if (!every_tap_set(p, factors_keep_exactness))
        return "the taps are whole numbers and their factors are fractions: two passes would round "
               "what dense taps compute exactly";
    return "";
}

bool is_box(const Taps& t) {
    return t.dense() ? all_equal(t.weights) : all_equal(t.row) && all_equal(t.column);
}

double box_gain(const ChannelConv& c) {
    return value_of(c.taps.front()) * static_cast<double>(c.scale);
}

bool box_keeps_exactness(const ChannelConv& c) {
    const double gain = box_gain(c);
    return !integer_valued(c.taps.front()) || static_cast<double>(static_cast<float>(gain)) == gain;
}

std::string why_no_room(int shared_bytes, const Device& device) {
    if (shared_bytes <= most_shared_bytes(device)) return "";
    return "its tile and the halo of these taps do not fit into a block's shared memory";
}

double image_bytes(const ConvProblem& p) {
    const double pixels = static_cast<double>(p.width) * p.height;
    return pixels * (p.channels + p.out_channels()) * static_cast<double>(bytes_per_sample(p.type));
}

double tap_count(const ConvProblem& p) {
    return static_cast<double>(p.taps().width) * p.taps().height *
           static_cast<double>(p.conv.front().taps.size());
}

Cost dense_cost(const ConvProblem& p) {
    return {.bytes = image_bytes(p),
            .flops = 2.0 * samples(p) * tap_count(p),
            .flops_formula = "2 × width × height of the taps, for each tap set and sample"};
}

Cost separable_cost(const ConvProblem& p) {
    const double taps = p.taps().width + p.taps().height;
    return {.bytes = image_bytes(p),
            .flops = 2.0 * samples(p) * taps,
            .flops_formula = "2 × (width + height) of the taps, for each sample"};
}

Cost sparse_cost(const ConvProblem& p) {
    return {.bytes = image_bytes(p),
            .flops = 2.0 * samples(p) * taps_not_zero(p),
            .flops_formula = "2 × taps that are not zero, for each tap set and sample"};
}

// Counts the running sums themselves: a sample enters and leaves a column, a column a window.
Cost box_cost(const ConvProblem& p) {
    return {.bytes = image_bytes(p),
            .flops = 2.0 * samples(p) * 10.0,
            .flops_formula = "20 for each sample, whatever the size of the box"};
}

double taps_not_zero(const ConvProblem& p) {
    double count = 0;
    for (const ChannelConv& c : p.conv)
        for (const Taps& t : c.taps)
            count += static_cast<double>(t.weights.size()) -
                     static_cast<double>(std::ranges::count(t.weights, 0.0F));
    return count / static_cast<double>(p.conv.size());
}

double estimated_time(const ConvProblem& p, const Device& device, const Work& w) {
    // The times were measured with the memory of an H200.
    constexpr double kMeasuredBytes = 4800e3 / kHopperClocks;
    const GpuRates rates = gpu_rates(device);
    const double bytes = image_bytes(p) / samples(p) + w.more_bytes;
    const double each =
        std::max({w.hopper_time, busy_time(w.fmas, rates.fmas, kHopperRates.fmas),
                  busy_time(w.half_products, rates.half_products, kHopperRates.half_products),
                  busy_time(w.byte_products, rates.byte_products, kHopperRates.byte_products),
                  busy_time(bytes, rates.bytes, kMeasuredBytes)});
    return w.start + each * samples(p) / kSamples4K * kHopperClocks / clocks_of(device);
}

}  // namespace weft
