// Every kernel row against the oracle, table by table: Kernels… on the CPU, Gpu… on the first GPU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/conv_kernel.h"
#include "tests/kernels/cases/conv_tables.h"
#include "tests/kernels/device/gpu.h"
#include "tests/support/sum_error.h"

namespace weft::test {

namespace {

constexpr int kShownFailures = 3;

using Check = std::string (*)(const Runner& runner, const ConvCase& c);

// Runs the cases that the row takes; skips visibly if it takes none of the table.
void check_all(const Runner& runner, const Device& device, const std::vector<ConvCase>& cases,
               Check check) {
    int taken = 0;
    int failures = 0;
    for (const ConvCase& c : cases) {
        if (!row_takes(runner.row(), device, c)) continue;
        ++taken;
        const std::string failure = check(runner, c);
        if (failure.empty()) continue;
        if (++failures <= kShownFailures) ADD_FAILURE() << failure;
    }
    if (failures > kShownFailures) ADD_FAILURE() << failures << " of " << taken << " cases failed";
    if (taken == 0)
        GTEST_SKIP() << runner.row().name << " takes none of these: "
                     << why_cannot(runner.row(), cases.front().problem, device);
    testing::Test::RecordProperty("cases", taken);
}

std::string check_with_cpu(const Runner& runner, const ConvCase& c) {
    static const Runner cpu(*find_kernel("opencv_cpu"), cpu_device());
    return check_agreement(runner, cpu, c);
}

std::vector<const ConvKernel*> rows_in(MemorySpace space) {
    std::vector<const ConvKernel*> out;
    for (const ConvKernel& row : conv_kernels())
        if (row.space == space) out.push_back(&row);
    return out;
}

// The kernels with vectors of their own, see Device::vector_bytes.
std::vector<const ConvKernel*> rows_with_vectors() {
    std::vector<const ConvKernel*> out = rows_in(MemorySpace::host);
    std::erase(out, find_kernel("opencv_cpu"));
    return out;
}

// Empty, or the first case whose bits depend on the width of vectors.
std::string check_vectors(const Runner& widest, const ConvCase& c) {
    std::string failure;
    const std::vector<double> want = widest.run(c, failure);
    for (const int bytes : {16, 32}) {
        Device device = cpu_device();
        device.vector_bytes = std::min(device.vector_bytes, bytes);
        const Runner narrow(widest.row(), device);
        if (narrow.run(c, failure) != want)
            failure = fmt::format("{} has other bits with vectors of {} bytes: {}",
                                  widest.row().name, bytes, describe(c.problem));
    }
    return failure;
}

// Large enough for several threads, and a box, because every kernel takes it.
ConvCase threads_case(PixelType type) {
    ConvCase c;
    c.problem.width = 210;
    c.problem.height = 190;
    c.problem.channels = 3;
    c.problem.type = type;
    c.problem.max_value = type == PixelType::u8 ? 255.0F : 65535.0F;
    const std::vector<float> ones(15, 1.0F);
    c.problem.conv = {{.taps = {separable_taps(ones, ones)}, .scale = 1.0F / 225.0F}};
    return c;
}

// Empty, or that the bits depend on the number of threads.
std::string check_threads(const Runner& runner, const ConvCase& c) {
    std::string failure;
    Device device = cpu_device();
    device.multiprocessors = 1;
    const std::vector<double> want = Runner(runner.row(), device).run(c, failure);
    for (const int threads : {2, 3, 7}) {
        device.multiprocessors = threads;
        if (Runner(runner.row(), device).run(c, failure) != want)
            failure = fmt::format("{} has other bits with {} threads: {}", runner.row().name,
                                  threads, describe(c.problem));
    }
    return failure;
}

using RowAndTable = std::tuple<const ConvKernel*, const ConvTable*>;

std::string name_of_pair(const testing::TestParamInfo<RowAndTable>& info) {
    return fmt::format("{}_{}", std::get<0>(info.param)->name, std::get<1>(info.param)->name);
}

std::string name_of_row(const testing::TestParamInfo<const ConvKernel*>& info) {
    return std::string(info.param->name);
}

// An image with a single one at (20, 11).
ConvCase delta_case() {
    ConvCase c;
    c.problem.width = 41;
    c.problem.height = 23;
    c.problem.type = PixelType::f32;
    c.problem.border = Border::constant;
    std::vector<float> w(7 * 5);
    for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i) + 0.125F;
    Taps taps = dense_taps(7, 5, w);
    taps.anchor_x = 1;
    taps.anchor_y = 3;
    c.problem.conv = {{.taps = {taps}}};
    c.samples.assign(41 * 23, 0.0);
    c.samples[11 * 41 + 20] = 1.0;
    return c;
}

// The output is the taps rotated by 180° about the anchor, to the bit where sums are of products.
std::string check_delta(const Runner& runner, const ConvCase& c) {
    const Taps& taps = c.problem.taps();
    const double bound = sum_error(runner.row().arithmetic, c.problem, 1.0) * absolute_sum(taps);
    std::string failure;
    const std::vector<double> got = runner.run(c, failure);
    for (int y = 0; y < c.problem.height; ++y) {
        for (int x = 0; x < c.problem.width; ++x) {
            const int i = 20 - x + taps.anchor_x;
            const int j = 11 - y + taps.anchor_y;
            const bool inside = i >= 0 && i < taps.width && j >= 0 && j < taps.height;
            const double want = inside ? taps.weights[j * taps.width + i] : 0.0F;
            const double is = got[y * c.problem.width + x];
            if (std::fabs(is - want) <= bound) continue;
            return fmt::format("{}: delta at (y {}, x {}): got {}, want {}", runner.row().name, y,
                               x, is, want);
        }
    }
    return failure;
}

}  // namespace

