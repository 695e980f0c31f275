// Remembers from one start of the program to the next which GPUs there are.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "kernels/device.h"

namespace weft {

// Who is asked for GPUs.
struct GpuSources {
    std::function<GpuProbe()> probe = probe_gpus;  // in a child process
    std::function<bool(const std::vector<Device>&)> still_there = driver_sees;  // in this one
};

// probe_gpus() is safe from a driver that hangs or crashes, but starts the driver twice: 0.5 s with
// one H200, 1 s with two. Where a child has found GPUs before and `machine` is as it was then, this
// process asks the driver itself, which it has to start anyway. What it finds is kept in `file`,
// whose folder is made; without a file, or with an empty `machine`, the child is asked each time. A
// file that cannot be read or written costs time only. Where the driver does not answer as it did,
// there is no GPU, a sentence says so, and the next start asks a child again.
GpuProbe known_gpus(const std::filesystem::path& file, const std::string& machine,
                    const GpuSources& sources);

// What an answer depends on: the start of the machine, the driver, its devices, this program, and
// the environment that the driver reads. Empty where the system does not tell.
std::string machine_text();

// With cache_folder()/gpus.json; once per process, as probe_gpus().
GpuProbe known_gpus();

}  // namespace weft
