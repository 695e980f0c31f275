#include "app/pipeline/device_choice.h"

#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "app/media/error.h"

namespace weft {
namespace {

const Device* find_ordinal(const GpuProbe& probe, int ordinal) {
    for (const Device& device : probe.devices)
        if (device.ordinal == ordinal) return &device;
    return nullptr;
}

DeviceChoice chosen_ordinal(const GpuProbe& probe, int ordinal) {
    if (const Device* device = find_ordinal(probe, ordinal)) return {*device, ""};
    if (probe.devices.empty())
        throw Error(ExitCode::no_gpu,
                    fmt::format("GPU {} is not usable: {}", ordinal, probe.why_none));
    std::vector<std::string> usable;
    usable.reserve(probe.devices.size());
    for (const Device& device : probe.devices)
        usable.push_back(fmt::format("{} ({})", device.ordinal, device.name));
    throw Error(ExitCode::no_gpu, fmt::format("there is no usable GPU {}; usable: {}", ordinal,
                                              fmt::join(usable, ", ")));
}

}  // namespace

GpuRequest parse_gpu_request(std::string_view text) {
    if (text == "auto") return {GpuMode::automatic};
    if (text == "require") return {GpuMode::require};
    if (text == "off") return {GpuMode::off};
    GpuRequest request{GpuMode::ordinal};
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, request.ordinal);
    if (error != std::errc{} || stopped != end || request.ordinal < 0)
        throw Error(ExitCode::usage,
                    fmt::format("--gpu {}: expected auto, require, off or a GPU's number", text));
    return request;
}

DeviceChoice choose_device(const GpuRequest& request) {
    if (request.mode == GpuMode::off) return {cpu_device(), ""};
    return choose_device(request, probe_gpus());
}

DeviceChoice choose_device(const GpuRequest& request, const GpuProbe& probe) {
    switch (request.mode) {
        case GpuMode::off:
            return {cpu_device(), ""};
        case GpuMode::ordinal:
            return chosen_ordinal(probe, request.ordinal);
        case GpuMode::automatic:
        case GpuMode::require:
            break;
    }
    if (!probe.devices.empty()) return {probe.devices.front(), ""};
    if (request.mode == GpuMode::require)
        throw Error(ExitCode::no_gpu, fmt::format("--gpu require: {}", probe.why_none));
    return {cpu_device(), probe.why_none};
}

}  // namespace weft
