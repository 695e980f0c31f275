#include "kernels/device/cgroup.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <system_error>

#include <opencv2/core/utility.hpp>

namespace weft {
namespace {

namespace fs = std::filesystem;

// "0::/user.slice/job.scope": the only line of version 2. Paths above the root of a namespace begin
// with "/..": they are not mounted.
std::string_view group_of(std::string_view membership) {
    constexpr std::string_view kVersion2 = "0::/";
    for (std::size_t at = 0; at < membership.size();) {
        const std::size_t end = std::min(membership.find('\n', at), membership.size());
        const std::string_view line = membership.substr(at, end - at);
        if (line.starts_with(kVersion2))
            return line.find("/..") == std::string_view::npos ? line.substr(kVersion2.size()) : "";
        at = end + 1;
    }
    return "";
}

template <class Number>
std::optional<Number> number_in(const fs::path& path) {
    std::ifstream file(path);
    Number value{};
    return file >> value ? std::optional(value) : std::nullopt;  // "max" is no limit
}

std::size_t droppable_cache(const fs::path& group) {
    std::ifstream file(group / "memory.stat");
    std::string name;
    for (std::size_t bytes = 0; file >> name >> bytes;)
        if (name == "inactive_file") return bytes;
    return 0;
}

std::optional<std::size_t> free_memory(const fs::path& group) {
    const auto most = number_in<std::size_t>(group / "memory.max");
    if (!most) return std::nullopt;
    const std::size_t used = number_in<std::size_t>(group / "memory.current").value_or(0);
    const std::size_t kept = used - std::min(used, droppable_cache(group));
    return *most - std::min(*most, kept);
}

std::optional<int> cores(const fs::path& group) {
    std::ifstream file(group / "cpu.max");
    long quota = 0;
    long period = 0;
    if (!(file >> quota >> period) || quota <= 0 || period <= 0) return std::nullopt;
    constexpr long kMost = std::numeric_limits<int>::max();
    return static_cast<int>(std::min(quota / period + (quota % period > 0 ? 1 : 0), kMost));
}

template <class T>
void lower(std::optional<T>& to, const std::optional<T>& limit) {
    if (limit && (!to || *limit < *to)) to = limit;
}

}  // namespace

CgroupLimits cgroup_limits(const fs::path& root, std::string_view membership) {
    CgroupLimits limits;
    fs::path group = root;
    const auto take = [&] {
        lower(limits.cores, cores(group));
        lower(limits.memory_bytes, free_memory(group));
    };
    take();
    for (const fs::path& name : fs::path(group_of(membership))) {
        group /= name;
        take();
    }
    return limits;
}

// Where both versions are in use, version 2 is mounted below.
CgroupLimits own_cgroup_limits() {
    const fs::path root = "/sys/fs/cgroup";
    std::ifstream file("/proc/self/cgroup");
    const std::string membership{std::istreambuf_iterator<char>(file), {}};
    std::error_code error;
    const bool alone = fs::exists(root / "cgroup.controllers", error);
    return cgroup_limits(alone ? root : root / "unified", membership);
}

int usable_cores() {
    static const int cores = std::max(
        1,
        std::min(cv::getNumberOfCPUs(), own_cgroup_limits().cores.value_or(cv::getNumberOfCPUs())));
    return cores;
}

}  // namespace weft
