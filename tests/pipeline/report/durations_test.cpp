#include "app/pipeline/report/durations.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr double kError = 0.005;  // relative error of a quantile, as the header promises

using Values = std::vector<double>;

Durations durations_of(const Values& values) {
    Durations durations;
    for (const double value : values) durations.add(value);
    return durations;
}

double nearest_rank(const Values& sorted, double fraction) {
    const auto rank = static_cast<std::size_t>(
        std::max(std::ceil(fraction * static_cast<double>(sorted.size())), 1.0));
    return sorted[rank - 1];
}

void expect_quantiles(const Durations& durations, Values values, const char* name) {
    std::ranges::sort(values);
    for (const double fraction : {0.0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1.0}) {
        const double exact = nearest_rank(values, fraction);
        EXPECT_NEAR(durations.quantile_seconds(fraction), exact, kError * exact)
            << name << " at " << fraction;
    }
}

struct Row {
    const char* name;
    Values values;
};

template <class Distribution>
Values drawn(Distribution distribution, std::size_t count) {
    std::mt19937 random(7);
    Values values(count);
    for (double& value : values) value = std::abs(distribution(random));
    return values;
}

std::vector<Row> rows() {
    const auto log_normal = [](double median) {
        return std::lognormal_distribution<double>(std::log(median), 1.0);
    };
    std::vector<Row> rows = {
        {"uniform", drawn(std::uniform_real_distribution<double>(1e-3, 9e-3), 20'000)},
        {"microseconds", drawn(log_normal(5e-6), 20'000)},
        {"heavy tail", drawn(log_normal(0.02), 20'000)},
        {"hours", drawn(std::exponential_distribution<double>(1.0 / 7200), 2000)},
        {"two", {0.001, 1000.0}},
        {"all alike", Values(1000, 0.0123)},
    };
    Values two_peaks = drawn(std::normal_distribution<double>(1e-4, 1e-5), 5000);
    const Values slow = drawn(std::normal_distribution<double>(0.04, 1e-3), 600);
    two_peaks.insert(two_peaks.end(), slow.begin(), slow.end());
    rows.push_back({"two peaks", std::move(two_peaks)});
    return rows;
}

TEST(PipelineDurations, QuantilesAreNearTheExactOnes) {
    for (const Row& row : rows()) {
        const Durations durations = durations_of(row.values);
        expect_quantiles(durations, row.values, row.name);
        double total = 0;
        for (const double value : row.values) total += value;
        EXPECT_EQ(durations.total_seconds(), total) << row.name;
        EXPECT_EQ(durations.count(), static_cast<std::int64_t>(row.values.size())) << row.name;
    }
}

TEST(PipelineDurations, EmptyGivesZeros) {
    Durations durations;
    durations.merge({});
    EXPECT_EQ(durations.count(), 0);
    EXPECT_EQ(durations.total_seconds(), 0);
    EXPECT_EQ(durations.median_seconds(), 0);
    EXPECT_EQ(durations.p95_seconds(), 0);
}

TEST(PipelineDurations, OneIsExactWhateverItsSize) {
    for (const double value : {0.0, 1e-12, 1e-9, 0.0123, 3600.0, 86'400.0 * 365}) {
        const Durations durations = durations_of({value});
        for (const double fraction : {0.0, 0.5, 1.0})
            EXPECT_EQ(durations.quantile_seconds(fraction), value);
    }
}

TEST(PipelineDurations, AnyRangeIsNearTheExactQuantiles) {
    const Durations durations = durations_of({0.0, 1e-9, 20e-9, 1.0, 10'000.0, 5e6});
    EXPECT_EQ(durations.quantile_seconds(0), 0.0);
    EXPECT_NEAR(durations.quantile_seconds(2.0 / 6), 1e-9, kError * 1e-9);
    EXPECT_NEAR(durations.quantile_seconds(3.0 / 6), 20e-9, kError * 20e-9);
    EXPECT_NEAR(durations.quantile_seconds(4.0 / 6), 1.0, kError);
    EXPECT_NEAR(durations.quantile_seconds(5.0 / 6), 10'000.0, kError * 10'000);
    EXPECT_EQ(durations.quantile_seconds(1), 5e6);
}

// In either order, and with ranges that do not overlap.
TEST(PipelineDurations, MergingEqualsAddingAll) {
    const std::vector<Row> all = rows();
    for (const Row& a : all)
        for (const Row& b : all) {
            Durations merged = durations_of(a.values);
            merged.merge(durations_of(b.values));
            Values values = a.values;
            values.insert(values.end(), b.values.begin(), b.values.end());
            expect_quantiles(merged, values, a.name);
            EXPECT_EQ(merged.count(), static_cast<std::int64_t>(values.size()));
            EXPECT_DOUBLE_EQ(merged.total_seconds(), durations_of(a.values).total_seconds() +
                                                         durations_of(b.values).total_seconds());
        }
}

TEST(PipelineDurations, MergingIntoEmptyGivesTheOther) {
    const Values values = {0.25, 0.5, 0.75};
    Durations merged;
    merged.merge(durations_of(values));
    expect_quantiles(merged, values, "merged");
}

}  // namespace
}  // namespace weft
