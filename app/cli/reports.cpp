#include "app/cli/reports.h"

#include <fmt/format.h>

#include "app/cli/exit_code.h"
#include "app/pipeline/report/json_text.h"
#include "app/pipeline/result_text.h"
#include "app/pipeline/stack/allowed_difference.h"
#include "app/pipeline/times.h"
#include "app/pipeline/version.h"
#include "filters/text/printable.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

Json streams_json(const std::vector<StreamOutcome>& streams) {
    Json list = Json::array();
    for (const StreamOutcome& stream : streams)
        list.push_back({{"source_index", stream.source_index},
                        {"kind", stream.kind},
                        {"outcome", stream.outcome},
                        {"reason", stream.reason}});
    return list;
}

Json changes_json(const StreamChanges& changes) {
    Json list = Json::array();
    for (const Change& change : changes.list())
        list.push_back({{"seconds", change.seconds},
                        {"stream", change.stream},
                        {"what", property_name(change.difference.property)},
                        {"from", change.difference.from},
                        {"to", change.difference.to}});
    return list;
}

// For --resume: the reused and the new segments; null without it.
Json segments_json(const std::optional<SegmentCounts>& segments) {
    if (!segments) return nullptr;
    return {{"segments_taken_over", segments->taken_over},
            {"frames_taken_over", segments->frames_taken_over},
            {"segments_done", segments->done},
            {"frames_finished", segments->frames_finished}};
}

Json stages_json(const StageReport& stages) {
    return {{"decode", times_json(stages.decode)},
            {"upload", times_json(stages.upload)},
            {"kernels", times_json(stages.kernels)},
            {"download", times_json(stages.download)},
            {"encode", times_json(stages.encode)}};
}

Json use_json(const StageSeconds& use, double seconds) {
    return {{"busy", use.busy / seconds},
            {"waited_for_input", use.waited_for_input / seconds},
            {"waited_for_room", use.waited_for_room / seconds}};
}

// Shares of `seconds`; null for a file that did not reach its end.
Json utilisation_json(const Utilisation& all) {
    if (all.seconds <= 0) return nullptr;
    return {{"bound_by", bound_by(all)},
            {"seconds", all.seconds},
            {"decode", use_json(all.decode, all.seconds)},
            {"filter", use_json(all.filter, all.seconds)},
            {"encode", use_json(all.encode, all.seconds)}};
}

Json steps_json(const std::vector<StepReport>& steps) {
    Json list = Json::array();
    for (std::size_t s = 0; s < steps.size(); ++s) {
        Json step = {{"step", s},
                     {"filter", steps[s].filter},
                     {"kernel", steps[s].kernel},
                     {"reason", steps[s].reason},
                     {"largest_difference", steps[s].largest_difference},
                     {"launches", steps[s].launches}};
        step.update(times_json(steps[s].frames));
        list.push_back(std::move(step));
    }
    return list;
}

// Null for an input that was not read to its end, or is damaged.
Json completeness_json(const FileResult& result) {
    if (result.status != FileStatus::ok) return nullptr;
    const auto text_or_null = [](const std::string& text) {
        return text.empty() ? Json(nullptr) : Json(text);
    };
    const DamageReport& input = result.damage;
    return {{"proven", !input.proven_by.empty()},
            {"by", text_or_null(input.proven_by)},
            {"doubt", text_or_null(input.reason)}};
}

Json written_json(const FilePlan& plan) {
    if (!plan.written) return nullptr;
    Json json = {{"container", plan.container},
                 {"video_codec", plan.written->video_codec},
                 {"pixel_format", plan.written->pixel_format},
                 {"streams", streams_json(plan.written->streams)},
                 {"bytes_estimated", nullptr},
                 {"estimate", nullptr}};
    if (plan.size) {
        json["bytes_estimated"] = plan.size->bytes;
        json["estimate"] = plan.size->basis;
    }
    return json;
}