class KernelsConv : public testing::TestWithParam<RowAndTable> {};
class KernelsVectors : public testing::TestWithParam<RowAndTable> {};
class KernelsThreads : public testing::TestWithParam<const ConvKernel*> {};
class KernelsDelta : public testing::TestWithParam<const ConvKernel*> {};
class GpuConv : public NeedsGpu<testing::TestWithParam<RowAndTable>> {};
class GpuAgreesWithCpu : public NeedsGpu<testing::TestWithParam<RowAndTable>> {};
class GpuDelta : public NeedsGpu<testing::TestWithParam<const ConvKernel*>> {};
class GpuSanitize : public NeedsGpu<testing::TestWithParam<const ConvKernel*>> {};

TEST_P(KernelsConv, MatchesOracle) {
    const auto [row, table] = GetParam();
    check_all(Runner(*row, cpu_device()), cpu_device(), table->cases(), check_against_oracle);
}

TEST_P(KernelsVectors, HaveTheSameBitsInAnyWidth) {
    const auto [row, table] = GetParam();
    check_all(Runner(*row, cpu_device()), cpu_device(), table->cases(), check_vectors);
}

TEST_P(KernelsThreads, HaveTheSameBitsInAnyNumber) {
    check_all(
        Runner(*GetParam(), cpu_device()), cpu_device(),
        {threads_case(PixelType::u8), threads_case(PixelType::u16), threads_case(PixelType::f32)},
        check_threads);
}

TEST_P(GpuConv, MatchesOracle) {
    const auto [row, table] = GetParam();
    check_all(Runner(*row, first_gpu()), first_gpu(), table->cases(), check_against_oracle);
}

TEST_P(GpuAgreesWithCpu, ToTheBitOrOneStep) {
    const auto [row, table] = GetParam();
    check_all(Runner(*row, first_gpu()), first_gpu(), table->cases(), check_with_cpu);
}

TEST_P(GpuSanitize, MatchesOracle) {
    check_all(Runner(*GetParam(), first_gpu()), first_gpu(), sanitizer_cases(),
              check_against_oracle);
}

TEST_P(KernelsDelta, ShowsTheTaps) {
    check_all(Runner(*GetParam(), cpu_device()), cpu_device(), {delta_case()}, check_delta);
}

TEST_P(GpuDelta, ShowsTheTaps) {
    check_all(Runner(*GetParam(), first_gpu()), first_gpu(), {delta_case()}, check_delta);
}

INSTANTIATE_TEST_SUITE_P(, KernelsConv,
                         testing::Combine(testing::ValuesIn(rows_in(MemorySpace::host)),
                                          testing::ValuesIn(tables_for_rows())),
                         name_of_pair);
INSTANTIATE_TEST_SUITE_P(, KernelsVectors,
                         testing::Combine(testing::ValuesIn(rows_with_vectors()),
                                          testing::ValuesIn(tables_for_rows())),
                         name_of_pair);
INSTANTIATE_TEST_SUITE_P(, KernelsThreads, testing::ValuesIn(rows_with_vectors()), name_of_row);
INSTANTIATE_TEST_SUITE_P(, GpuConv,
                         testing::Combine(testing::ValuesIn(rows_in(MemorySpace::device)),
                                          testing::ValuesIn(tables_for_rows())),
                         name_of_pair);
INSTANTIATE_TEST_SUITE_P(, GpuAgreesWithCpu,
                         testing::Combine(testing::ValuesIn(rows_in(MemorySpace::device)),
                                          testing::ValuesIn(tables_for_rows())),
                         name_of_pair);
INSTANTIATE_TEST_SUITE_P(, GpuSanitize, testing::ValuesIn(rows_in(MemorySpace::device)),
                         name_of_row);
INSTANTIATE_TEST_SUITE_P(, KernelsDelta, testing::ValuesIn(rows_in(MemorySpace::host)),
                         name_of_row);
INSTANTIATE_TEST_SUITE_P(, GpuDelta, testing::ValuesIn(rows_in(MemorySpace::device)), name_of_row);

}  // namespace weft::test
