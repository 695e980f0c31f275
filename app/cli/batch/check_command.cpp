#include "app/cli/batch/check_command.h"

#include <array>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/batch/batch_runner.h"
#include "app/batch/plan_files.h"
#include "app/cli/terminal/messages.h"
#include "app/cli/terminal/report_file.h"
#include "app/media/write/segment_store.h"
#include "app/pipeline/job_receipt.h"
#include "app/pipeline/report/json_text.h"
#include "app/pipeline/result_text.h"
#include "app/pipeline/times.h"
#include "filters/text/printable.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

std::optional<PlanState::Rate> rate_now(const PlanState& state) {
    return state.rate(std::time(nullptr));
}

std::string progress_text(const PlanState& state) {
    return summary_text(state) + ", " + pace_text(state);
}

// The cause, and the frames that the next run need not filter.
std::string cause_of(const PlanState::Item& item) {
    const std::int64_t frames =
        item.check.state == FileState::missing ? kept_frames(item.file.output, item.file.part) : 0;
    if (frames == 0) return item.check.reason;
    return fmt::format("{}; {} frames are finished", item.check.reason, frames);
}

std::string list_text(const PlanState& state) {
    std::string text;
    for (std::size_t k = 0; k < state.size(); ++k) {
        const PlanState::Item item = state[k];
        if (item.check.state == FileState::done) continue;
        text += fmt::format("shard {}: {}: {}\n", item.shard,
                            printable_line(item.file.input + part_text(item.file)),
                            printable_line(cause_of(item)));
    }
    return text + summary_text(state) + "\n";
}

const char* word_of(FileState state) {
    switch (state) {
        case FileState::done:
            return "done";
        case FileState::damaged:
            return "damaged";
        case FileState::failed:
            return "failed";
        case FileState::unjoined:
            return "unjoined";
        case FileState::missing:
            return "missing";
    }
    return "";
}

constexpr std::array kColumns = {"file", "status", "frames", "seconds", "node", "speed", "cause"};
using Row = std::array<std::string, kColumns.size()>;

// Numbers are empty where no run is known.
Row row_of(const PlanState::Item& item) {
    const FileCheck& check = item.check;
    const bool has_run = check.started > 0;
    const auto number = [&](double value) {
        return has_run ? fmt::format("{:.3f}", value) : std::string();
    };
    const double speed = check.seconds > 0 ? static_cast<double>(check.frames) / check.seconds : 0;
    return {printable_line(item.file.input + part_text(item.file)),
            word_of(check.state),
            has_run ? std::to_string(check.frames) : "",
            number(check.seconds),
            printable_line(check.host),
            number(speed),
            printable_line(cause_of(item))};
}

// In the quotes of RFC 4180.
std::string csv_text(const PlanState& state) {
    std::string text = fmt::format("{}\n", fmt::join(kColumns, ","));
    for (std::size_t k = 0; k < state.size(); ++k) {
        Row row = row_of(state[k]);
        for (std::string& cell : row) {
            for (std::size_t at = 0; (at = cell.find('"', at)) != std::string::npos; at += 2)
                cell.insert(at, 1, '"');
            cell = fmt::format("\"{}\"", cell);
        }
        text += fmt::format("{}\n", fmt::join(row, ","));
    }
    return text;
}

std::string html_escaped(std::string_view text) {
    std::string escaped;
    for (const char byte : text)
        if (std::string_view("&<>\"'").find(byte) == std::string_view::npos)
            escaped += byte;
        else
            escaped += fmt::format("&#{};", static_cast<int>(byte));
    return escaped;
}

