#include "app/viewer/race/race_record.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "app/pipeline/report/json_object.h"
#include "filters/text/printable.h"
#include "filters/text/text_file.h"
#include "kernels/conv_kernel.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;
constexpr std::size_t kMostSteps = 64;
constexpr std::size_t kMostKernels = 256;
constexpr std::int64_t kMostCores = 1 << 20;
constexpr double kMostSeconds = 1e6;
constexpr double kMostRate = 1e24;  // per second

const Json& list_of(JsonObject& object, const std::string& key, std::size_t most) {
    const Json& list = object.at(key);
    if (!list.is_array()) throw JsonError(fmt::format("\"{}\" is not a list", key));
    if (list.size() > most)
        throw JsonError(fmt::format("\"{}\" has more than {} entries", key, most));
    return list;
}

std::string text_of(JsonObject& object, const std::string& key) {
    return printable_line(object.text(key));
}

std::string text_if_known(JsonObject& object, const std::string& key) {
    return object.has(key) ? text_of(object, key) : "";
}

// 0 for null, which stands for an unknown number.
double amount(JsonObject& object, const std::string& key, double most) {
    if (object.at(key).is_null()) return 0;
    const double value = object.number(key);
    if (value >= 0 && value <= most) return value;
    throw JsonError(fmt::format("\"{}\" is not between 0 and {:g}", key, most));
}

Samples samples_of(JsonObject& object) {
    const std::int64_t count = object.count("samples");
    const auto seconds = [&](const char* key) {
        return amount(object, key, 1e3 * kMostSeconds) / 1e3;
    };
    const double p5 = seconds("p5_ms"), median = seconds("median_ms"), p95 = seconds("p95_ms");
    if (count == 0) return {};
    if (p5 > 0 && p5 <= median && median <= p95) return Samples::summary(count, p5, median, p95);
    throw JsonError("\"median_ms\" is not between \"p5_ms\" and \"p95_ms\"");
}

Samples limit_of(JsonObject& step, const std::string& key) {
    JsonObject limit(step.at(key), key);
    return samples_of(limit);
}

KernelResult kernel_of(const Json& json) {
    JsonObject object(json, "kernels");
    KernelResult kernel;
    kernel.kernel = text_of(object, "kernel");
    kernel.planned = object.yes("planned");
    kernel.why_not = text_of(object, "why_not");
    kernel.seconds = samples_of(object);
    constexpr double kMostError = std::numeric_limits<double>::max();
    kernel.error.largest = amount(object, "max_error", kMostError);
    kernel.error.pixels = object.count("pixels");
    kernel.error.differing = object.whole("pixels_differing", 0, kernel.error.pixels);
    kernel.allowed_difference = std::numeric_limits<double>::infinity();
    kernel.operations = amount(object, "operations", kMostRate);
    if (const ConvKernel* known = find_kernel(kernel.kernel)) kernel.arithmetic = known->arithmetic;
    return kernel;
}

DevicePeak peak_of(const Json& json) {
    JsonObject object(json, "peak");
    return {.bytes = amount(object, "bytes_per_second", kMostRate),
            .operations = amount(object, "operations_per_second", kMostRate),
            .half_operations = amount(object, "half_operations_per_second", kMostRate)};
}

Device device_of(const Json& json) {
    JsonObject object(json, "device");
    Device device;
    device.name = text_of(object, "name");
    const std::string kind = object.text("kind");
    if (kind != "cuda" && kind != "cpu") throw JsonError("\"device.kind\" is not a known one");
    device.ordinal = kind == "cuda" ? 0 : -1;
    if (object.has("multiprocessors"))
        device.multiprocessors = object.whole<int>("multiprocessors", 0, kMostCores);
    return device;
}

CacheState caches_of(JsonObject& page) {
    const std::string text = page.has("caches") ? page.text("caches") : "warm";
    if (text != "warm" && text != "cold") throw JsonError("\"caches\" are neither warm nor cold");
    return text == "cold" ? CacheState::cold : CacheState::warm;
}