// Two lines or more: the container and its size, then each stream of the input.
std::string written_text(const FilePlan& plan) {
    if (!plan.written) return "";
    const WriteReport& written = *plan.written;
    std::string text = fmt::format("  output  {}, {} {}, ", plan.container, written.video_codec,
                                   written.pixel_format);
    text += plan.size ? fmt::format("{} ({})\n", size_text(static_cast<double>(plan.size->bytes)),
                                    plan.size->basis)
                      : "of unknown size\n";
    for (const StreamOutcome& stream : written.streams) {
        text +=
            fmt::format("  stream {}  {}  {}", stream.source_index, stream.kind, stream.outcome);
        text += stream.reason.empty() ? "\n" : fmt::format(": {}\n", stream.reason);
    }
    return text;
}

// False for files that a signal stopped.
bool is_bad(const FileResult& result) {
    return result.status == FileStatus::damaged ||
           (result.status == FileStatus::failed && result.outcome != Outcome::interrupted);
}

// Errors about the output or an option do not name the input themselves. The stack and the caret of
// a FilterError are left out.
std::string reason_line(const FileResult& result) {
    const std::string reason = result.error.substr(0, result.error.find('\n'));
    const bool named = reason.starts_with(result.input);
    return fmt::format("  {}\n", printable_line(named ? reason : result.input + ": " + reason));
}

}  // namespace

Json times_json(const Durations& times) {
    return {{"median_ms", times.median_seconds() * 1e3},
            {"p95_ms", times.p95_seconds() * 1e3},
            {"total_ms", times.total_seconds() * 1e3}};
}

Json damage_json(const DamageReport& damage) {
    if (!damage.damaged) return nullptr;
    return {{"reason", damage.reason},
            {"first_bad_seconds", or_null(damage.first_bad_seconds)},
            {"first_bad_byte", or_null(damage.first_bad_byte)},
            {"corrupt_frames", damage.corrupt_frames},
            {"decode_errors", damage.decode_errors},
            {"frames_expected", or_null(damage.frames_expected)}};
}

Json decoding_json(const Decoding& decoding) {
    return {{"on", decoding.on_gpu ? "gpu" : "cpu"},
            {"why_not_gpu", decoding.why_not},
            {"compared", decoding.compared.empty() ? Json(nullptr) : Json(decoding.compared)}};
}

Json device_json(const Device& device) {
    return {{"name", device.name},
            {"kind", device.is_gpu() ? "cuda" : "cpu"},
            {"ordinal", device.is_gpu() ? Json(device.ordinal) : Json(nullptr)}};
}

Json device_json(const DeviceChoice& choice) {
    if (choice.devices.empty()) return nullptr;
    Json json = device_json(choice.devices.front());
    json["reason"] = choice.reason;
    return json;
}

Json devices_json(const DeviceChoice& choice) {
    Json list = Json::array();
    for (const Device& device : choice.devices) list.push_back(device_json(device));
    return {{"device", device_json(choice)}, {"devices", std::move(list)}};
}

Json result_json(const FileResult& result) {
    return {{"input", result.input},
            {"output", result.output},
            {"status", status_name(result.status)},
            {"exit_code", exit_code(result.outcome)},
            {"error", result.error},
            {"frames_in", result.frames_in},
            {"frames_out", result.frames_out},
            {"device", result.device ? device_json(*result.device) : Json(nullptr)},
            {"moved", result.moved.empty() ? Json(nullptr) : Json(result.moved)},
            {"decoding", decoding_json(result.decoding)},
            {"damage", damage_json(result.damage)},
            {"completeness", completeness_json(result)},
            {"changes", changes_json(result.changes)},
            {"changes_left_out", result.changes.left_out()},
            {"notes", result.notes},
            {"warnings", result.warnings},
            {"streams", streams_json(result.written.streams)},
            {"resume", segments_json(result.written.segments)},
            {"part", result.part ? Json(result.part->number) : Json(nullptr)},
            {"video_codec", result.written.video_codec},
            {"pixel_format", result.written.pixel_format},
            {"bytes", result.written.bytes},
            {"media_seconds", result.media_seconds},
            {"wall_seconds", result.wall_seconds},
            {"stages", stages_json(result.stages)},
            {"utilisation", utilisation_json(result.utilisation)},
            {"steps", steps_json(result.steps)}};
}

