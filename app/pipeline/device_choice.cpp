#include "app/pipeline/device_choice.h"

#include <algorithm>
#include <exception>

#include <fmt/format.h>

#include "app/media/libav/error.h"
#include "app/pipeline/known_gpus.h"
#include "filters/text/number_text.h"
#include "kernels/device/cuda_error.h"
#include "kernels/device/image_buffer.h"
#include "kernels/device/stream.h"

namespace weft {
namespace {

constexpr int kOutOfMemory = 2;  // cudaErrorMemoryAllocation

std::vector<int> parse_ordinals(std::string_view text) {
    std::vector<int> ordinals;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        const auto ordinal = parse_whole_number<int>(text.substr(begin, comma - begin));
        if (!ordinal)
            throw Error(
                Outcome::usage,
                fmt::format(
                    "--gpu {}: expected auto, require, off, all, or GPU numbers such as 0 or 0,1",
                    text));
        if (std::ranges::find(ordinals, *ordinal) != ordinals.end())
            throw Error(Outcome::usage,
                        fmt::format("--gpu {}: GPU {} is listed twice", text, *ordinal));
        ordinals.push_back(*ordinal);
        begin = comma + 1;
    }
    return ordinals;
}

Device usable_gpu(const GpuProbe& probe, int ordinal) {
    for (const Device& device : probe.devices)
        if (device.ordinal == ordinal) return device;
    if (probe.devices.empty())
        throw Error(Outcome::no_gpu,
                    fmt::format("GPU {} is not usable: {}", ordinal, probe.why_none));
    std::vector<std::string> usable;
    usable.reserve(probe.devices.size());
    for (const Device& device : probe.devices)
        usable.push_back(fmt::format("{} ({})", device.ordinal, device.name));
    throw Error(Outcome::no_gpu,
                fmt::format("GPU {} does not exist or is not usable; usable GPUs are {}", ordinal,
                            fmt::join(usable, ", ")));
}

DeviceChoice chosen_ordinals(const GpuProbe& probe, const std::vector<int>& ordinals) {
    DeviceChoice choice;
    for (const int ordinal : ordinals) choice.devices.push_back(usable_gpu(probe, ordinal));
    return choice;
}

}  // namespace

GpuRequest parse_gpu_request(std::string_view text) {
    if (text == "auto") return {GpuMode::automatic};
    if (text == "require") return {GpuMode::require};
    if (text == "off") return {GpuMode::off};
    if (text == "all") return {GpuMode::all};
    return {GpuMode::ordinals, parse_ordinals(text)};
}

GpuRequest parse_one_gpu_request(std::string_view text) {
    GpuRequest request = parse_gpu_request(text);
    if (request.mode == GpuMode::all || request.ordinals.size() > 1)
        throw Error(Outcome::usage,
                    fmt::format("--gpu {}: only weft batch takes several GPUs", text));
    return request;
}

DeviceChoice choose_devices(const GpuRequest& request) {
    if (request.mode == GpuMode::off) return {{cpu_device()}, ""};
    return choose_devices(request, known_gpus());
}

DeviceChoice choose_devices(const GpuRequest& request, const GpuProbe& probe) {
    if (request.mode == GpuMode::off) return {{cpu_device()}, ""};
    if (request.mode == GpuMode::ordinals) return chosen_ordinals(probe, request.ordinals);
    if (probe.devices.empty()) {
        if (request.mode == GpuMode::automatic) return {{cpu_device()}, probe.why_none};
        throw Error(Outcome::no_gpu,
                    fmt::format("--gpu {}: {}", request.mode == GpuMode::all ? "all" : "require",
                                probe.why_none));
    }
    if (request.mode == GpuMode::all) return {probe.devices, ""};
    return {{probe.devices.front()}, ""};
}

void start_devices(std::span<const Device> devices) noexcept {
    for (const Device& device : devices) {
        try {
            use_device(device);
        } catch (const std::exception&) {
            continue;
        }
    }
}

bool device_answers(const Device& device) noexcept {
    if (!device.is_gpu()) return true;
    try {
        use_device(device);
        Stream().synchronize();  // no stream can be created in a context that has ended
        return true;
    } catch (const CudaError& error) {
        return error.code() == kOutOfMemory;  // creating a stream: its memory is full, but it works
    } catch (const std::exception&) {
        return false;
    }
}

}  // namespace weft
