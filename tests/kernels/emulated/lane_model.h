// Shared by the lane models: rows that run a kernel's own code on the CPU, and the loops over the
// tables.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "kernels/conv_kernel.h"
#include "kernels/layers/layer_kernel.h"

namespace weft::test {

// A host row without texts for lists. `name` must outlive it.
ConvKernel emulated_row(std::string_view name, decltype(ConvKernel::why_not) why_not,
                        decltype(ConvKernel::prepare) prepare,
                        Arithmetic arithmetic = Arithmetic::fp32);

// Checks every `step`-th case of all tables that the row takes against the oracle. Also fails
// unless more than `least` are taken.
void check_all_tables(const ConvKernel& row, std::size_t step, int least);

template <class Emulated>
std::unique_ptr<PreparedLayer> prepare_emulated(const LayerProblem& p, const Device& /*cpu*/) {
    return std::make_unique<Emulated>(p);
}
// The same for layers; more than twenty cases must be taken.
void check_all_layer_tables(const LayerKernel& row, std::size_t step);

}  // namespace weft::test
