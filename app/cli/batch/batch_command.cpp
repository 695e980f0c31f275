#include <algorithm>
#include <atomic>
#include <filesystem>

#include <fmt/format.h>

#include "app/batch/batch_runner.h"
#include "app/batch/kept_results.h"
#include "app/batch/plan_files.h"
#include "app/cli/batch/batch_arguments.h"
#include "app/cli/batch/check_command.h"
#include "app/cli/batch/console_events.h"
#include "app/cli/batch/ffmpeg_pipe.h"
#include "app/cli/batch/file_lists.h"
#include "app/cli/batch/fitting_options.h"
#include "app/cli/batch/output_places.h"
#include "app/cli/batch/plan_command.h"
#include "app/cli/batch/trial_sheet.h"
#include "app/cli/commands.h"
#include "app/cli/reports.h"
#include "app/cli/signals.h"
#include "app/cli/stall_guard.h"
#include "app/cli/terminal/messages.h"
#include "app/cli/terminal/report_file.h"
#include "app/cli/terminal/terminal.h"
#include "app/media/output/atomic_output.h"
#include "app/media/picture/gpu_jpegs.h"
#include "app/pipeline/device_choice.h"
#include "app/pipeline/job_receipt.h"
#include "app/pipeline/kept_filters.h"
#include "app/pipeline/known_gpus.h"
#include "app/pipeline/report/json_text.h"
#include "app/pipeline/result_text.h"
#include "app/pipeline/resumable.h"
#include "app/pipeline/times.h"
#include "filters/text/printable.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

void print_fallback(const BatchOptions& options, const DeviceChoice& choice) {
    if (choice.reason.empty() || options.progress != ProgressMode::automatic) return;
    if (!remember_reason(choice.reason)) return;
    print_note(fmt::format("no GPU, filtering on the CPU: {}", choice.reason));
}

void check_reports(const BatchOptions& options, const std::vector<JobFile>& files,
                   const RunFiles& run) {
    std::vector<ReportName> reports;
    if (options.json) reports.push_back({"--json", *options.json});
    if (options.trace) reports.push_back({"--trace", *options.trace});
    if (options.failed_list) reports.push_back({"--failed-list", *options.failed_list});
    if (options.plan) reports.push_back({"--plan", *options.plan});
    for (const auto& [option, path] : reports) check_report_path(option, path, files, run);
    check_reports_differ(reports);
    const Overwrite overwrite = options.job.writer.overwrite;
    if (options.json) check_report_file("--json", *options.json, overwrite);
    if (options.trace) check_report_file("--trace", *options.trace, overwrite);
}

void check_receipts(const std::vector<JobFile>& files) {
    for (const JobFile& file : files) {
        if (file.input == "-")
            throw Error(Outcome::usage,
                        "--receipts: standard input cannot be read again, so it cannot be proven");
        if (file.output == "-" || file.output == kNoOutput)
            throw Error(
                Outcome::usage,
                "--receipts: the output must be a file, since receipts are placed next to it");
    }
}

// Throws the first reason if every file has one. In a batch of videos and pictures, pictures start
// again.
void check_resume(const std::vector<JobFile>& files, const std::string& format) {
    std::string first;
    for (const JobFile& file : files) {
        const std::string reason = why_not_resumable(file.input, file.output, format);
        if (reason.empty()) return;
        if (first.empty()) first = reason;
    }
    if (!first.empty()) throw Error(Outcome::usage, "--resume: " + first);
}

// The files to filter, and those of other shards, after all checks that are possible before work
// starts.
std::vector<JobFile> find_files(BatchOptions& options, const Stack& stack, PlanReader* plan,
                                ExtensionCounts& others) {
    options.job.writer.run = std::make_shared<RunFiles>();
    RunFiles& run = *options.job.writer.run;
    for (const std::string& file : stack_files(options.stack, stack)) run.add_source(file);
    if (plan != nullptr) {
        std::vector<JobFile> files = files_of_plan(options, *plan);
        check_reports(options, files, run);
        return files;
    }
    if (options.input_list) {
        run.add_source(*options.input_list);
        const std::vector<std::string> listed = read_input_list(*options.input_list);
        options.inputs.insert(options.inputs.end(), listed.begin(), listed.end());
    }
    std::vector<JobFile> files = list_jobs({.inputs = options.inputs,
                                            .output = options.output,
                                            .format = options.job.writer.format,
                                            .recursive = options.recursive,
                                            .into_folder = options.input_list.has_value(),
                                            .overwrite = options.job.writer.overwrite,
                                            .receipts = options.receipts,
                                            .shard = options.shard},
                                           run, others);
    check_reports(options, files, run);
    if (options.resume) check_resume(files, options.job.writer.format);
    if (options.receipts) check_receipts(files);
    return files;
}

