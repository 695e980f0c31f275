#include "app/batch/job_count.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "kernels/device/cgroup.h"

namespace weft {
namespace {

constexpr int kCoresPerVideo = 4;
constexpr int kDecodedPerGpu = 16;
constexpr std::size_t kBytesPerJob = std::size_t{1} << 30;

int jobs_of_cores(const JobRoom& room) {
    const bool gpu_does_all = room.gpu_decodes && !room.encodes;
    return room.stills || gpu_does_all ? room.cores : room.cores / kCoresPerVideo;
}

int jobs_of_memory(std::size_t bytes) {
    constexpr std::size_t kMost = 1024;
    if (bytes == 0) return kMost;
    return static_cast<int>(std::clamp<std::size_t>(bytes / kBytesPerJob, 1, kMost));
}

int jobs_of_gpus(const JobRoom& room) {
    return room.gpus * std::min(kDecodedPerGpu, jobs_of_memory(room.gpu_memory_bytes));
}

}  // namespace

int jobs_for(const JobRoom& room) {
    int jobs = jobs_of_cores(room);
    if (room.gpu_decodes && !room.stills) jobs = std::min(jobs, jobs_of_gpus(room));
    jobs = std::max({jobs, room.gpus, 1});
    const auto files = static_cast<int>(std::clamp<std::size_t>(room.files, 1, 1024));
    return std::min({jobs, jobs_of_memory(room.memory_bytes), files});
}

namespace {

std::size_t machine_memory_bytes() {
    std::ifstream file("/proc/meminfo");
    for (std::string name; file >> name;) {
        std::size_t kibibytes = 0;
        if (name == "MemAvailable:" && file >> kibibytes) return kibibytes << 10;
        file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return 0;
}

}  // namespace

std::size_t available_memory_bytes() {
    const std::size_t machine = machine_memory_bytes();
    const std::size_t group = own_cgroup_limits().memory_bytes.value_or(machine);
    return machine == 0 ? group : std::min(machine, group);
}

}  // namespace weft
