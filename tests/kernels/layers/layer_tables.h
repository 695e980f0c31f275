// The layers that every kernel for layers must get right, as tables.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tests/kernels/layers/layer_case.h"

namespace weft::test {

struct LayerTable {
    std::string_view name;  // a test's name: letters and digits
    std::vector<LayerCase> (*cases)();
};

// All tables. Deterministic: a case's numbers depend only on its place.
std::span<const LayerTable> layer_tables();

// The same as pointers, for parameterised tests.
std::vector<const LayerTable*> all_layer_tables();

// Small layers that reach every code path, for compute-sanitizer's slower tools.
std::vector<LayerCase> layer_sanitizer_cases();

}  // namespace weft::test
