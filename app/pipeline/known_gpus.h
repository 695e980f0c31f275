// Remembers the GPUs of this machine from one start of the program to the next.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "kernels/device/device.h"

namespace weft {

// The functions that find GPUs, so that tests can replace them.
struct GpuSources {
    std::function<GpuProbe()> probe = probe_gpus;  // in a child process
    std::function<bool(const std::vector<Device>&)> still_there = driver_sees;  // in this one
};

// probe_gpus() is safe from a driver that hangs or crashes, but starts the driver twice: 0.5 s with
// one H200, 1 s with two. If a child has found GPUs before and `machine` is unchanged, this process
// queries the driver directly, which it has to start anyway. The result is kept in `file`, whose
// folder is created; without a file, or with an empty `machine`, a child probes every time. A file
// that cannot be read or written only costs time. If the driver's answer has changed, the result is
// no GPU and a sentence, and the next start uses a child again.
GpuProbe known_gpus(const std::filesystem::path& file, const std::string& machine,
                    const GpuSources& sources);

// The conditions of a probe's result: the boot of the machine, the driver, its devices, this
// program, and the environment that the driver reads. Empty if the system does not provide them.
std::string machine_text();

// Uses cache_folder()/gpus.json; probes once per process, as probe_gpus().
GpuProbe known_gpus();

// The same without querying the driver for remembered GPUs, which takes 0.15 s: for runs that may
// not need them, and can continue without one that has disappeared.
GpuProbe remembered_gpus();

// Keeps in `file` why the CPU is used. Returns true if a note about it is due, because
// another reason or none was kept, or because the file cannot be written.
bool remember_reason(const std::filesystem::path& file, const std::string& reason);

// The same with a file for each machine in cache_folder(). Always true where NVIDIA's driver has
// devices, because a GPU is expected there.
bool remember_reason(const std::string& reason);

}  // namespace weft