void add_note(const BatchOptions& options, const std::string& note, BatchSummary& summary) {
    summary.notes.push_back(note);
    if (options.progress == ProgressMode::automatic) print_note(note);
}

void note_shard(const BatchOptions& options, std::size_t files, BatchSummary& summary) {
    if (!options.shard) return;
    const std::string count = files == 0   ? "no files, so there is nothing to do"
                              : files == 1 ? "1 file"
                                           : fmt::format("{} files", files);
    add_note(options, fmt::format("{}: {}", shard_text(*options.shard), count), summary);
}

// Files of folders that are not inputs: sidecars, sound, and kinds that are unknown.
void note_skipped_files(const BatchOptions& options, const ExtensionCounts& others,
                        BatchSummary& summary) {
    constexpr std::size_t kMost = 12;
    std::vector<std::string> kinds;
    std::size_t files = 0;
    for (const auto& [extension, count] : others) {
        if (extension == "/") {
            add_note(options,
                     fmt::format(
                         "{} left out: --recursive includes subfolders",
                         count == 1 ? "1 subfolder is" : fmt::format("{} subfolders are", count)),
                     summary);
            continue;
        }
        files += count;
        kinds.push_back(extension.empty() ? fmt::format("{} without an extension", count)
                                          : fmt::format("{} .{}", count, extension));
    }
    if (files == 0) return;
    if (kinds.size() > kMost) {
        kinds.resize(kMost);
        kinds.emplace_back("…");
    }
    add_note(
        options,
        fmt::format("{}: {}",
                    files == 1 ? "1 file is skipped because its name is not of a video or image"
                               : fmt::format("{} files are skipped because their names are "
                                             "not of videos or images",
                                             files),
                    fmt::join(kinds, ", ")),
        summary);
}

struct Ending {
    const BatchOptions& options;
    const Trace& trace;
    const std::optional<FailedList>& failed_list;
    std::string why;  // the reason of a failing exit code
};

void finish_trace(const Ending& ending, BatchSummary& summary) {
    const Trace& trace = ending.trace;
    write_trace(*ending.options.trace, trace, ending.options.job.writer.overwrite);
    if (trace.left_out() == 0) return;
    add_note(ending.options,
             fmt::format("{}: the timeline ends after {} events; {} more were dropped",
                         *ending.options.trace, Trace::kMostEvents, trace.left_out()),
             summary);
}

void finish_failed_list(const Ending& ending, const std::vector<FileResult>& results,
                        BatchSummary& summary) {
    const std::size_t left_out = ending.failed_list->write(results);
    if (left_out == 0) return;
    add_note(ending.options,
             fmt::format("{}: left out {} name{} with line breaks", *ending.options.failed_list,
                         left_out, left_out == 1 ? "" : "s"),
             summary);
}

// Calls `write`. The report mentions its error, which is returned: the report is still written.
template <class Write>
std::optional<Error> try_to(const Write& write, BatchSummary& summary) {
    try {
        write();
    } catch (const Error& error) {
        summary.notes.emplace_back(error.what());
        summary.outcome = error.outcome();
        return error;
    }
    return std::nullopt;
}

// A file that would be skipped has no output to plan.
FilePlan plan_one(const JobFile& file, FileJob job) {
    if (file.skip) job.writer.path = kNoOutput;
    FilePlan plan;
    StallGuard().run_alone(file.input, job.reader.heartbeat, [&] { plan = plan_file(job); });
    return plan;
}

// With -n and receipts, these decide which files are skipped.
bool is_proven_done(const FileJob& job) {
    if (!job.receipt || job.writer.overwrite != Overwrite::skip) return false;
    const ReceiptCheck check = JobReceipt(job).check();
    return check.proof == Proof::valid && check.receipt->error.empty();
}

Json places_json(const std::vector<OutputPlace>& places) {
    Json list = Json::array();
    for (const OutputPlace& place : places)
        list.push_back({{"folder", place.folder},
                        {"free_bytes", place.free_bytes},
                        {"needed_bytes", place.needed_bytes},
                        {"unknown_sizes", place.unknown_sizes}});
    return list;
}

void show_plan_page(const BatchOptions& options, const BatchSummary& summary, Json plan,
                    const std::vector<OutputPlace>& places) {
    Json page = {{"schema", 1}, {"stack", summary.stack}, {"resolved", summary.resolved}};
    page.update(devices_json(summary.devices));
    page.update(
        {{"jobs", summary.jobs}, {"places", places_json(places)}, {"plan", std::move(plan)}});
    write_report(*options.json, json_page(page), options.job.writer.overwrite);
}

