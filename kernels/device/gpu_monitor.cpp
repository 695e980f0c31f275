#include "kernels/device/gpu_monitor.h"

#include <array>
#include <exception>

#include "kernels/device/loaded_library.h"

namespace weft {

namespace {

// NVML's own types and values, so that a toolkit without it can build this.
using Handle = void*;
using Status = int;
constexpr Status kSuccess = 0;
constexpr int kClockOfMultiprocessors = 1;
constexpr int kClockOfMemory = 2;
constexpr int kTemperatureOfGpu = 0;

struct Memory {
    unsigned long long total, free, used;
};

using ReadNumber = Status (*)(Handle, unsigned*);
using ReadKind = Status (*)(Handle, int kind, unsigned*);

// The functions in use, by their exported names.
struct Functions {
    LoadedLibrary library{"libnvidia-ml.so.1", "libnvidia-ml.so"};
    Status (*init)() = library.find<decltype(init)>("nvmlInit_v2");
    const char* (*text)(Status) = library.find<decltype(text)>("nvmlErrorString");
    Status (*by_bus)(const char*,
                     Handle*) = library.find<decltype(by_bus)>("nvmlDeviceGetHandleByPciBusId_v2");
    ReadKind clock = library.find<ReadKind>("nvmlDeviceGetClockInfo");
    ReadKind most_clock = library.find<ReadKind>("nvmlDeviceGetMaxClockInfo");
    ReadKind temperature = library.find<ReadKind>("nvmlDeviceGetTemperature");
    ReadNumber power = library.find<ReadNumber>("nvmlDeviceGetPowerUsage");
    ReadNumber power_limit = library.find<ReadNumber>("nvmlDeviceGetEnforcedPowerLimit");
    Status (*memory)(Handle, Memory*) = library.find<decltype(memory)>("nvmlDeviceGetMemoryInfo");
    Status (*slowed)(Handle, unsigned long long*) =
        library.find<decltype(slowed)>("nvmlDeviceGetCurrentClocksThrottleReasons");

    bool complete() const { return init != nullptr && text != nullptr && by_bus != nullptr; }
};

const Functions& nvml() {
    static const Functions functions;
    return functions;
}

// NVML is started once per process and never shut down: the driver keeps no state for it.
Status started() {
    static const Status status = nvml().init();
    return status;
}

std::string why_no_nvml() {
    if (!nvml().complete())
        return "the GPU's clock and temperature need NVML (libnvidia-ml.so.1), which was not found";
    if (started() != kSuccess)
        return std::string("NVML cannot read the GPU: ") + nvml().text(started());
    return "";
}

std::optional<unsigned> read_kind(ReadKind read, Handle gpu, int kind) {
    unsigned value = 0;
    if (read == nullptr || read(gpu, kind, &value) != kSuccess) return std::nullopt;
    return value;
}

std::optional<double> read_watts(ReadNumber read, Handle gpu) {
    unsigned milliwatts = 0;
    if (read == nullptr || read(gpu, &milliwatts) != kSuccess) return std::nullopt;
    return milliwatts * 1e-3;
}

struct Slowdown {
    unsigned long long bit;
    std::string_view words;
};

// An idle GPU and requested clocks are no reasons.
constexpr std::array<Slowdown, 6> kSlowdowns = {{{0x4, "power limit"},
                                                 {0x8, "hardware slowdown"},
                                                 {0x10, "sync boost"},
                                                 {0x20, "temperature"},
                                                 {0x40, "temperature, by hardware"},
                                                 {0x80, "power brake"}}};

std::vector<std::string_view> read_slowdowns(Handle gpu) {
    unsigned long long bits = 0;
    std::vector<std::string_view> reasons;
    if (nvml().slowed == nullptr || nvml().slowed(gpu, &bits) != kSuccess) return reasons;
    for (const Slowdown& slowdown : kSlowdowns)
        if ((bits & slowdown.bit) != 0) reasons.push_back(slowdown.words);
    return reasons;
}

}  // namespace

GpuMonitor::GpuMonitor(const Device& device) {
    if (!device.is_gpu()) {
        why_not_ = "the CPU's clock and temperature are not read";
        return;
    }
    why_not_ = why_no_nvml();
    if (!why_not_.empty()) return;
    try {
        const Status status = nvml().by_bus(pci_bus_id(device).c_str(), &handle_);
        if (status != kSuccess)
            why_not_ = std::string("NVML does not know this GPU: ") + nvml().text(status);
    } catch (const std::exception& error) {
        why_not_ = error.what();
    }
}

GpuReading GpuMonitor::read() const {
    GpuReading reading;
    if (!why_not_.empty()) return reading;
    reading.clock_mhz = read_kind(nvml().clock, handle_, kClockOfMultiprocessors);
    reading.most_clock_mhz = read_kind(nvml().most_clock, handle_, kClockOfMultiprocessors);
    reading.memory_clock_mhz = read_kind(nvml().clock, handle_, kClockOfMemory);
    reading.temperature_celsius = read_kind(nvml().temperature, handle_, kTemperatureOfGpu);
    reading.power_watts = read_watts(nvml().power, handle_);
    reading.power_limit_watts = read_watts(nvml().power_limit, handle_);
    Memory memory{};
    if (nvml().memory != nullptr && nvml().memory(handle_, &memory) == kSuccess) {
        reading.memory_used_bytes = memory.used;
        reading.memory_bytes = memory.total;
    }
    reading.slowed_by = read_slowdowns(handle_);
    return reading;
}

}  // namespace weft
