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

int widest_vectors() {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512vnni"))
        return 64;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 32;
#endif
    return 16;
}

}  // namespace

Device cpu_device() {
    Device cpu;
    cpu.name = cpu_model();
    cpu.multiprocessors = usable_cores();
    cpu.vector_bytes = widest_vectors();
    cpu.memory_bytes = physical_memory_bytes();
    return cpu;
}

}  // namespace weft