Outcome show_plan(const BatchOptions& options, const std::vector<JobFile>& files,
                  const BatchSummary& summary, const FittingOptions& fitting, const Stack& stack) {
    Json list = Json::array();
    OutputPlaces places;
    const std::vector<Device>& devices = summary.devices.devices;
    std::string text = fmt::format("stack: {}\nmeans: {}\n", printable_line(summary.stack),
                                   printable_line(summary.resolved));
    for (const Device& device : devices) text += fmt::format("device: {}\n", device.name);
    Outcome outcome = Outcome::ok;
    for (JobFile file : files) {
        Json entry = {{"input", file.input}, {"output", file.output}};
        try {
            FileJob job = make_file_job(file, options, fitting.for_output(file.output),
                                        devices.front(), summary.jobs);
            job.stack = stack;
            file.skip = file.skip || is_proven_done(job);
            const FilePlan plan = plan_one(file, std::move(job));
            if (plan.written && file.output != "-") places.add(file.output, plan.size);
            text += plan_text(file, plan, options.explain);
            entry.update(plan_json(plan));
        } catch (const Error& error) {
            if (files.size() == 1) throw;
            print_error(error.what());
            entry["error"] = error.what();
            outcome = Outcome::some_failed;
        }
        list.push_back(std::move(entry));
    }
    if (options.json)
        show_plan_page(options, summary, std::move(list), places.list());
    else
        print_output(text + places_text(places.list()));
    return outcome;
}

std::string failure_text(const std::vector<FileResult>& results, std::size_t files) {
    if (files == 1) return results.front().error;
    const auto failed = std::ranges::count_if(
        results, [](const FileResult& result) { return result.outcome != Outcome::ok; });
    return fmt::format("{} of {} files failed", failed, files);
}

// For --explain: one paragraph per step of each filtered file.
std::string explained(const std::vector<FileResult>& results) {
    std::string text;
    for (const FileResult& result : results)
        for (std::size_t s = 0; s < result.steps.size(); ++s)
            text +=
                fmt::format("{}: step {}  {}\n{}", printable_line(result.input), s,
                            result.steps[s].filter, explanation_text(result.steps[s].explanation));
    return text;
}

std::string closing_page(const BatchOptions& options, const BatchSummary& summary,
                         const std::vector<FileResult>& results) {
    return (options.explain ? explained(results) : "") + kernel_table(results) +
           bound_line(results) + (summary.files > 1 ? closing_text(summary.tally, results) : "");
}

Outcome report(const Ending& ending, const std::vector<FileResult>& results,
               BatchSummary& summary) {
    const BatchOptions& options = ending.options;
    const bool all_well = summary.outcome == Outcome::ok;
    std::optional<Error> no_trace;
    std::optional<Error> no_list;
    if (options.trace) no_trace = try_to([&] { finish_trace(ending, summary); }, summary);
    if (ending.failed_list)
        no_list = try_to([&] { finish_failed_list(ending, results, summary); }, summary);
    if (options.json)
        write_report(*options.json, json_page(batch_json(summary, results)),
                     options.job.writer.overwrite);
    if (options.progress == ProgressMode::automatic)
        print_event([&] { print_lines(closing_page(options, summary, results)); });
    if (!all_well) print_error(ending.why);
    if (no_trace) print_error(no_trace->what());
    if (no_list) print_error(no_list->what());
    return summary.outcome;
}

// Removes files left by dead runs, which no writer does if all outputs exist.
void clear_folders(const std::vector<JobFile>& files, RunFiles& run) {
    for (const JobFile& file : files) {
        if (file.output == "-" || file.output == kNoOutput) continue;
        const std::filesystem::path folder = std::filesystem::path(file.output).parent_path();
        remove_stale_partials(folder.empty() ? "." : folder, &run);
    }
}

// A shard without files: its reports are written, and no device is needed.
Outcome report_no_files(const BatchOptions& options, const std::optional<FailedList>& failed_list,
                        BatchSummary& summary) {
    const Trace trace;
    const std::unique_ptr<BatchEvents> events = make_batch_events(options.progress);
    events->begin(0);
    events->end(Outcome::ok, {});
    return report({options, trace, failed_list, ""}, {}, summary);
}

// report() and leave(), for when a thread is still using objects of run_batch().
[[noreturn]] void leave_with(const Ending& ending, const std::vector<FileResult>& results,
                             BatchSummary& summary) {
    try {
        leave(report(ending, results, summary));
    } catch (const Error& error) {
        print_error(error.what());
        leave(error.outcome());
    }
}

