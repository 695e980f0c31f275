// Cases of neural networks' layers.
#pragma once

#include <vector>

#include "tests/bench/suites.h"

namespace weft::bench {

// The 19 depthwise layers of MobileNetV2 and EfficientNet-B0 that were published for the row reuse
// of Liu et al. (CCF THPC 2024), at batch 1 and 128, f32 and f16, nchw and nhwc.
std::vector<BenchCase> depthwise_cases();

// AlexNet CONV2–5, GoogLeNet 3×3 and 5×5, ResNet-50 3×3: f32 nchw at batch 1, 64 and 128; some as
// f16 nhwc at 128.
std::vector<BenchCase> dense_layer_cases();

// The same with weights pruned to the sparsity of SkimCaffe's models (Park et al., ICLR 2017);
// where a range was published, its middle.
std::vector<BenchCase> sparse_layer_cases();

// RGB pictures of 3840×2160 into 16 maps by 7×7 and 11×11 taps.
std::vector<BenchCase> bank_cases();

}  // namespace weft::bench
