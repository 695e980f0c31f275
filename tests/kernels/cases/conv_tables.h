// The cases that every kernel row must get right, as tables.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tests/kernels/cases/conv_case.h"

namespace weft::test {

struct ConvTable {
    std::string_view name;  // a test's name: letters and digits
    std::vector<ConvCase> (*cases)();
};

// All tables, seams first. Deterministic: a case's numbers depend only on its place.
std::span<const ConvTable> conv_tables();

// The same as pointers, for parameterised tests.
std::vector<const ConvTable*> all_tables();

// For kernels that run at full speed: the long form of the tests adds a table of the largest sizes.
std::vector<const ConvTable*> tables_for_rows();

// Small images that reach every code path, for compute-sanitizer's slower tools.
std::vector<ConvCase> sanitizer_cases();

// Whether the row's limits let it run the case: some GPU rows take only factored taps.
bool row_takes(const ConvKernel& row, const Device& device, const ConvCase& c);

}  // namespace weft::test