// A step without kernels was not raced.
std::optional<RaceSnapshot> step_of(const Json& json, const Device& device) {
    JsonObject object(json, "steps");
    RaceSnapshot race;
    race.device = race.step.device = device;
    race.settings.enabled = true;
    race.settings.step = object.whole<std::size_t>("step", 0, kMaxTextFile);
    StepResult& step = race.step;
    step.filter = text_of(object, "filter");
    step.text = text_if_known(object, "text");
    if (object.has("problems"))
        for (const Json& problem : list_of(object, "problems", kMostSteps)) {
            if (!problem.is_string()) throw JsonError("\"problems\" has other things than texts");
            step.problems.push_back(printable_line(problem.get_ref<const std::string&>()));
        }
    step.reference = text_of(object, "reference");
    step.baseline = text_of(object, "baseline");
    race.settings.baseline = step.baseline;
    for (const Json& kernel : list_of(object, "kernels", kMostKernels))
        step.kernels.push_back(kernel_of(kernel));
    if (step.kernels.empty()) return std::nullopt;
    step.bytes = amount(object, "bytes", kMostRate);
    step.empty = limit_of(object, "empty_launch");
    step.copy = limit_of(object, "copy");
    step.peak = peak_of(object.at("peak"));
    return race;
}

// The clause of the parser has a place in bytes, and parts of the text.
Json parsed(std::string_view text) {
    try {
        return Json::parse(text);
    } catch (const Json::exception&) {
        throw JsonError("not valid JSON");
    }
}

const char* name_of(CacheState caches) {
    return caches == CacheState::cold ? "cold" : "warm";
}

}  // namespace

RaceRecord parse_race_record(std::string_view text) {
    const Json json = parsed(text);
    JsonObject page(json, "");
    const std::int64_t schema = page.count("schema");
    if (schema != kSchema)
        throw JsonError(
            fmt::format("it has version {} of the format instead of {}", schema, kSchema));
    RaceRecord record;
    record.origin = {.program = text_of(page, "weft"),
                     .input = text_of(page, "input"),
                     .stack = text_of(page, "stack")};
    const Device device = device_of(page.at("device"));
    const CacheState caches = caches_of(page);
    for (const Json& step : list_of(page, "steps", kMostSteps))
        if (std::optional<RaceSnapshot> race = step_of(step, device)) {
            race->settings.caches = caches;
            record.steps.push_back(std::move(*race));
        }
    if (record.steps.empty()) throw JsonError("no kernels were raced in it");
    return record;
}

RaceRecord read_race_record(const std::filesystem::path& file) {
    const std::string text = read_text_file(file);
    try {
        return parse_race_record(text);
    } catch (const JsonError& error) {
        throw std::runtime_error(fmt::format("{}: this is not the record of a race: {}",
                                             printable_line(file.string()), error.what()));
    }
}

bool is_same_work(const RaceSnapshot& a, const RaceSnapshot& b) {
    const auto alike = [](const std::string& x, const std::string& y) {
        return printable_line(x) == printable_line(y);
    };
    return a.settings.caches == b.settings.caches && !a.step.text.empty() &&
           alike(a.step.text, b.step.text) &&
           std::ranges::equal(a.step.problems, b.step.problems, alike);
}

bool is_same_race(const RaceSnapshot& a, const RaceSnapshot& b) {
    return is_same_work(a, b) && a.device.is_gpu() == b.device.is_gpu() &&
           printable_line(a.device.name) == printable_line(b.device.name) &&
           a.device.multiprocessors == b.device.multiprocessors;
}

const RaceSnapshot& step_next_to(const RaceSnapshot& race, const RaceRecord& record) {
    const auto same = std::ranges::find_if(
        record.steps, [&](const RaceSnapshot& step) { return is_same_work(race, step); });
    if (same != record.steps.end()) return *same;
    const auto alike = std::ranges::find_if(record.steps, [&](const RaceSnapshot& step) {
        return step.step.filter == race.step.filter;
    });
    return alike != record.steps.end() ? *alike : record.steps.front();
}

std::string work_of(const RaceSnapshot& step, const RaceOrigin& origin) {
    std::string text = step.step.text.empty() ? step.step.filter : step.step.text;
    if (!step.step.problems.empty()) text += ", " + step.step.problems.front();
    return text +
           fmt::format(", {} caches, weft {}", name_of(step.settings.caches), origin.program);
}

}  // namespace weft
