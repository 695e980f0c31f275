// One layer to be computed by a kernel for layers and judged by the oracle.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/device/stream.h"
#include "kernels/layers/layer_kernel.h"

namespace weft::test {

struct LayerCase {
    LayerProblem problem;
    std::uint32_t seed = 1;  // for the input
};

// Runs a kernel on the CPU, or on one GPU with its own stream.
class LayerRunner {
 public:
    LayerRunner(const LayerKernel& row, const Device& device);

    const LayerKernel& row() const { return row_; }
    bool takes(const LayerCase& c) const { return why_cannot(row_, c.problem, device_).empty(); }
    // The output of the row; sets `failure` if the row touched memory that it must not.
    std::vector<float> run(const LayerCase& c, std::string& failure) const;

 private:
    const LayerKernel& row_;
    Device device_;
    std::unique_ptr<Stream> stream_;  // null on the CPU
};

// Noise from -1 to 2; halves where the layer takes halves.
std::vector<float> layer_input(const LayerCase& c);

// Empty, or kernel, layer, first bad element, got, want and bounds.
std::string check_layer(const LayerRunner& runner, const LayerCase& c);

}  // namespace weft::test
