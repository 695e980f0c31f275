#include "app/pipeline/known_gpus.h"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/media/libav/error.h"
#include "app/pipeline/folders.h"
#include "app/pipeline/report/json_text.h"
#include "filters/text/text_file.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json device_json(const Device& device) {
    return {{"ordinal", device.ordinal},
            {"name", device.name},
            {"multiprocessors", device.multiprocessors},
            {"compute_major", device.compute_major},
            {"compute_minor", device.compute_minor},
            {"memory_bytes", device.memory_bytes},
            {"l2_bytes", device.l2_bytes},
            {"clock_hz", device.clock_hz},
            {"memory_bytes_per_second", device.memory_bytes_per_second},
            {"driver_version", device.driver_version}};
}

template <std::integral Number>
Number count_of(const Json& json) {
    const auto number = whole_number(json, 0, std::numeric_limits<std::int64_t>::max());
    if (!number || !std::in_range<Number>(*number))
        throw std::out_of_range("not a count: " + json.dump());
    return static_cast<Number>(*number);
}

Device device_of(const Json& json) {
    return {.ordinal = count_of<int>(json.at("ordinal")),
            .name = json.at("name").get<std::string>(),
            .multiprocessors = count_of<int>(json.at("multiprocessors")),
            .compute_major = count_of<int>(json.at("compute_major")),
            .compute_minor = count_of<int>(json.at("compute_minor")),
            .memory_bytes = count_of<std::size_t>(json.at("memory_bytes")),
            .l2_bytes = count_of<std::size_t>(json.at("l2_bytes")),
            .clock_hz = count_of<std::size_t>(json.at("clock_hz")),
            .memory_bytes_per_second = count_of<std::size_t>(json.at("memory_bytes_per_second")),
            .driver_version = json.at("driver_version").get<std::string>()};
}

// Empty unless the file was written for this machine.
std::vector<Device> remembered(const fs::path& file, const std::string& machine) {
    std::vector<Device> devices;
    std::error_code error;
    if (!fs::exists(file, error)) return devices;
    try {
        const Json page = Json::parse(read_text_file(file));
        if (page.at("machine") != machine) return devices;
        for (const Json& device : page.at("devices")) devices.push_back(device_of(device));
    } catch (const std::exception&) {
        devices.clear();  // incomplete, or from another version: probe again
    }
    return devices;
}

void remember(const fs::path& file, const std::string& machine,
              const std::vector<Device>& devices) {
    Json page = {{"machine", machine}, {"devices", Json::array()}};
    for (const Device& device : devices) page["devices"].push_back(device_json(device));
    try {
        write_file(file, json_page(page));
    } catch (const Error&) {  // a read-only home: the next start takes longer
    }
}

// The first line of a kernel file.
std::string system_line(const char* path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

std::string device_nodes() {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry("/dev", error), end; entry != end; entry.increment(error))
        if (const std::string name = entry->path().filename().string(); name.starts_with("nvidia"))
            names.push_back(name);
    std::ranges::sort(names);
    return fmt::format("{}", fmt::join(names, " "));
}

std::string program_text() {
    struct stat info {};
    if (stat("/proc/self/exe", &info) != 0) return "";
    return fmt::format("{}:{}, {} bytes of {}.{:09}", info.st_dev, info.st_ino, info.st_size,
                       info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

std::string environment_text() {
    std::string text;
    for (const char* name : {"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "LD_LIBRARY_PATH"})
        if (const char* value = std::getenv(name); value != nullptr)
            text += fmt::format("{}={}\n", name, value);
    return text;
}

// A home may be shared by machines with and without a GPU.
std::string host_name() {
    utsname names{};
    return uname(&names) == 0 ? static_cast<const char*>(names.nodename) : "";
}

GpuProbe gpus_of_cache(const GpuSources& sources) {
    const fs::path folder = cache_folder();
    return known_gpus(folder.empty() ? folder : folder / "gpus.json", machine_text(), sources);
}

}  // namespace

GpuProbe known_gpus(const fs::path& file, const std::string& machine, const GpuSources& sources) {
    const bool remembers = !file.empty() && !machine.empty();
    if (std::vector<Device> devices = remembers ? remembered(file, machine) : std::vector<Device>{};
        !devices.empty()) {
        if (sources.still_there(devices)) return {std::move(devices), ""};
        std::error_code error;
        fs::remove(file, error);
        return {{},
                fmt::format("the NVIDIA driver does not report {} as it did before",
                            devices.front().name)};
    }
    GpuProbe probe = sources.probe();
    if (remembers && !probe.devices.empty()) remember(file, machine, probe.devices);
    return probe;
}

std::string machine_text() {
    const std::string boot = system_line("/proc/sys/kernel/random/boot_id");
    const std::string program = program_text();
    if (boot.empty() || program.empty()) return "";
    return fmt::format("{}\n{}\n{}\n{}\n{}", boot, system_line("/proc/driver/nvidia/version"),
                       device_nodes(), program, environment_text());
}

GpuProbe known_gpus() {
    static const GpuProbe probe = gpus_of_cache({});
    return probe;
}

GpuProbe remembered_gpus() {
    return gpus_of_cache({.still_there = [](const std::vector<Device>&) { return true; }});
}

bool remember_reason(const fs::path& file, const std::string& reason) {
    try {
        std::error_code error;
        if (fs::exists(file, error) && read_text_file(file) == reason + "\n") return false;
        write_file(file, reason + "\n");
    } catch (const std::runtime_error&) {  // a read-only home: the user sees the note again
    }
    return true;
}

bool remember_reason(const std::string& reason) {
    const fs::path folder = cache_folder();
    if (folder.empty() || !device_nodes().empty()) return true;
    return remember_reason(folder / fmt::format("no-gpu-{}.txt", host_name()), reason);
}

}  // namespace weft
