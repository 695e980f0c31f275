#include "app/pipeline/result_text.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace weft {
namespace {

// "2 audio copied, 1 subtitle converted"; the filtered video is not counted.
std::string streams_text(const FileResult& result) {
    std::vector<std::string> parts;
    for (const char* kind : {"video", "audio", "subtitle", "attachment", "data"}) {
        for (const char* outcome : {"copied", "converted"}) {
            const auto count =
                std::ranges::count_if(result.written.streams, [&](const StreamOutcome& stream) {
                    return stream.kind == kind && stream.outcome.starts_with(outcome);
                });
            if (count > 0) parts.push_back(fmt::format("{} {} {}", count, kind, outcome));
        }
    }
    return fmt::format("{}{}", parts.empty() ? "" : ", ", fmt::join(parts, ", "));
}

// ", -q:v 2 (the default)" for an encoder with such a scale.
std::string quality_text(const FileResult& result) {
    const auto& streams = result.written.streams;
    const auto encoded = std::ranges::find_if(
        streams, [](const StreamOutcome& stream) { return stream.outcome.starts_with("encoded"); });
    const bool stated = encoded != streams.end() && !encoded->reason.empty();
    return stated ? ", " + encoded->reason : "";
}

std::string dropped_text(const FileResult& result) {
    std::vector<std::string> dropped;
    for (const StreamOutcome& stream : result.written.streams)
        if (stream.outcome.starts_with("dropped"))
            dropped.push_back(fmt::format("{} stream {}", stream.kind, stream.source_index));
    if (dropped.empty())
        return result.written.warnings.empty() ? "nothing dropped"
                                               : "no stream dropped; see the warnings";
    return fmt::format("dropped {}", fmt::join(dropped, ", "));
}

// Segments of interrupted runs, if this one has continued them.
std::string segments_text(const std::optional<SegmentCounts>& segments) {
    if (!segments || segments->frames_taken_over == 0) return "";
    return fmt::format(" ({} taken over, {} segment{} done)", segments->frames_taken_over,
                       segments->done, segments->done == 1 ? "" : "s");
}

using StepKey = std::tuple<std::size_t, std::string, std::string>;

std::map<StepKey, Durations> merged_steps(const std::vector<FileResult>& results) {
    std::map<StepKey, Durations> merged;
    for (const FileResult& result : results)
        for (std::size_t s = 0; s < result.steps.size(); ++s)
            merged[{s, result.steps[s].filter, result.steps[s].kernel}].merge(
                result.steps[s].frames);
    return merged;
}

void add(const StageSeconds& more, StageSeconds& sum) {
    sum.busy += more.busy;
    sum.waited_for_input += more.waited_for_input;
    sum.waited_for_room += more.waited_for_room;
}

struct NamedStage {
    std::string_view name;
    double busy;  // seconds
};

std::array<NamedStage, 3> busiest_first(const Utilisation& utilisation) {
    std::array stages = {NamedStage{"decode", utilisation.decode.busy},
                         NamedStage{"filter", utilisation.filter.busy},
                         NamedStage{"encode", utilisation.encode.busy}};
    std::ranges::stable_sort(stages, std::ranges::greater{}, &NamedStage::busy);
    return stages;
}

// Adds up the files' stages as if the files had run one after the other.
Utilisation sum_of(const std::vector<FileResult>& results) {
    Utilisation sum;
    for (const FileResult& result : results) {
        const Utilisation& more = result.utilisation;
        if (more.seconds <= 0) continue;
        sum.seconds += more.seconds;
        add(more.decode, sum.decode);
        add(more.filter, sum.filter);
        add(more.encode, sum.encode);
    }
    return sum;
}

}  // namespace

std::string frames_text(std::int64_t frames) {
    return fmt::format("{} frame{}", frames, frames == 1 ? "" : "s");
}

