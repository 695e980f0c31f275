#include <fmt/format.h>

#include "app/cli/list/list_tables.h"
#include "app/cli/terminal/text_table.h"
#include "app/media/libav/error.h"
#include "kernels/device/device.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

// The devices of the machine, which are probed only once.
struct Machine {
    Device cpu = cpu_device();
    GpuProbe probe = probe_gpus();
};

std::vector<Device> all_devices(const Machine& machine) {
    std::vector<Device> devices = machine.probe.devices;
    devices.push_back(machine.cpu);
    return devices;
}

std::string device_name(const Device& device) {
    return device.is_gpu() ? std::to_string(device.ordinal) : "cpu";
}

void require_device(const std::string& name, const Machine& machine) {
    std::vector<std::string> names;
    for (const Device& device : all_devices(machine)) {
        if (device_name(device) == name) return;
        names.push_back(device_name(device));
    }
    throw Error(Outcome::usage,
                fmt::format("there is no device {}; choose from {}", name, fmt::join(names, ", ")));
}

double gibibytes(std::size_t bytes) {
    return static_cast<double>(bytes) / (1024.0 * 1024.0 * 1024.0);
}

}  // namespace

std::string devices_text(const std::string& name) {
    const Machine machine;
    if (!name.empty()) require_device(name, machine);
    TextTable table({"device", "name", "memory", "multiprocessors", "compute", "driver"});
    for (const Device& device : all_devices(machine)) {
        if (!name.empty() && device_name(device) != name) continue;
        const bool gpu = device.is_gpu();
        table.add({device_name(device), device.name,
                   gpu ? fmt::format("{:.1f} GiB", gibibytes(device.memory_bytes)) : "-",
                   gpu ? std::to_string(device.multiprocessors) : "-",
                   gpu ? fmt::format("{}.{}", device.compute_major, device.compute_minor) : "-",
                   gpu ? device.driver_version : "-"});
    }
    std::string text = table.text();
    if (machine.probe.devices.empty())
        text += fmt::format("\nno GPU: {}\n", machine.probe.why_none);
    return text;
}

Json devices_json(const std::string& name) {
    const Machine machine;
    if (!name.empty()) require_device(name, machine);
    Json list = Json::array();
    for (const Device& device : all_devices(machine)) {
        if (!name.empty() && device_name(device) != name) continue;
        list.push_back({{"device", device_name(device)},
                        {"kind", device.is_gpu() ? "cuda" : "cpu"},
                        {"name", device.name},
                        {"memory_bytes", device.memory_bytes},
                        {"multiprocessors", device.multiprocessors},
                        {"compute_major", device.compute_major},
                        {"compute_minor", device.compute_minor},
                        {"driver_version", device.driver_version}});
    }
    return {{"schema", 1}, {"devices", std::move(list)}, {"why_no_gpu", machine.probe.why_none}};
}

}  // namespace weft