// A page that loads nothing. Its content is of unknown origin: the policy forbids scripts, too.
constexpr std::string_view kPageBegin = R"(<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{0}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 14px/1.4 sans-serif; margin: 1.5em; }}
h1 {{ font-size: 1.5em; overflow-wrap: anywhere; }}
table {{ border-collapse: collapse; }}
td, th {{ padding: .2em .8em; border-bottom: 1px solid #8888; text-align: left; vertical-align: top; }}
td:first-child, td:last-child {{ min-width: 16em; overflow-wrap: anywhere; }}
:is(td, th):is(:nth-child(3), :nth-child(4), :nth-child(6)) {{ text-align: right; }}
.damaged, .failed {{ color: #b00; }}
.missing, .unjoined {{ opacity: .65; }}
@media (prefers-color-scheme: dark) {{ .damaged, .failed {{ color: #f77; }} }}
@media (max-width: 60em) {{
tr:first-child, td:empty {{ display: none; }}
tr {{ display: block; padding: .4em 0; border-bottom: 1px solid #8888; }}
td {{ display: inline; padding: 0 .8em 0 0; border: 0; }}
td:first-child, td:last-child {{ display: block; }}
td:first-child {{ font-weight: bold; }}
td:nth-child(3)::after {{ content: " frames"; }}
td:nth-child(4)::after {{ content: " s"; }}
td:nth-child(6)::after {{ content: " frames/s"; }}
}}
</style>
<h1>{0}</h1>
<p>{1}</p>
<table>
)";

std::string html_text(const PlanState& state, const std::string& plan) {
    std::string text =
        fmt::format(kPageBegin, html_escaped(printable_line(plan)), progress_text(state));
    text += fmt::format("<tr><th>{}</th></tr>\n", fmt::join(kColumns, "</th><th>"));
    for (std::size_t k = 0; k < state.size(); ++k) {
        Row row = row_of(state[k]);
        for (std::string& cell : row) cell = html_escaped(cell);
        text +=
            fmt::format("<tr class=\"{}\"><td>{}</td></tr>\n", row[1], fmt::join(row, "</td><td>"));
    }
    return text + "</table>\n</html>\n";
}

Json files_json(const PlanState& plan, FileState state) {
    Json list = Json::array();
    for (std::size_t k = 0; k < plan.size(); ++k) {
        const PlanState::Item item = plan[k];
        if (item.check.state == state)
            list.push_back({{"shard", item.shard},
                            {"input", item.file.input},
                            {"output", item.file.output},
                            {"reason", item.check.reason}});
    }
    return list;
}

Json state_json(const PlanState& state, const std::string& plan_hash) {
    const auto rate = rate_now(state);
    return {{"schema", 1},
            {"plan", plan_hash},
            {"shards", state.shards()},
            {"files", state.size()},
            {"counts",
             {{"done", state.count(FileState::done)},
              {"damaged", state.count(FileState::damaged)},
              {"failed", state.count(FileState::failed)},
              {"unjoined", state.count(FileState::unjoined)},
              {"missing", state.count(FileState::missing)}}},
            {"frames", state.frames()},
            {"frames_per_second", rate ? Json(rate->frames_per_second) : Json(nullptr)},
            {"eta_seconds", rate ? Json(rate->eta_seconds) : Json(nullptr)},
            {"open_shards", state.open_shards()},
            {"missing", files_json(state, FileState::missing)},
            {"unjoined", files_json(state, FileState::unjoined)},
            {"damaged", files_json(state, FileState::damaged)},
            {"failed", files_json(state, FileState::failed)}};
}

std::string index_text(const std::vector<int>& shards) {
    std::string text;
    for (const int shard : shards) text += fmt::format("{}\n", shard - 1);
    return text;
}

// Waits, or returns false at once after a signal.
bool wait(std::chrono::milliseconds time, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock lock(mutex);
    changed.wait_for(lock, stop, time, [] { return false; });
    return !stop.stop_requested();
}

// A live line on a terminal, a line per change elsewhere, or JSON lines.
Outcome watch(const BatchOptions& options, PlanState& state, const std::string& plan_hash,
              const SignalWatch& signals) {
    constexpr std::chrono::seconds kInterval{2};
    const bool live = isatty(STDERR_FILENO) == 1;
    std::string last;
    do {
        state.update();
        if (options.json)
            print_output(json_line(state_json(state, plan_hash)) + "\n");
        else if (const std::string text = progress_text(state); live)
            print_control("\r\033[K" + text);
        else if (summary_text(state) != last)
            print_lines(text + "\n");
        last = summary_text(state);
    } while (state.count(FileState::missing) + state.count(FileState::unjoined) > 0 &&
             wait(kInterval, signals.token()));
    if (live && !options.json) print_control("\n");
    if (signals.outcome() != Outcome::ok) return signals.outcome();
    return Outcome::ok;
}

}  // namespace

std::vector<JobFile> files_of_plan(const BatchOptions& options, PlanReader& plan) {
    options.job.writer.run->add_source(*options.run);
    return planned_jobs(plan, *options.run, options.shard, *options.job.writer.run);
}

// The plan is read again, for the fields that jobs do not have.
PlanState state_of_plan(const BatchOptions& options, std::vector<JobFile> files,
                        const FittingOptions& fitting, const Stack& stack) {
    PlanReader plan(*options.run);
    std::vector<PlannedFile> planned;
    while (std::optional<PlannedFile> file = plan.next()) planned.push_back(std::move(*file));
    if (planned.size() != files.size())
        throw Error(Outcome::failed, *options.run + ": was replaced while it was being read");
    const auto job_of = [&options, &fitting, &stack](const JobFile& file) {
        FileJob job =
            make_file_job(file, options, fitting.for_output(file.output), cpu_device(), 1);
        job.stack = stack;
        return receipt_job(job);
    };
    return {std::move(files), std::move(planned), plan.head().shards, job_of};
}

std::string summary_text(const PlanState& state) {
    std::string text = fmt::format("{} of {} {} done", state.count(FileState::done), state.size(),
                                   state.has_parts() ? "files and parts" : "files");
    if (const std::size_t damaged = state.count(FileState::damaged); damaged > 0)
        text += fmt::format(", {} damaged or not decodable", damaged);
    if (const std::size_t failed = state.count(FileState::failed); failed > 0)
        text += fmt::format(", {} failed", failed);
    if (const std::size_t unjoined = state.count(FileState::unjoined); unjoined > 0)
        text += fmt::format(", {} part{} to join", unjoined, unjoined == 1 ? "" : "s");
    if (const std::size_t missing = state.count(FileState::missing); missing > 0)
        text += fmt::format(", {} missing in {} of {} shards", missing, state.open_shards().size(),
                            state.shards());
    return text;
}

std::string pace_text(const PlanState& state) {
    std::string text = frames_text(state.frames());
    const auto rate = rate_now(state);
    if (rate) text += fmt::format(", {:.1f} frames/s", rate->frames_per_second);
    if (rate && state.count(FileState::missing) > 0)
        text += ", " + clock_text(rate->eta_seconds) + " left";
    return text;
}

Outcome check_plan(const BatchOptions& options, PlanState state, const std::string& plan_hash,
                   const SignalWatch& signals) {
    if (options.watch) return watch(options, state, plan_hash, signals);
    state.update();
    const std::vector<int> open = state.open_shards();
    if (options.json)
        write_report(*options.json, json_page(state_json(state, plan_hash)), Overwrite::refuse);
    else if (options.check == CheckForm::json)
        print_output(json_page(state_json(state, plan_hash)));
    else if (options.check == CheckForm::slurm)
        print_output(slurm_array(open) + "\n");
    else if (options.check == CheckForm::index)
        print_output(index_text(open));
    else if (options.check == CheckForm::csv)
        print_output(csv_text(state));
    else if (options.check == CheckForm::html)
        print_output(html_text(state, *options.run));
    else
        print_output(list_text(state));
    const std::size_t unjoined = state.count(FileState::unjoined);
    const std::size_t failed = state.count(FileState::failed);
    if (open.empty() && unjoined == 0 && failed == 0) return Outcome::ok;
    print_error(!open.empty() ? fmt::format("{} of {} files have no valid receipt",
                                            state.count(FileState::missing), state.size())
                : unjoined > 0
                    ? fmt::format("{} parts are finished; use --join to join them", unjoined)
                    : fmt::format("{} of {} files failed in each of {} attempts", failed,
                                  state.size(), kMostAttempts));
    return Outcome::some_failed;
}

}  // namespace weft
