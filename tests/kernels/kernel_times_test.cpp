// The times that kernels estimate, and the planner's choices by them, against those that were
// measured of random problems on an H200 and on one thread of a CPU.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/planner.h"
#include "tests/support/gpu_table.h"

namespace weft::test {

namespace {

// A line of the results.
struct Measured {
    std::string line;
    ConvProblem problem;
    std::map<std::string, double> times;  // µs by kernel
};

// Any fractions will do, because the values of the taps do not change a time.
Taps taps_of(const std::string& kind, int width, int height, int nonzero) {
    const auto side = [&](int size) {
        std::vector<float> values(static_cast<std::size_t>(size), 1.0F);
        for (int k = 0; kind == "Gaussian" && k < size; ++k)
            values[static_cast<std::size_t>(k)] =
                (1.0F + std::sin(static_cast<float>(k))) / static_cast<float>(size);
        return values;
    };
    if (kind == "Gaussian" || kind == "box") return separable_taps(side(width), side(height));
    const int area = width * height;
    std::vector<float> weights(static_cast<std::size_t>(area), 0.0F);
    for (int k = 0; k < nonzero; ++k)
        weights[static_cast<std::size_t>(static_cast<long long>(k) * area / nonzero)] =
            (1.05F + std::sin(static_cast<float>(k % 1000))) / static_cast<float>(nonzero);
    return dense_taps(width, height, weights);
}

std::vector<std::string> fields_of(const std::string& line) {
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
    return fields;
}

ConvProblem problem_of(const std::vector<std::string>& fields) {
    constexpr std::array kTypes = {PixelType::u8, PixelType::u16, PixelType::f32};
    ConvProblem p;
    p.type = *std::ranges::find(kTypes, fields[0], [](PixelType t) { return name_of(t); });
    p.max_value = std::stof(fields[1]);
    p.channels = std::stoi(fields[2]);
    p.width = std::stoi(fields[3]);
    p.height = std::stoi(fields[4]);
    const int width = std::stoi(fields[6]);
    const int height = std::stoi(fields[7]);
    p.conv = {{.taps = {taps_of(fields[5], width, height, std::stoi(fields[8]))},
               .scale = 1.0F,
               .bias = 0.0F}};
    if (fields[5] == "box") p.conv.front().scale = 1.0F / static_cast<float>(width * height);
    return p;
}

std::vector<Measured> measured_problems(const std::string& name) {
    constexpr std::size_t kFirstKernel = 9;
    std::ifstream file(WEFT_BENCH_RESULTS "/" + name);
    std::vector<std::string> names;
    std::vector<Measured> all;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with('#')) continue;
        const std::vector<std::string> fields = fields_of(line);
        if (names.empty()) {
            names = fields;
            continue;
        }
        Measured measured{.line = line, .problem = problem_of(fields), .times = {}};
        for (std::size_t k = kFirstKernel; k < fields.size(); ++k)
            if (!fields[k].empty()) measured.times[names[k]] = std::stod(fields[k]);
        all.push_back(std::move(measured));
    }
    return all;
}

// The planner does not choose transforms for f32 images, however fast they are.
double least_time(const Measured& measured) {
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [kernel, time] : measured.times)
        if (kernel != "fft" || measured.problem.type != PixelType::f32)
            least = std::min(least, time);
    return least;
}

struct Losses {
    double mean = 0;  // how many times as long as the fastest the chosen kernel takes
    double slow = 0;  // the share that takes 1.1 times as long or longer
    double worst = 0;
};

Losses planner_losses(const std::vector<Measured>& all, const Device& device) {
    Losses losses;
    const auto count = static_cast<double>(all.size());
    double sum = 0;
    for (const Measured& measured : all) {
        const std::string chosen(plan(measured.problem, device).kernel->name);
        // Without cuFFT, another kernel is chosen.
        if (!measured.times.contains(chosen)) {
            ADD_FAILURE() << measured.line << ": " << chosen << " was not measured";
            continue;
        }
        const double loss = measured.times.at(chosen) / least_time(measured);
        sum += std::log(loss);
        if (loss >= 1.1) losses.slow += 1 / count;
        losses.worst = std::max(losses.worst, loss);
    }
    losses.mean = std::exp(sum / count);
    return losses;
}

bool has_cuda(const ConvProblem& p) {
    return why_cannot(*find_kernel("direct"), p, h200()).empty();
}

}  // namespace

TEST(KernelsTimes, AreCloseToTheMeasuredOnes) {
    const std::vector<Measured> all = measured_problems("h200-random.csv");
    ASSERT_GT(all.size(), 1000U);
    if (!has_cuda(all.front().problem)) GTEST_SKIP() << "this build has no CUDA";
    std::map<std::string, std::vector<double>> ratios;
    for (const Measured& measured : all) {
        for (const auto& [name, time] : measured.times) {
            const ConvKernel& kernel = *find_kernel(name);
            if (!why_cannot(kernel, measured.problem, h200()).empty()) continue;
            const double estimated = kernel.time(measured.problem, h200());
            if (std::isfinite(estimated)) ratios[name].push_back(estimated / time);
        }
    }
    ASSERT_GE(ratios.size(), 10U);
    for (auto& [name, list] : ratios) {
        std::ranges::sort(list);
        const auto at = [&](double share) {
            return list[static_cast<std::size_t>(share * static_cast<double>(list.size() - 1))];
        };
        EXPECT_THAT(at(0.5), testing::AllOf(testing::Ge(0.93), testing::Le(1.07))) << name;
        EXPECT_THAT(at(0.05), testing::Ge(0.7)) << name;
        EXPECT_THAT(at(0.95), testing::Le(1.3)) << name;
    }
}

// Estimates err by some percent, so that the planner may choose the second of two close kernels.
TEST(KernelsPlanner, ChoosesTheFastestOfTheMeasuredKernels) {
    const std::vector<Measured> all = measured_problems("h200-random.csv");
    ASSERT_GT(all.size(), 1000U);
    if (!has_cuda(all.front().problem)) GTEST_SKIP() << "this build has no CUDA";
    const Losses losses = planner_losses(all, h200());
    EXPECT_LE(losses.mean, 1.01);
    EXPECT_LE(losses.slow, 0.04);
    EXPECT_LE(losses.worst, 1.5);
}

// Every CPU gets the same kernels, whose times differ more between CPUs than estimates err.
TEST(KernelsPlanner, ChoosesTheFastestOfTheMeasuredKernelsOfCpus) {
    const std::vector<Measured> all = measured_problems("epyc-random.csv");
    ASSERT_GE(all.size(), 300U);
    const Losses losses = planner_losses(all, cpu_device());
    EXPECT_LE(losses.mean, 1.03);
    EXPECT_LE(losses.slow, 0.05);
    EXPECT_LE(losses.worst, 1.6);
}

}  // namespace weft::test
