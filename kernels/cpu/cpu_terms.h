// Reasons, times and taps that several CPU kernels share. Internal to kernels/.
#pragma once

#include <string>
#include <vector>

#include "kernels/conv_problem.h"
#include "kernels/device/device.h"

namespace weft {

// Empty, or that the device is a GPU.
std::string why_not_on_cpu(const Device& device);

// Empty, or why a kernel of dense taps in fp32, which channels share, rejects the problem.
std::string why_not_dense_on_cpu(const ConvProblem& problem, const Device& device);

// Rows hold the samples of all channels, so that the filtered ones share their taps. Channels that
// pass through are filtered with the others, and copied afterwards.
struct CommonTaps {
    ChannelConv conv;
    std::vector<int> untouched;  // channels
};

// Empty, or that two filtered channels differ.
std::string why_no_common_taps(const ConvProblem& problem);

CommonTaps common_taps(const ConvProblem& problem);

// Both images are in host memory and of the same size and type.
void copy_untouched(const CommonTaps& common, const ImageView& src, const ImageView& dst);

// µs for the problem, at `nanoseconds` for each sample: of one thread with vectors of 32 bytes, as
// measured at 1280×720 on a Xeon of 2023. They do not depend on the device, because the same
// command takes the same kernel, and gives the same bits, on every machine.
double cpu_time(const ConvProblem& problem, double nanoseconds);

// The one for the device's vectors, see Device::vector_bytes.
template <class F>
F for_vectors(int vector_bytes, F of_16, F of_32, F of_64) {
    return vector_bytes >= 64 ? of_64 : vector_bytes >= 32 ? of_32 : of_16;
}

}  // namespace weft