std::string result_line(const FileResult& result) {
    // Its colon would be followed by another one.
    const std::string output = result.output == kNoOutput ? "null" : result.output;
    std::string names = fmt::format("{} -> {}", result.input, output);
    switch (result.status) {
        case FileStatus::ok:
            if (const auto& part = result.part; part)
                return fmt::format("{} -> part {} of {} of {}: {}{}", result.input, part->number,
                                   part->of, result.output, frames_text(result.frames_out),
                                   segments_text(result.written.segments));
            return fmt::format("{}: {}{}{}{}; {}; {}", names, frames_text(result.frames_out),
                               segments_text(result.written.segments), quality_text(result),
                               streams_text(result), dropped_text(result),
                               completeness_text(result.damage));
        case FileStatus::skipped:
            return fmt::format("{}: {}", names,
                               result.notes.empty() ? "skipped, the output exists" : "skipped");
        case FileStatus::failed:
            return fmt::format("{}: failed", names);
        case FileStatus::damaged:
            return fmt::format("{}: damaged input", names);
    }
    return names;
}

std::string completeness_text(const DamageReport& input) {
    if (!input.proven_by.empty()) return fmt::format("complete: proven by {}", input.proven_by);
    return fmt::format("completeness cannot be proven ({})",
                       input.reason.empty() ? "no count, no index" : input.reason);
}

std::vector<std::string> changes_text(const StreamChanges& changes) {
    constexpr std::size_t kMost = 8;
    std::vector<std::string> lines;
    for (const Change& change : changes.list()) {
        if (lines.size() == kMost) break;
        lines.push_back(change_text(change));
    }
    const auto all = static_cast<std::int64_t>(changes.list().size()) + changes.left_out();
    const std::int64_t more = all - static_cast<std::int64_t>(lines.size());
    if (more > 0) lines.push_back(fmt::format("and {} more changes mid-stream", more));
    return lines;
}

std::string kernel_table(const std::vector<FileResult>& results) {
    const auto merged = merged_steps(results);
    if (merged.empty()) return "";
    std::size_t filter_width = 6;
    std::size_t kernel_width = 6;
    for (const auto& [key, times] : merged) {
        filter_width = std::max(filter_width, std::get<1>(key).size());
        kernel_width = std::max(kernel_width, std::get<2>(key).size());
    }
    std::string table =
        fmt::format("step  {:<{}}  {:<{}}  {:>8}  {:>10}  {:>10}  {:>11}\n", "filter", filter_width,
                    "kernel", kernel_width, "frames", "median", "p95", "total");
    for (const auto& [key, times] : merged)
        table +=
            fmt::format("{:<4}  {:<{}}  {:<{}}  {:>8}  {:>7.3f} ms  {:>7.3f} ms  {:>8.1f} ms\n",
                        std::get<0>(key), std::get<1>(key), filter_width, std::get<2>(key),
                        kernel_width, times.count(), times.median_seconds() * 1e3,
                        times.p95_seconds() * 1e3, times.total_seconds() * 1e3);
    return table;
}

std::string_view bound_by(const Utilisation& utilisation) {
    return busiest_first(utilisation).front().name;
}

std::string bound_line(const std::vector<FileResult>& results) {
    const Utilisation sum = sum_of(results);
    if (sum.seconds <= 0) return "";
    const auto stages = busiest_first(sum);
    const auto percent = [&](const NamedStage& stage) { return stage.busy / sum.seconds * 100; };
    return fmt::format("bound by {}: busy {:.0f} % of the time, {} {:.0f} %, {} {:.0f} %\n",
                       stages[0].name, percent(stages[0]), stages[1].name, percent(stages[1]),
                       stages[2].name, percent(stages[2]));
}

std::string size_text(double bytes) {
    constexpr std::array kUnits = {"B", "kB", "MB", "GB", "TB"};
    std::size_t unit = 0;
    for (; bytes >= 999.5 && unit + 1 < kUnits.size(); ++unit) bytes /= 1000;
    return fmt::format("{:.{}f} {}", bytes, unit > 0 && bytes < 99.95 ? 1 : 0, kUnits[unit]);
}

std::string_view status_name(FileStatus status) {
    switch (status) {
        case FileStatus::ok:
            return "ok";
        case FileStatus::skipped:
            return "skipped";
        case FileStatus::failed:
            return "failed";
        case FileStatus::damaged:
            return "damaged";
    }
    return "failed";
}

}  // namespace weft
