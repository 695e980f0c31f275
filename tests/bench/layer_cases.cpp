#include "tests/bench/layer_cases.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include <fmt/format.h>

#include "tests/bench/layer_work.h"

namespace weft::bench {

namespace {

// Square planes and taps, padded to keep the size at stride 1.
struct Shape {
    const char* name;
    int inputs, outputs, groups, side, taps, stride;
    double sparsity;  // published, 0..1; 0: dense
};

constexpr std::array kDepthwise = {
    Shape{"32x112", 32, 32, 32, 112, 3, 1, 0},     Shape{"144x56", 144, 144, 144, 56, 3, 1, 0},
    Shape{"192x28", 192, 192, 192, 28, 3, 1, 0},   Shape{"240x28", 240, 240, 240, 28, 5, 1, 0},
    Shape{"384x14", 384, 384, 384, 14, 3, 1, 0},   Shape{"480x14", 480, 480, 480, 14, 3, 1, 0},
    Shape{"480x14", 480, 480, 480, 14, 5, 1, 0},   Shape{"576x14", 576, 576, 576, 14, 3, 1, 0},
    Shape{"672x14", 672, 672, 672, 14, 5, 1, 0},   Shape{"960x7", 960, 960, 960, 7, 3, 1, 0},
    Shape{"1152x7", 1152, 1152, 1152, 7, 3, 1, 0}, Shape{"1152x7", 1152, 1152, 1152, 7, 5, 1, 0},
    Shape{"96x112", 96, 96, 96, 112, 3, 2, 0},     Shape{"144x56", 144, 144, 144, 56, 3, 2, 0},
    Shape{"144x56", 144, 144, 144, 56, 5, 2, 0},   Shape{"192x28", 192, 192, 192, 28, 3, 2, 0},
    Shape{"240x28", 240, 240, 240, 28, 3, 2, 0},   Shape{"576x14", 576, 576, 576, 14, 3, 2, 0},
    Shape{"672x14", 672, 672, 672, 14, 5, 2, 0},
};

constexpr std::array kDense = {
    Shape{"AlexNet conv2", 96, 256, 2, 27, 5, 1, 0.856},
    Shape{"AlexNet conv3", 256, 384, 1, 13, 3, 1, 0.931},
    Shape{"AlexNet conv4", 384, 384, 2, 13, 3, 1, 0.918},
    Shape{"AlexNet conv5", 384, 256, 2, 13, 3, 1, 0.885},
    Shape{"GoogLeNet conv2", 64, 192, 1, 56, 3, 1, 0.817},
    Shape{"GoogLeNet 3a 3x3", 96, 128, 1, 28, 3, 1, 0.9335},
    Shape{"GoogLeNet 3a 5x5", 16, 32, 1, 28, 5, 1, 0.8935},
    Shape{"GoogLeNet 3b 3x3", 128, 192, 1, 28, 3, 1, 0.9335},
    Shape{"GoogLeNet 3b 5x5", 32, 96, 1, 28, 5, 1, 0.8935},
    Shape{"GoogLeNet 4e 3x3", 160, 320, 1, 14, 3, 1, 0.9335},
    Shape{"GoogLeNet 4e 5x5", 32, 128, 1, 14, 5, 1, 0.8935},
    Shape{"GoogLeNet 5b 3x3", 192, 384, 1, 7, 3, 1, 0.9335},
    Shape{"GoogLeNet 5b 5x5", 48, 128, 1, 7, 5, 1, 0.8935},
    Shape{"ResNet-50 res2", 64, 64, 1, 56, 3, 1, 0.844},
    Shape{"ResNet-50 res3", 128, 128, 1, 28, 3, 1, 0.933},
    Shape{"ResNet-50 res4", 256, 256, 1, 14, 3, 1, 0.9705},
    Shape{"ResNet-50 res5", 512, 512, 1, 7, 3, 1, 0.979},
};

// Like a trained layer's: the longer the sum, the smaller. The smallest weights are pruned.
std::vector<float> weights_of(std::size_t count, int sum_length, double sparsity) {
    std::mt19937 random(3);
    std::vector<float> w(count);
    const float range = std::sqrt(6.0F / static_cast<float>(sum_length));
    for (float& v : w) v = range * (static_cast<float>(random() >> 8) / 8388608.0F - 1.0F);
    std::vector<float> sizes(count);
    std::ranges::transform(w, sizes.begin(), [](float v) { return std::fabs(v); });
    std::ranges::sort(sizes);
    const float least = sizes[static_cast<std::size_t>(sparsity * static_cast<double>(count - 1))];
    if (sparsity > 0)
        for (float& v : w)
            if (std::fabs(v) < least) v = 0;
    return w;
}

struct Form {
    int batch;
    LayerType type;
    LayerLayout layout;
};

LayerProblem layer_of(const Shape& s, const Form& form, double sparsity) {
    LayerProblem p;
    p.batch = form.batch;
    p.in_channels = s.inputs;
    p.out_channels = s.outputs;
    p.groups = s.groups;
    p.height = p.width = s.side;
    p.taps = {.y = s.taps, .x = s.taps};
    p.stride = {.y = s.stride, .x = s.stride};
    p.padding = {.y = s.taps / 2, .x = s.taps / 2};
    p.layout = form.layout;
    p.type = form.type;
    p.weights =
        weights_of(static_cast<std::size_t>(s.outputs) * p.sum_length(), p.sum_length(), sparsity);
    return p;
}

// Weights are generated when the case is opened, because cases are also just listed.
BenchCase layer_case(std::string name, const Shape& s, const Form& form, double sparsity) {
    return {.name = fmt::format("{} b{} {} {}", name, form.batch, name_of(form.type),
                                name_of(form.layout)),
            .series = {},
            .size = s.taps,
            .open = [s, form, sparsity](const Device& d) {
                return make_layer_work(layer_of(s, form, sparsity), d);
            }};
}

std::vector<BenchCase> layers(bool pruned) {
    std::vector<BenchCase> out;
    const auto add = [&](const Shape& s, const Form& form) {
        const double sparsity = pruned ? s.sparsity : 0;
        const std::string name =
            pruned ? fmt::format("{} {:.1f} % zero", s.name, sparsity * 100) : s.name;
        out.push_back(layer_case(name, s, form, sparsity));
    };
    for (const Shape& s : kDense)
        for (const int batch : {1, 64, 128}) add(s, {batch, LayerType::f32, LayerLayout::nchw});
    for (const Shape& s : kDense)
        if (std::string_view(s.name).starts_with("ResNet"))
            add(s, {128, LayerType::f16, LayerLayout::nhwc});
    return out;
}

}  // namespace

std::vector<BenchCase> depthwise_cases() {
    std::vector<BenchCase> out;
    for (const int batch : {128, 1})
        for (const LayerType type : {LayerType::f32, LayerType::f16})
            for (const LayerLayout layout : {LayerLayout::nchw, LayerLayout::nhwc})
                for (const Shape& s : kDepthwise)
                    out.push_back(layer_case(fmt::format("dw {} k{} s{}", s.name, s.taps, s.stride),
                                             s, {batch, type, layout}, 0));
    return out;
}

std::vector<BenchCase> dense_layer_cases() {
    return layers(false);
}

std::vector<BenchCase> sparse_layer_cases() {
    return layers(true);
}

std::vector<BenchCase> bank_cases() {
    std::vector<BenchCase> out;
    for (const Form form :
         {Form{1, LayerType::f32, LayerLayout::nchw}, Form{1, LayerType::f16, LayerLayout::nhwc}}) {
        for (const int taps : {7, 11}) {
            const Shape shape{"", 3, 16, 1, 2160, taps, 1, 0};
            BenchCase c = layer_case(fmt::format("bank RGB to 16 {0}x{0}", taps), shape, form, 0);
            c.open = [shape, form](const Device& d) {
                LayerProblem p = layer_of(shape, form, 0);
                p.width = 3840;
                return make_layer_work(std::move(p), d);
            };
            out.push_back(std::move(c));
        }
    }
    return out;
}

}  // namespace weft::bench