Json batch_json(const BatchSummary& summary, const std::vector<FileResult>& results) {
    Json files = Json::array();
    for (const FileResult& result : results) files.push_back(result_json(result));
    Json json = {{"schema", 1}, {"weft", kVersion}};
    json.update(devices_json(summary.devices));
    json.update({{"jobs", summary.jobs},
                 {"stack", summary.stack},
                 {"resolved", summary.resolved},
                 {"exit_code", exit_code(summary.outcome)},
                 {"notes", summary.notes}});
    json.update(tally_json(summary.tally));
    json["files"] = std::move(files);
    return json;
}

Json tally_json(const BatchTally& tally) {
    return {{"counts",
             {{"done", tally.done},
              {"skipped", tally.skipped},
              {"damaged", tally.damaged},
              {"failed", tally.failed},
              {"stopped", tally.stopped}}},
            {"wall_seconds", tally.seconds}};
}

std::string closing_text(const BatchTally& tally, const std::vector<FileResult>& results) {
    constexpr std::size_t kMostReasons = 20;
    std::string text = fmt::format("{} done", tally.done);
    const auto add = [&](std::size_t count, const char* what) {
        if (count > 0) text += fmt::format(", {} {}", count, what);
    };
    add(tally.skipped, "skipped");
    add(tally.damaged, "damaged");
    add(tally.failed, "failed");
    add(tally.stopped, "not finished");
    text += fmt::format(", in {}\n", clock_text(tally.seconds));
    std::size_t reasons = 0;
    for (const FileResult& result : results)
        if (is_bad(result) && reasons++ < kMostReasons) text += reason_line(result);
    if (reasons > kMostReasons) text += fmt::format("  and {} more\n", reasons - kMostReasons);
    return text;
}

Json plan_json(const FilePlan& plan) {
    Json steps = Json::array();
    const std::vector<double> differences = stack_differences(plan.stack);
    for (std::size_t s = 0; s < plan.stack.steps.size(); ++s) {
        const StepPlan& step = plan.stack.steps[s];
        steps.push_back({{"step", s},
                         {"filter", step.filter},
                         {"kernel", step.kernel_names()},
                         {"reason", step.reason()},
                         {"largest_difference", differences[s]},
                         {"explanation", step.explanation()},
                         {"notes", step.notes}});
    }
    Json json = {{"width", plan.stack.info.width},
                 {"height", plan.stack.info.height},
                 {"pix_fmt", plan.pixel_format},
                 {"frames_estimated", plan.frames_estimated},
                 {"notes", plan.notes},
                 {"warnings", plan.warnings},
                 {"steps", std::move(steps)}};
    json["written"] = written_json(plan);
    return json;
}

std::string explanation_text(const std::vector<std::string>& explanation) {
    std::string text;
    for (const std::string& line : explanation)
        text += fmt::format("    {}\n", printable_line(line));
    return text;
}

std::string plan_text(const JobFile& file, const FilePlan& plan, bool explain) {
    const FrameInfo& info = plan.stack.info;
    std::string text =
        fmt::format("{} -> {}: {}x{} {}", printable_line(file.input), printable_line(file.output),
                    info.width, info.height, plan.pixel_format);
    if (plan.frames_estimated > 0) text += ", " + frames_text(plan.frames_estimated);
    text += file.skip ? ", skipped: the output exists\n" : "\n";
    text += written_text(plan);
    for (std::size_t s = 0; s < plan.stack.steps.size(); ++s) {
        const StepPlan& step = plan.stack.steps[s];
        text += fmt::format("  step {}  {}  {}  ({})\n", s, step.filter, step.kernel_names(),
                            step.reason());
        if (explain) text += explanation_text(step.explanation());
    }
    text += fmt::format("  result  {}\n", difference_text(plan.stack));
    for (const std::string& note : plan.notes)
        text += fmt::format("  note: {}\n", printable_line(note));
    for (const std::string& warning : plan.warnings)
        text += fmt::format("  warning: {}\n", printable_line(warning));
    return text;
}

}  // namespace weft
