// Every kernel for layers against the oracle, table by table: Kernels… on the CPU, Gpu… on the
// first GPU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/kernels/device/gpu.h"
#include "tests/kernels/layers/layer_tables.h"

namespace weft::test {

namespace {

constexpr int kShownFailures = 3;

// Runs the cases that the row takes; skips visibly if it takes none of the table.
void check_all(const LayerRunner& runner, const Device& device,
               const std::vector<LayerCase>& cases) {
    int taken = 0;
    int failures = 0;
    for (const LayerCase& c : cases) {
        if (!runner.takes(c)) continue;
        ++taken;
        const std::string failure = check_layer(runner, c);
        if (failure.empty()) continue;
        if (++failures <= kShownFailures) ADD_FAILURE() << failure;
    }
    if (failures > kShownFailures) ADD_FAILURE() << failures << " of " << taken << " cases failed";
    if (taken == 0)
        GTEST_SKIP() << runner.row().name << " takes none of these: "
                     << why_cannot(runner.row(), cases.front().problem, device);
    testing::Test::RecordProperty("cases", taken);
}

std::vector<const LayerKernel*> layer_rows() {
    std::vector<const LayerKernel*> out;
    for (const LayerKernel& row : layer_kernels()) out.push_back(&row);
    return out;
}

using RowAndTable = std::tuple<const LayerKernel*, const LayerTable*>;

std::string name_of_pair(const testing::TestParamInfo<RowAndTable>& info) {
    return fmt::format("{}_{}", std::get<0>(info.param)->name, std::get<1>(info.param)->name);
}

std::string name_of_row(const testing::TestParamInfo<const LayerKernel*>& info) {
    return std::string(info.param->name);
}

}  // namespace

class GpuLayer : public NeedsGpu<testing::TestWithParam<RowAndTable>> {};
class GpuLayerSanitize : public NeedsGpu<testing::TestWithParam<const LayerKernel*>> {};

TEST_P(GpuLayer, MatchesOracle) {
    const auto [row, table] = GetParam();
    check_all(LayerRunner(*row, first_gpu()), first_gpu(), table->cases());
}

TEST_P(GpuLayerSanitize, MatchesOracle) {
    check_all(LayerRunner(*GetParam(), first_gpu()), first_gpu(), layer_sanitizer_cases());
}

TEST(KernelsLayer, EveryRowSaysWhatItTakes) {
    LayerProblem p;
    p.weights = {1.0F};
    for (const LayerKernel& row : layer_kernels()) {
        EXPECT_NE(why_cannot(row, p, cpu_device()), "") << row.name;
        ASSERT_NE(row.cost, nullptr) << row.name;
        EXPECT_FALSE(row.cost(p).flops_formula.empty()) << row.name;
        EXPECT_EQ(find_layer_kernel(row.name), &row);
        EXPECT_NE(find_kernel(row.name), nullptr) << "weft list kernels describes it";
    }
    EXPECT_EQ(find_layer_kernel("box_sum"), nullptr);
}

INSTANTIATE_TEST_SUITE_P(, GpuLayer,
                         testing::Combine(testing::ValuesIn(layer_rows()),
                                          testing::ValuesIn(all_layer_tables())),
                         name_of_pair);
INSTANTIATE_TEST_SUITE_P(, GpuLayerSanitize, testing::ValuesIn(layer_rows()), name_of_row);

}  // namespace weft::test
