// One convolution to be computed by a kernel row and judged by the oracle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/conv_kernel.h"
#include "kernels/device/stream.h"
#include "tests/kernels/pixels/test_plane.h"
#include "tests/support/oracle.h"

namespace weft::test {

struct ConvCase {
    ConvProblem problem;
    Layout source_layout = Layout::padded;
    Layout output_layout = Layout::padded;
    // f32 images hold integers up to 4095 instead of fractions: sums of integer taps are exact.
    bool integer_samples = false;
    std::uint32_t seed = 1;
    std::vector<double> samples;  // the source instead of noise, when not empty
};

// Runs `row` on the CPU, or on one GPU with its own stream.
class Runner {
 public:
    Runner(const ConvKernel& row, const Device& device);

    const ConvKernel& row() const { return row_; }
    // The output of the row; sets `failure` if the row touched memory that it must not.
    std::vector<double> run(const ConvCase& c, std::string& failure) const;

 private:
    void run_on_device(PreparedConv& conv, TestPlane& source, TestPlane& output) const;

    const ConvKernel& row_;
    Device device_;
    std::unique_ptr<Stream> stream_;  // null on the CPU
};

std::vector<double> source_samples(const ConvCase& c);
oracle::Problem oracle_problem(const ConvCase& c);
std::string describe(const ConvCase& c);  // shape, border, taps, finish, layouts

// Empty if the row's output is right in every sample and nothing else was written; otherwise a
// paragraph: kernel, case, first bad (y, x, channel), got, want, bound, number of bad samples.
std::string check_against_oracle(const Runner& runner, const ConvCase& c);

// Empty if both rows give the same bits where the sums are exact, and otherwise differ by at most
// one step (u8, u16) or by the sum of their bounds (f32).
std::string check_agreement(const Runner& one, const Runner& other, const ConvCase& c);

}  // namespace weft::test