// The last line of a run that a signal stopped.
std::string stopped_text(const std::vector<JobFile>& files, bool resume) {
    const auto is_kept = [](const JobFile& file) { return has_segments(file.output); };
    std::string text = "stopped by a signal; no unfinished output is left";
    if (resume && std::ranges::any_of(files, is_kept))
        text +=
            ", but finished frames are kept: the same command with --resume continues after them";
    return text;
}

// The result of a file whose input is not the one that was planned; nothing if it is.
std::optional<FileResult> changed_since_plan(const JobFile& file, const FileJob& job) {
    FileResult result;
    result.input = file.input;
    result.output = file.output;
    try {
        check_since_plan(file);
        return std::nullopt;
    } catch (const Error& error) {
        result.outcome = error.outcome();
        result.error = error.what();
    }
    JobReceipt receipt(job);
    receipt.input_was_planned(file.planned->bytes, file.planned->mtime_ns);
    receipt.write_failure(result);
    return result;
}

double work_of(const std::vector<JobFile>& files) {
    double work = 0;
    for (const JobFile& file : files) work += static_cast<double>(file.work);
    return work;
}

// Estimates all files of a plan by those of a trial. Files that were done before or that failed are
// not counted. The size of a part is not known before the parts are joined.
std::string trial_text(const std::vector<JobFile>& tried, const std::vector<FileResult>& results,
                       double seconds, double work_of_all) {
    double work = 0;
    double bytes = 0;
    int done = 0;
    bool has_parts = false;
    for (std::size_t k = 0; k < results.size(); ++k) {
        if (results[k].status != FileStatus::ok) continue;
        ++done;
        work += static_cast<double>(tried[k].work);
        bytes += static_cast<double>(results[k].written.bytes);
        has_parts = has_parts || tried[k].part;
    }
    if (done == 0) return "trial: no file was filtered, so nothing can be estimated";
    const double times = work_of_all / work;
    constexpr double kHour = 3600;
    const double all = seconds * times;
    std::string text = fmt::format(
        "trial: {} file{}, {:.2g} % of the work, took {}: all would take about {} on a machine "
        "like this one",
        done, done == 1 ? "" : "s", 100 / times, clock_text(seconds),
        all < kHour ? clock_text(all) : fmt::format("{:.1f} hours", all / kHour));
    if (!has_parts)
        text += fmt::format("; their outputs have {}, and all would have about {}",
                            size_text(bytes), size_text(bytes * times));
    return text;
}

// A batch that is ready to run.
struct BatchRun {
    const BatchOptions& options;
    const std::vector<JobFile>& files;
    const FittingOptions& fitting;
    const Stack& stack;
    const std::optional<FailedList>& failed_list;
    const BatchRoom& room;
    double work_of_all;  // also of files that are not filtered
};

// Shows the files that were filtered just now, except parts and sequences. Empty: there are none.
std::string sheet_text(const BatchRun& run, const std::vector<FileResult>& results) {
    std::vector<JobFile> done;
    for (std::size_t k = 0; k < results.size(); ++k)
        if (const JobFile& file = run.files[k];
            results[k].status == FileStatus::ok && !file.part && !file.numbered)
            done.push_back(file);
    if (done.empty()) return "";
    const std::filesystem::path plan = *run.options.run;
    try {
        return save_trial_sheet(done, run.options.job.reader, plan.parent_path(),
                                plan.stem().string() + "-try");
    } catch (const Error& error) {
        return fmt::format("no sheet of pictures was made: {}", error.what());
    }
}

