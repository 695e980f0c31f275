#include "tests/kernels/emulated/lane_model.h"

#include <vector>

#include <gtest/gtest.h>

#include "tests/kernels/cases/conv_tables.h"
#include "tests/kernels/layers/layer_tables.h"

namespace weft::test {

ConvKernel emulated_row(std::string_view name, decltype(ConvKernel::why_not) why_not,
                        decltype(ConvKernel::prepare) prepare, Arithmetic arithmetic) {
    return {.name = name,
            .summary = {},
            .source = {},
            .limits = {},
            .space = MemorySpace::host,
            .arithmetic = arithmetic,
            .why_not = why_not,
            .prepare = prepare,
            .cost = nullptr};
}

void check_all_tables(const ConvKernel& row, std::size_t step, int least) {
    const Runner runner(row, cpu_device());
    int taken = 0;
    for (const ConvTable& table : conv_tables()) {
        const std::vector<ConvCase> cases = table.cases();
        for (std::size_t k = 0; k < cases.size(); k += step) {
            if (!row_takes(row, cpu_device(), cases[k])) continue;
            ++taken;
            ASSERT_EQ(check_against_oracle(runner, cases[k]), "");
        }
    }
    EXPECT_GT(taken, least);
}

void check_all_layer_tables(const LayerKernel& row, std::size_t step) {
    const LayerRunner runner(row, cpu_device());
    int taken = 0;
    for (const LayerTable& table : layer_tables()) {
        const std::vector<LayerCase> cases = table.cases();
        for (std::size_t k = 0; k < cases.size(); k += step) {
            if (!runner.takes(cases[k])) continue;
            ++taken;
            ASSERT_EQ(check_layer(runner, cases[k]), "");
        }
    }
    EXPECT_GT(taken, 20);
}

}  // namespace weft::test
