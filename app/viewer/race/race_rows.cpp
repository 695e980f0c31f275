#include "app/viewer/race/race_rows.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/media/output/atomic_output.h"
#include "app/pipeline/race/race_report.h"
#include "app/pipeline/report/json_text.h"
#include "filters/text/number_text.h"

namespace weft {
namespace {

RaceRow row_of(const RaceSnapshot& snapshot, std::size_t index) {
    const StepResult& step = snapshot.step;
    const KernelResult& kernel = step.kernels[index];
    RaceRow row{.index = index,
                .median_seconds = kernel.seconds.median_seconds(),
                .p5_seconds = kernel.seconds.quantile_seconds(0.05),
                .p95_seconds = kernel.seconds.p95_seconds(),
                .gigabytes_per_second = gigabytes_per_second(step, kernel.seconds),
                .bound = bound_of(step, kernel),
                .fraction_of_peak = fraction_of_peak(step, kernel),
                .speed_up = speed_up(step, kernel)};
    row.races = kernel.why_not.empty() && takes_part(snapshot.settings, step, kernel);
    row.baseline = kernel.kernel == step.baseline;
    const auto baseline = std::ranges::find(step.kernels, step.baseline, &KernelResult::kernel);
    row.ties_with_baseline = !row.baseline && baseline != step.kernels.end() &&
                             is_tie(kernel.seconds, baseline->seconds);
    row.wrong = is_wrong(kernel);
    return row;
}

void mark_fastest(const RaceSnapshot& snapshot, std::vector<RaceRow>& rows) {
    const RaceRow* best = nullptr;
    for (const RaceRow& row : rows)
        if (row.races && row.measured() && !row.wrong &&
            (best == nullptr || row.median_seconds < best->median_seconds))
            best = &row;
    if (best == nullptr) return;
    const Samples& seconds = snapshot.step.kernels[best->index].seconds;
    for (RaceRow& row : rows)
        row.fastest =
            row.races && !row.wrong && is_tie(snapshot.step.kernels[row.index].seconds, seconds);
}

double value_of(const RaceRow& row, const KernelResult& kernel, RaceColumn column) {
    switch (column) {
        case RaceColumn::kernel:
            return static_cast<double>(row.index);
        case RaceColumn::median:
            return row.median_seconds;
        case RaceColumn::spread:
            return row.measured() ? row.p95_seconds / row.p5_seconds : 0;
        case RaceColumn::change:
            return row.change.ratio;
        case RaceColumn::bound:
            return row.bound.fraction;
        case RaceColumn::peak:
            return row.fraction_of_peak;
        case RaceColumn::rate:
            return row.gigabytes_per_second;
        case RaceColumn::speed_up:
            return row.speed_up;
        case RaceColumn::error:
            return kernel.error.largest;
        case RaceColumn::differing:
            return kernel.error.differing_fraction();
    }
    return 0;
}

int group_of(const RaceRow& row, const KernelResult& kernel) {
    if (!kernel.why_not.empty()) return 2;
    return row.races && row.measured() ? 0 : 1;
}

// Nearest-rank quantile; reorders `values`.
double quantile(std::vector<double>& values, double fraction) {
    const auto size = static_cast<double>(values.size());
    const auto rank = std::clamp(std::ceil(fraction * size), 1.0, size);
    const auto nth = values.begin() + static_cast<std::ptrdiff_t>(rank) - 1;
    std::nth_element(values.begin(), nth, values.end());
    return *nth;
}

}  // namespace

RaceChange change_since(const RaceSnapshot& recorded, const KernelResult& kernel) {
    const auto found =
        std::ranges::find(recorded.step.kernels, kernel.kernel, &KernelResult::kernel);
    if (found == recorded.step.kernels.end() || found->seconds.count() == 0) return {};
    RaceChange change{.recorded_seconds = found->seconds.median_seconds()};
    if (kernel.seconds.count() == 0) return change;
    change.ratio = kernel.seconds.median_seconds() / change.recorded_seconds;
    change.tie = is_tie(kernel.seconds, found->seconds);
    return change;
}

std::string change_text(const RaceChange& change) {
    constexpr double kFew = 10;  // larger changes are counted in times
    if (change.ratio <= 0) return "-";
    if (change.ratio >= kFew) return fmt::format("{:.0f}×", change.ratio);
    if (change.ratio <= 1 / kFew) return fmt::format("1/{:.0f}×", 1 / change.ratio);
    const double percent = std::round(100 * (change.ratio - 1));
    return percent == 0 ? "0 %" : with_minus(fmt::format("{:+.0f} %", percent));
}

std::vector<RaceRow> race_rows(const RaceSnapshot& snapshot, RaceOrder order,
                               const RaceSnapshot* recorded) {
    const std::vector<KernelResult>& kernels = snapshot.step.kernels;
    std::vector<RaceRow> rows;
    for (std::size_t k = 0; k < kernels.size(); ++k) rows.push_back(row_of(snapshot, k));
    if (recorded != nullptr)
        for (RaceRow& row : rows) row.change = change_since(*recorded, kernels[row.index]);
    mark_fastest(snapshot, rows);
    std::ranges::stable_sort(rows, [&](const RaceRow& a, const RaceRow& b) {
        const int of_a = group_of(a, kernels[a.index]);
        const int of_b = group_of(b, kernels[b.index]);
        if (of_a != of_b || of_a > 0) return of_a < of_b;
        const double x = value_of(a, kernels[a.index], order.column);
        const double y = value_of(b, kernels[b.index], order.column);
        return order.descending ? x > y : x < y;
    });
    return rows;
}

LogAxis samples_axis(const RaceSnapshot& snapshot, std::span<const RaceRow> rows,
                     const RaceSnapshot* other) {
    constexpr double kSpan = 4;
    double least = 0;
    double most = 0;
    const auto take = [&](double first, double last) {
        if (first <= 0) return;
        least = least > 0 ? std::min(least, first) : first;
        most = std::max(most, last);
    };
    const auto take_samples = [&](const Samples& samples) {
        take(samples.quantile_seconds(0), samples.quantile_seconds(0.99));
    };
    const auto take_limits = [&](const StepResult& step) {
        take_samples(step.empty);
        take_samples(step.copy);
    };
    take_limits(snapshot.step);
    if (other != nullptr) {
        take_limits(other->step);
        for (const KernelResult& kernel : other->step.kernels) take_samples(kernel.seconds);
    }
    for (const RaceRow& row : rows) {
        if (!row.races) continue;
        take_samples(snapshot.step.kernels[row.index].seconds);
        take(row.change.recorded_seconds, row.change.recorded_seconds);
    }
    return least > 0 ? axis_around(least, most, kSpan) : LogAxis{};
}

RunningBand running_band(std::span<const double> samples, std::size_t window) {
    RunningBand band;
    std::vector<double> recent;
    for (std::size_t end = 1; end <= samples.size(); ++end) {
        const std::size_t begin = end - std::min(end, window);
        recent.assign(samples.begin() + static_cast<std::ptrdiff_t>(begin),
                      samples.begin() + static_cast<std::ptrdiff_t>(end));
        band.median.push_back(quantile(recent, 0.5));
        band.p95.push_back(quantile(recent, 0.95));
    }
    return band;
}

namespace {

using Json = nlohmann::ordered_json;

// The step without the kernels that were not selected.
StepResult raced_step(const RaceSnapshot& snapshot) {
    StepResult step = snapshot.step;
    std::erase_if(step.kernels, [&](const KernelResult& kernel) {
        return !takes_part(snapshot.settings, snapshot.step, kernel);
    });
    return step;
}

std::string_view caches_text(CacheState caches) {
    return caches == CacheState::cold ? "cold" : "warm";
}

std::string csv_field(const Json& value) {
    if (value.is_null()) return "";
    if (!value.is_string()) return value.dump();
    std::string text = value.get<std::string>();
    if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
    for (std::size_t at = text.find('"'); at != std::string::npos; at = text.find('"', at + 2))
        text.insert(at, 1, '"');
    return "\"" + text + "\"";
}

bool ends_with_csv(const std::string& path) {
    return path.ends_with(".csv") || path.ends_with(".CSV");
}

}  // namespace

Json race_csv_rows(const RaceSnapshot& snapshot, const RaceOrigin& origin) {
    Json rows = Json::array();
    const StepResult step = raced_step(snapshot);
    for (const KernelResult& kernel : step.kernels) {
        Json row = race_kernel_json(step, kernel);
        row["step"] = snapshot.settings.step;
        row["filter"] = step.filter;
        row["reference"] = step.reference;
        row["baseline"] = step.baseline;
        row["caches"] = caches_text(snapshot.settings.caches);
        row["device"] = snapshot.device.name;
        row["input"] = origin.input;
        row["stack"] = origin.stack;
        rows.push_back(std::move(row));
    }
    return rows;
}

std::string csv_text(const Json& rows) {
    std::string text;
    if (rows.empty()) return text;
    const auto add_line = [&](const auto& field_of) {
        std::string line;
        for (const auto& item : rows.front().items()) {
            if (!line.empty()) line += ',';
            line += field_of(item.key());
        }
        text += line + "\r\n";
    };
    add_line([](const std::string& name) { return name; });
    for (const Json& row : rows)
        add_line([&](const std::string& name) { return csv_field(row[name]); });
    return text;
}

std::string race_csv(const RaceSnapshot& snapshot, const RaceOrigin& origin) {
    return csv_text(race_csv_rows(snapshot, origin));
}

std::string race_json(const RaceSnapshot& snapshot, const RaceOrigin& origin) {
    const bool gpu = snapshot.device.is_gpu();
    Json json = {{"schema", 1},
                 {"weft", origin.program},
                 {"device",
                  {{"name", snapshot.device.name},
                   {"kind", gpu ? "cuda" : "cpu"},
                   {"multiprocessors", snapshot.device.multiprocessors}}},
                 {"input", origin.input},
                 {"stack", origin.stack},
                 {"frames", snapshot.frames},
                 {"clock", gpu ? "gpu_events" : "steady_clock"},
                 {"caches", caches_text(snapshot.settings.caches)},
                 {"steps", Json::array()}};
    json["steps"].push_back(race_step_json(snapshot.settings.step, raced_step(snapshot)));
    return json_page(json);
}

void write_race(const std::string& path, const RaceSnapshot& snapshot, const RaceOrigin& origin,
                Overwrite overwrite) {
    AtomicOutput file(path, {.overwrite = overwrite});
    file.write(ends_with_csv(path) ? race_csv(snapshot, origin) : race_json(snapshot, origin));
    file.commit();
}

}  // namespace weft
