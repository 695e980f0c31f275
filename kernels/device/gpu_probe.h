// The two halves of probe_gpus(). Internal to kernels/.
#pragma once

#include <string>
#include <string_view>

#include "kernels/device/device.h"

namespace weft {

// Runs in the probe's child process, the only one that may hang or crash: queries the driver and
// tries a kernel on every GPU. One line per GPU, fields separated by tabs, the name last; or one
// line "none\t" and a sentence. Never throws.
std::string describe_gpus_in_child();

// The inverse of describe_gpus_in_child.
GpuProbe parse_gpu_description(std::string_view text);

}  // namespace weft
