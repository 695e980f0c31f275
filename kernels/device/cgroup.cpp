#include "kernels/device/cgroup.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <opencv2/core/utility.hpp>

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRoot = "/sys/fs/cgroup";

std::string own_membership() {
    std::ifstream file("/proc/self/cgroup");
    return {std::istreambuf_iterator<char>(file), {}};
}

// "0::/user.slice/job.scope": the only line of version 2, which names no controller; version 1 has
// lines such as "4:cpu,cpuacct:/job". Paths above the root of a namespace begin with "/..": they
// are not mounted.
std::string_view group_of(std::string_view membership, std::string_view controller) {
    for (std::size_t at = 0; at < membership.size();) {
        const std::size_t end = std::min(membership.find('\n', at), membership.size());
        const std::string_view line = membership.substr(at, end - at);
        at = end + 1;
        const std::size_t names = line.find(':') + 1;
        const std::size_t path = line.find(":/", names);
        if (names == 0 || path == std::string_view::npos) continue;
        const std::string listed = fmt::format(",{},", line.substr(names, path - names));
        if (listed.find(fmt::format(",{},", controller)) == std::string::npos) continue;
        return line.find("/..") == std::string_view::npos ? line.substr(path + 2) : "";
    }
    return "";
}

template <class Number>
std::optional<Number> number_in(const fs::path& path) {
    std::ifstream file(path);
    Number value{};
    return file >> value ? std::optional(value) : std::nullopt;  // "max" is no limit
}

struct MemoryFiles {
    const char* most;
    const char* used;
    const char* cache;  // in memory.stat
    const char* events;
};
constexpr MemoryFiles kVersion2{"memory.max", "memory.current", "inactive_file", "memory.events"};
// Without a limit, `most` is a number larger than any memory.
constexpr MemoryFiles kVersion1{"memory.limit_in_bytes", "memory.usage_in_bytes",
                                "total_inactive_file", "memory.oom_control"};

std::size_t number_after(std::ifstream file, std::string_view wanted) {
    std::string name;
    while (file >> name) {
        std::size_t number = 0;
        if (name == wanted && file >> number) return number;
        file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return 0;
}

std::optional<std::size_t> free_memory(const fs::path& group, const MemoryFiles& files) {
    const auto most = number_in<std::size_t>(group / files.most);
    if (!most) return std::nullopt;
    const std::size_t used = number_in<std::size_t>(group / files.used).value_or(0);
    const std::size_t cache = number_after(std::ifstream(group / "memory.stat"), files.cache);
    const std::size_t kept = used - std::min(used, cache);
    return *most - std::min(*most, kept);
}

constexpr const char* kKilled = "oom_kill";

std::optional<MemoryKills> kills_in(const fs::path& group, const MemoryFiles& files) {
    std::ifstream events(group / files.events);
    struct stat info {};
    if (!events || stat(group.c_str(), &info) != 0) return std::nullopt;
    return MemoryKills{
        .group = info.st_ino,
        .in_group = static_cast<std::int64_t>(number_after(std::move(events), kKilled))};
}

// The time that all threads together may run in each period.
struct Quota {
    long quota = 0;
    long period = 0;
};

std::optional<Quota> quota_in(const fs::path& group) {
    Quota found;
    if (std::ifstream file(group / "cpu.max"); file)  // version 2; "max" is no number
        return file >> found.quota >> found.period ? std::optional(found) : std::nullopt;
    const auto quota = number_in<long>(group / "cpu.cfs_quota_us");  // version 1; -1 is no limit
    const auto period = number_in<long>(group / "cpu.cfs_period_us");
    return quota && period ? std::optional(Quota{*quota, *period}) : std::nullopt;
}

std::optional<int> cores(const fs::path& group) {
    const auto [quota, period] = quota_in(group).value_or(Quota{});
    if (quota <= 0 || period <= 0) return std::nullopt;
    constexpr long kMost = std::numeric_limits<int>::max();
    return static_cast<int>(std::min(quota / period + (quota % period > 0 ? 1 : 0), kMost));
}

template <class T>
void lower(std::optional<T>& to, const std::optional<T>& limit) {
    if (limit && (!to || *limit < *to)) to = limit;
}

// The cores of the task, if it asked for a number of them.
std::optional<int> slurm_cores() {
    const char* text = std::getenv("SLURM_CPUS_PER_TASK");
    const int cores = text == nullptr ? 0 : std::atoi(text);
    return cores > 0 ? std::optional(cores) : std::nullopt;
}

std::atomic<int>& chosen_cores() {
    static std::atomic<int> cores = [] {
        std::optional<int> least = cv::getNumberOfCPUs();
        lower(least, own_cgroup_limits().cores);
        lower(least, slurm_cores());
        return std::max(1, *least);
    }();
    return cores;
}

}  // namespace

CgroupLimits cgroup_limits(const fs::path& root, std::string_view membership) {
    CgroupLimits limits;
    // Each group from the root on; a container sees its own as the root.
    const auto take = [&](fs::path group, std::string_view controller, const MemoryFiles& files) {
        lower(limits.memory_bytes, free_memory(group, files));
        lower(limits.cores, cores(group));
        for (const fs::path& name : fs::path(group_of(membership, controller))) {
            group /= name;
            lower(limits.memory_bytes, free_memory(group, files));
            lower(limits.cores, cores(group));
        }
    };
    // Where both versions are in use, version 2 is mounted below.
    std::error_code error;
    const fs::path unified = root / "unified";
    take(fs::exists(unified, error) ? unified : root, "", kVersion2);
    take(root / "memory", "memory", kVersion1);
    take(root / "cpu", "cpu", kVersion1);
    return limits;
}

CgroupLimits own_cgroup_limits() {
    return cgroup_limits(kRoot, own_membership());
}

MemoryKills memory_kills() {
    const fs::path root = kRoot;
    const std::string membership = own_membership();
    const auto on_machine =
        static_cast<std::int64_t>(number_after(std::ifstream("/proc/vmstat"), kKilled));
    std::optional<MemoryKills> kills = kills_in(root / group_of(membership, ""), kVersion2);
    if (!kills) kills = kills_in(root / "memory" / group_of(membership, "memory"), kVersion1);
    if (!kills) kills = MemoryKills{.group = 0, .in_group = on_machine};
    kills->on_machine = on_machine;
    return *kills;
}

std::size_t available_memory_bytes() {
    constexpr std::size_t kKibibyte = 1024;
    std::optional<std::size_t> least;
    if (const std::size_t left = number_after(std::ifstream("/proc/meminfo"), "MemAvailable:");
        left > 0)
        least = left * kKibibyte;
    lower(least, own_cgroup_limits().memory_bytes);
    rlimit addressable{};
    if (getrlimit(RLIMIT_AS, &addressable) == 0 && addressable.rlim_cur != RLIM_INFINITY)
        lower(least, std::optional<std::size_t>(addressable.rlim_cur));
    return least.value_or(0);
}

int usable_cores() {
    std::atomic<int>& cores = chosen_cores();
    return cores;
}

void use_cores(int count) {
    chosen_cores() = count;
    cv::setNumThreads(count);
}

}  // namespace weft