Outcome filter_files(const BatchRun& run, SignalWatch& signals, BatchSummary& summary) {
    clear_folders(run.files, *run.options.job.writer.run);
    // So that no file creates a context while others are being filtered.
    if (run.room.devices.size() > 1) start_devices(run.room.devices);
    Trace trace;
    const std::shared_ptr<BatchEvents> events = make_batch_events(run.options.progress);
    events->begin(run.files.size());
    signals.on_progress_requested([events] { events->progress_requested(); });
    StallGuard guard;
    const auto filters = std::make_shared<KeptFilters>(static_cast<std::size_t>(run.room.jobs));
    // With -hwaccel auto the first photos are decoded while nvJPEG starts.
    const auto jpegs = std::make_shared<GpuJpegs>(
        run.options.job.reader.hwaccel == Hwaccel::cuda ? StartPolicy::wait : StartPolicy::fail);
    const Ticker clock;
    std::atomic<bool> gpu_used = false;
    const auto run_file = [&](const JobFile& file, const Device& device,
                              const ProgressCallback& progress) {
        FileJob job = make_file_job(file, run.options, run.fitting.for_output(file.output), device,
                                    run.room.jobs);
        job.stack = run.stack;
        if (std::optional<FileResult> changed = changed_since_plan(file, job))
            return std::move(*changed);
        job.filters = filters;
        job.gpu_jpegs = jpegs;
        if (device.is_gpu()) gpu_used = true;
        if (run.options.trace) job.trace = &trace;
        return filter_guarded(guard, std::move(job), signals.token(), progress);
    };
    KeptResults kept(run.options.json || run.options.explain || run.options.trial > 0);
    run_jobs(run.files, run.room, run_file, signals.token(), *events,
             [&](std::size_t file, FileResult result) { kept.add(file, std::move(result)); });
    const std::vector<FileResult> results = kept.take();
    const Outcome signal = signals.outcome();
    summary.outcome = signal == Outcome::ok ? batch_outcome(results) : signal;
    summary.tally = kept.tally();
    summary.files = run.files.size();
    summary.tally.seconds = clock.elapsed();
    if (run.options.trial > 0) {
        add_note(run.options,
                 trial_text(run.files, results, summary.tally.seconds, run.work_of_all), summary);
        const std::string sheet = signal == Outcome::ok ? sheet_text(run, results) : "";
        if (!sheet.empty()) add_note(run.options, sheet, summary);
    }
    if (run.room.begins_on_fallback && !gpu_used && summary.tally.done > 0)
        add_note(run.options,
                 fmt::format("filtered on the CPU because {} would not have saved time",
                             run.room.devices.front().name),
                 summary);
    print_event([&] { events->end(summary.outcome, summary.tally); });
    const Ending ending{run.options, trace, run.failed_list,
                        signal == Outcome::ok ? failure_text(results, run.files.size())
                                              : stopped_text(run.files, run.options.resume)};
    if (guard.has_abandoned()) leave_with(ending, results, summary);
    return report(ending, results, summary);
}

}  // namespace

Outcome run_batch(Arguments arguments) {
    std::optional<BatchOptions> options = parse_batch(arguments);
    if (!options) {
        print_output(batch_help());
        return Outcome::ok;
    }
    SignalWatch signals;  // first: listing a large folder takes its time
    std::optional<PlanReader> plan;
    if (options->run) plan.emplace(*options->run);
    if (plan) options = parse_planned_batch(arguments, plan->head());
    if (!plan) refuse_foreign_filters(arguments, *options);
    const Stack stack = load_stack(options->stack);
    ExtensionCounts others;
    std::vector<JobFile> files = find_files(*options, stack, plan ? &*plan : nullptr, others);
    // Before others are erased: a shard of pictures must not refuse options for their videos.
    const FittingOptions fitting(files, options->job.writer);
    if (options->check)
        return check_plan(*options, state_of_plan(*options, std::move(files), fitting, stack),
                          plan->hash(), signals);
    if (options->plan) return make_plan({*options, files, fitting, stack}, signals);
    if (options->join) files = videos_to_join(std::move(files));
    const double work_of_all = work_of(files);
    std::erase_if(files, [](const JobFile& file) { return file.elsewhere; });
    if (options->trial > 0) files = spread_over(std::move(files), options->trial);
    std::optional<FailedList> failed_list;
    if (options->failed_list)
        failed_list.emplace(*options->failed_list, files, options->job.writer.overwrite);
    BatchSummary summary{.devices = {},
                         .stack = typed_stack(options->stack, stack),
                         .resolved = print_resolved(stack)};
    note_shard(*options, files.size(), summary);
    note_skipped_files(*options, others, summary);
    for (const std::string& sentence : unlike_ffmpeg(stack)) add_note(*options, sentence, summary);
    if (!fitting.note().empty()) add_note(*options, fitting.note(), summary);
    if (files.empty())
        return options->dry_run ? show_plan(*options, files, summary, fitting, stack)
                                : report_no_files(*options, failed_list, summary);
    summary.devices = begins_on_cpu(files, *options)
                          ? choose_devices(options->gpu, remembered_gpus())
                          : choose_devices(options->gpu);
    print_fallback(*options, summary.devices);
    const BatchRoom room = batch_room(files, *options, summary.devices.devices);
    summary.jobs = room.jobs;
    if (options->dry_run && room.begins_on_fallback)
        add_note(*options, "pictures start on the CPU; the GPU is started when that saves time",
                 summary);
    if (options->dry_run) return show_plan(*options, files, summary, fitting, stack);

    return filter_files({*options, files, fitting, stack, failed_list, room, work_of_all}, signals,
                        summary);
}

}  // namespace weft
