// The cases that every kernel row must get right, as tables.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tests/kernels/conv_case.h"

namespace weft::test {

struct ConvTable {
    std::string_view name;  // a test's name: letters and digits
    std::vector<ConvCase> (*cases)();
};

// All tables, seams first. Deterministic: a case's numbers depend on its place alone.
std::span<const ConvTable> conv_tables();

// The same as pointers, for parameterised tests.
std::vector<const ConvTable*> all_tables();

// In the long form of the tests with one more table, of the largest sizes, for kernels that run at
// their own speed.
std::vector<const ConvTable*> tables_for_rows();

// Small images that reach every code path, for compute-sanitizer's slower tools.
std::vector<ConvCase> sanitizer_cases();

// True when the row's limits let it run the case: a GPU row that takes only factored taps, say.
bool row_takes(const ConvKernel& row, const Device& device, const ConvCase& c);

}  // namespace weft::test
