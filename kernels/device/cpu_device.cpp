#include <fstream>
#include <string>
#include <unistd.h>

#include "kernels/device/cgroup.h"
#include "kernels/device/device.h"

namespace weft {

namespace {

// The first "model name" of /proc/cpuinfo; some virtual and non-x86 machines have none.
std::string cpu_model() {
    std::ifstream cpuinfo("/proc/cpuinfo");
    for (std::string line; std::getline(cpuinfo, line);) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos)
            return line.substr(colon + 2);
    }
    return "CPU";
}

std::size_t physical_memory_bytes() {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page_bytes = sysconf(_SC_PAGE_SIZE);
    if (pages < 0 || page_bytes < 0) return 0;
    return static_cast<std::size_t>(pages) * static_cast<std::size_t>(page_bytes);
}

}  // namespace

Device cpu_device() {
    Device cpu;
    cpu.name = cpu_model();
    cpu.multiprocessors = usable_cores();
    cpu.memory_bytes = physical_memory_bytes();
    return cpu;
}

}  // namespace weft
