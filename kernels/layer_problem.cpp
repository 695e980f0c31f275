#include "kernels/layer_problem.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "kernels/common/half_bits.h"

namespace weft {

namespace {

// Throws every refusal of this file; the caller's sentence names the wrong number.
template <class... Args>
[[noreturn]] void refuse_layer(fmt::format_string<Args...> sentence, Args&&... args) {
    throw std::invalid_argument(fmt::format(sentence, std::forward<Args>(args)...));
}

void check_at_least(int least, std::string_view what, Extent e) {
    if (e.y < least || e.x < least)
        refuse_layer("a {} of {}×{}: both must be at least {}", what, e.y, e.x, least);
}

int outputs_along(int length, int taps, int stride, int padding, int dilation) {
    const std::int64_t span = 1 + static_cast<std::int64_t>(dilation) * (taps - 1);
    const std::int64_t room = length + 2 * static_cast<std::int64_t>(padding) - span;
    return room < 0 ? 0 : static_cast<int>(room / stride + 1);
}

void check_counts(const LayerProblem& p) {
    if (p.batch < 1) refuse_layer("a batch of {}: it must be at least 1", p.batch);
    if (p.in_channels < 1 || p.out_channels < 1)
        refuse_layer("{} input and {} output channels: there must be at least 1 of each",
                     p.in_channels, p.out_channels);
    if (p.groups < 1 || p.in_channels % p.groups != 0 || p.out_channels % p.groups != 0)
        refuse_layer("{} groups do not divide {} input and {} output channels", p.groups,
                     p.in_channels, p.out_channels);
    check_at_least(1, "plane", {p.height, p.width});
}

void check_taps(const LayerProblem& p) {
    const int limit = Taps::kMaxDense;
    if (p.taps.y < 1 || p.taps.y > limit || p.taps.x < 1 || p.taps.x > limit)
        refuse_layer("{}×{} taps: a side must be 1 to {}", p.taps.y, p.taps.x, limit);
    check_at_least(1, "stride", p.stride);
    check_at_least(0, "padding", p.padding);
    check_at_least(1, "dilation", p.dilation);
}

// Also keeps every coordinate of a padded plane in an int.
void check_sizes(const LayerProblem& p) {
    constexpr int kMost = 1 << 24;
    for (const Extent e : {Extent{p.height, p.width}, p.stride, p.padding, p.dilation})
        if (e.y > kMost || e.x > kMost)
            refuse_layer("a length of {}: planes, strides, paddings and dilations go up to {}",
                         std::max(e.y, e.x), kMost);
    if (p.out_height() < 1 || p.out_width() < 1)
        refuse_layer("{}×{} taps do not fit into a plane of {}×{} with its padding", p.taps.y,
                     p.taps.x, p.height, p.width);
    const double image_in = static_cast<double>(p.in_channels) * p.height * p.width;
    const double image_out = static_cast<double>(p.out_channels) * p.out_height() * p.out_width();
    if (std::max(image_in, image_out) * p.batch > static_cast<double>(LayerProblem::kMaxElements))
        refuse_layer("a tensor of {:.0f} elements: there may be {}",
                     std::max(image_in, image_out) * p.batch, LayerProblem::kMaxElements);
}

void check_weights(const LayerProblem& p) {
    const std::size_t count =
        static_cast<std::size_t>(p.out_channels) * static_cast<std::size_t>(p.sum_length());
    if (p.weights.size() != count)
        refuse_layer("the layer needs {} weights, not {}", count, p.weights.size());
    const float most = p.type == LayerType::f16 ? 65504.0F : std::numeric_limits<float>::max();
    for (const float w : p.weights)
        if (!(std::fabs(w) <= most))
            refuse_layer("a weight is {}: it must be a finite {}", w, name_of(p.type));
}

std::string text_of(Extent e) {
    return e.y == e.x ? std::to_string(e.y) : fmt::format("{}×{}", e.y, e.x);
}

}  // namespace

int LayerProblem::out_height() const {
    return outputs_along(height, taps.y, stride.y, padding.y, dilation.y);
}

int LayerProblem::out_width() const {
    return outputs_along(width, taps.x, stride.x, padding.x, dilation.x);
}

std::int64_t LayerProblem::inputs() const {
    return static_cast<std::int64_t>(batch) * in_channels * height * width;
}

std::int64_t LayerProblem::outputs() const {
    return static_cast<std::int64_t>(batch) * out_channels * out_height() * out_width();
}

std::size_t bytes_per_element(LayerType type) {
    switch (type) {
        case LayerType::f32:
            return 4;
        case LayerType::f16:
            return 2;
    }
    return 0;
}

std::vector<float> used_weights(const LayerProblem& p) {
    std::vector<float> out = p.weights;
    if (p.type == LayerType::f16)
        for (float& w : out) w = half_value(half_bits(w));
    return out;
}

double sparsity(const LayerProblem& p) {
    const auto zeros = std::ranges::count(p.weights, 0.0F);
    return static_cast<double>(zeros) / static_cast<double>(p.weights.size());
}

void validate(const LayerProblem& p) {
    check_counts(p);
    check_taps(p);
    check_sizes(p);
    check_weights(p);
}

Cost layer_cost(const LayerProblem& p) {
    const double elements = static_cast<double>(p.inputs()) + static_cast<double>(p.outputs()) +
                            static_cast<double>(p.weights.size());
    return {.bytes = elements * static_cast<double>(bytes_per_element(p.type)),
            .flops = 2.0 * static_cast<double>(p.outputs()) * p.sum_length(),
            .bytes_formula = "each input, weight and output moved once",
            .flops_formula = "2 × filter area × input channels of a group, for each output"};
}

std::string describe(const LayerProblem& p) {
    std::string text =
        fmt::format("{}×{}×{}×{} {} {}, {} outputs", p.batch, p.in_channels, p.height, p.width,
                    name_of(p.layout), name_of(p.type), p.out_channels);
    if (p.groups > 1) text += fmt::format(", {} groups", p.groups);
    text += fmt::format(", {}×{} taps, stride {}, padding {}", p.taps.y, p.taps.x,
                        text_of(p.stride), text_of(p.padding));
    if (p.dilation.y > 1 || p.dilation.x > 1)
        text += fmt::format(", dilation {}", text_of(p.dilation));
    return text;
}

std::string_view name_of(LayerLayout layout) {
    switch (layout) {
        case LayerLayout::nchw:
            return "nchw";
        case LayerLayout::nhwc:
            return "nhwc";
    }
    return "unknown";
}

std::string_view name_of(LayerType type) {
    switch (type) {
        case LayerType::f32:
            return "f32";
        case LayerType::f16:
            return "f16";
    }
    return "unknown";
}

}  // namespace weft
