#include "tests/bench/suites.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "tests/bench/image_cases.h"
#include "tests/bench/layer_cases.h"

namespace weft::bench {

namespace {

std::vector<BenchCase> joined(std::vector<BenchCase> first, std::vector<BenchCase> second) {
    std::ranges::move(second, std::back_inserter(first));
    return first;
}

std::vector<BenchCase> image_cases() {
    return joined(joined(dense_cases(), separable_cases()), sparse_tap_cases());
}

std::vector<BenchCase> all_bank_cases() {
    return joined(bank_cases(), rgb_bank_cases());
}

std::vector<BenchCase> all_cases() {
    std::vector<BenchCase> all = image_cases();
    for (const auto& part :
         {all_bank_cases, depthwise_cases, dense_layer_cases, sparse_layer_cases})
        all = joined(std::move(all), part());
    return all;
}

std::vector<BenchCase> no_cases() {
    return {};
}

constexpr std::array kSuites = {
    Suite{.name = "image",
          .summary =
              "pictures of 3840×2160: dense taps, Gaussians, boxes, Sobel, taps with many zeros",
          .cases = image_cases},
    Suite{.name = "separable",
          .summary = "of these, the Gaussians and boxes",
          .cases = separable_cases},
    Suite{.name = "random",
          .summary = "150 random problems, others with each --seed, to find slow cases of the "
                     "planner and the kernels",
          .random_cases = random_cases},
    Suite{.name = "depthwise",
          .summary = "19 layers of MobileNetV2 and EfficientNet-B0, batch 1 and 128",
          .cases = depthwise_cases},
    Suite{.name = "layers",
          .summary = "AlexNet, GoogLeNet and ResNet-50, batch 1, 64 and 128",
          .cases = dense_layer_cases},
    Suite{.name = "sparse",
          .summary = "the same with weights pruned to published sparsities",
          .cases = sparse_layer_cases},
    Suite{.name = "bank",
          .summary = "RGB pictures of 3840×2160 into 16 maps, and into the largest of 16",
          .cases = all_bank_cases},
    Suite{.name = "limits",
          .summary = "what the GPU can do at most: copies, launches, single instructions",
          .limits = measure_limits,
          .cases = no_cases},
    Suite{.name = "stack",
          .summary = "what stacks of 1 to 16 steps cost the CPU a frame, with and without graphs",
          .limits = stack_limits,
          .cases = no_cases},
    Suite{
        .name = "all", .summary = "all of the above", .limits = measure_limits, .cases = all_cases},
    Suite{.name = "smoke",
          .summary = "small pictures, seconds, on any machine",
          .needs_gpu = false,
          .cases = smoke_cases},
};

}  // namespace

std::span<const Suite> suites() {
    return kSuites;
}

std::vector<BenchCase> cases_of(const Suite& suite, unsigned seed) {
    return suite.random_cases != nullptr ? suite.random_cases(seed) : suite.cases();
}

const Suite* find_suite(std::string_view name) {
    const auto found = std::ranges::find(kSuites, name, &Suite::name);
    return found == kSuites.end() ? nullptr : &*found;
}

}  // namespace weft::bench
