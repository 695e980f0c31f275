#include "app/viewer/export/export_job.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/media/demux/image_sequence.h"
#include "app/media/write/container_table.h"
#include "app/pipeline/pipeline.h"
#include "app/pipeline/result_text.h"
#include "app/viewer/view/compare_video.h"

namespace weft {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr auto kLeastTimeBetweenWakes = std::chrono::milliseconds(100);

bool is_plain_file(const std::string& path) {
    std::error_code error;
    return std::filesystem::is_regular_file(path, error);
}

// Throws Error for every problem except an existing file, which may be replaced.
void check_names(const FileJob& job) {
    const std::string& output = job.writer.path;
    if (output.empty()) throw Error(Outcome::usage, "the output needs a name");
    (void)find_container(output, job.writer.format);
    RunFiles(job.reader.path).refuse_source(output);
    if (job.reader.start_us && job.reader.end_us && *job.reader.end_us <= *job.reader.start_us)
        throw Error(Outcome::usage, "the range to export is empty: its end is not after its start");
    if (!is_sequence_pattern(output)) check_output_path(follow_links(output), Overwrite::replace);
}

ExportOutcome outcome_of(const FileResult& result) {
    ExportOutcome outcome;
    outcome.written = result.status != FileStatus::failed && result.written.bytes > 0;
    outcome.sentence = result.status == FileStatus::ok ? result_line(result) : result.error;
    outcome.details = result.warnings;
    outcome.details.insert(outcome.details.end(), result.notes.begin(), result.notes.end());
    return outcome;
}

}  // namespace

void set_range(FileJob& job, const ExportRange& range) {
    job.reader.start_us = range.start_us;
    job.reader.end_us = range.end_us;
    job.writer.shift_us = range.start_us;
    job.writer.length_us = range.end_us - range.start_us;
}

std::optional<ExportRefusal> why_not_export(const FileJob& job) {
    try {
        check_names(job);
    } catch (const Error& error) {
        return ExportRefusal{error.what()};
    }
    if (job.writer.overwrite == Overwrite::replace || !is_plain_file(job.writer.path))
        return std::nullopt;
    return ExportRefusal{fmt::format("{}: already exists", job.writer.path), true};
}

ExportJob::ExportJob(std::function<void()> changed) : changed_(std::move(changed)) {}

ExportJob::~ExportJob() = default;  // the thread is a member: stopped and joined first

void ExportJob::start(FileJob job) {
    if (running()) throw std::logic_error("an export is running");
    if (thread_.joinable()) thread_.join();
    started_ = SteadyClock::now();
    woken_ = {};
    status_ = {.state = ExportState::running, .output = job.writer.path};
    thread_ =
        std::jthread([this, job = std::move(job)](const std::stop_token& stop) { run(job, stop); });
}

void ExportJob::cancel() {
    const std::scoped_lock lock(mutex_);
    if (status_.state != ExportState::running) return;
    status_.state = ExportState::cancelling;
    thread_.request_stop();
}

bool ExportJob::running() const {
    const std::scoped_lock lock(mutex_);
    return status_.state == ExportState::running || status_.state == ExportState::cancelling;
}

ExportStatus ExportJob::status() const {
    const std::scoped_lock lock(mutex_);
    return status_;
}

void ExportJob::run(const FileJob& job, const std::stop_token& stop) {
    try {
        finish(outcome_of(
            filter_file(job, stop, [this](const FileProgress& progress) { report(progress); })));
    } catch (const Cancelled&) {
        finish({.cancelled = true,
                .sentence = fmt::format("{}: cancelled, nothing was written", job.writer.path)});
    } catch (const std::exception& error) {
        finish({.sentence = fmt::format("{}: {}", job.writer.path, error.what())});
    }
}

void ExportJob::report(const FileProgress& progress) {
    const auto now = SteadyClock::now();
    ProgressMeter meter(1);
    meter.update(0, progress);
    {
        const std::scoped_lock lock(mutex_);
        status_.pace = meter.pace(std::chrono::duration<double>(now - started_).count());
    }
    if (now - woken_ < kLeastTimeBetweenWakes) return;
    woken_ = now;
    if (changed_) changed_();
}

void ExportJob::finish(ExportOutcome outcome) {
    {
        const std::scoped_lock lock(mutex_);
        status_.state = ExportState::done;
        if (outcome.written) status_.pace.fraction = 1;  // the number of frames was an estimate
        status_.outcome = std::move(outcome);
    }
    if (changed_) changed_();
}

namespace {

namespace fs = std::filesystem;

CompareLayout layout_of(CompareMode mode) {
    switch (mode) {
        case CompareMode::single:
        case CompareMode::wipe:
            return CompareLayout::wipe;
        case CompareMode::side_by_side:
            return CompareLayout::side_by_side;
        case CompareMode::difference:
            return CompareLayout::difference;
    }
    return CompareLayout::wipe;
}

// The stack of a side of the view; the original's has no steps.
StackRequest stack_of(const ExportRequest& request, Side side) {
    return side == 0 || side > request.stacks.size() ? StackRequest{} : request.stacks[side - 1];
}

CompareVideo comparison(const ExportRequest& request) {
    return {.layout = layout_of(request.view.mode),
            .position = request.view.wipe,
            .gain = request.view.gain,
            .rotation_degrees = request.rotation_degrees,
            .line = request.view.wipe_line};
}

// Sets the stacks and the layout to export.
void set_pictures(const ExportRequest& request, FileJob& job) {
    const StackRequest right = stack_of(request, request.view.right);
    job.stack = right.stack;
    job.forced.by_step = right.kernels;
    if (!request.compared || request.view.mode == CompareMode::single) return;
    const StackRequest left = stack_of(request, request.view.left);
    job.compared = left.stack;
    job.compared_forced.by_step = left.kernels;
    job.compose = compare_composer(comparison(request));
}

// Rounded down, allowing for the error of doubles: includes a frame at the start of the part and
// excludes one at its end.
std::int64_t microseconds(double seconds) {
    constexpr double kLost = 1e-3;
    return static_cast<std::int64_t>(std::floor(std::max(seconds, 0.0) * 1e6 + kLost));
}

bool can_be_written(std::string_view extension) {
    const std::vector<std::string> all = output_extensions();
    return !extension.empty() && std::ranges::find(all, extension.substr(1)) != all.end();
}

}  // namespace

FileJob job_of(const ExportRequest& request) {
    FileJob job;
    job.reader.path = request.input;
    job.writer.path = request.output;
    job.writer.lossless = request.lossless;
    if (!request.lossless) job.writer.crf = request.crf;
    job.writer.overwrite = request.replace ? Overwrite::replace : Overwrite::refuse;
    job.device = request.device;
    job.keep_damaged = request.keep_damaged;
    set_pictures(request, job);
    if (request.part)
        set_range(job, {microseconds(request.part->first + request.first_frame_seconds),
                        microseconds(request.part->second + request.first_frame_seconds)});
    return job;
}

std::string proposed_output(const std::string& input) {
    const fs::path path(input);
    const std::string own = path.extension().string();
    const std::string ending = can_be_written(own) ? own : ".mkv";
    return (path.parent_path() / (path.stem().string() + "-filtered" + ending)).string();
}

}  // namespace weft
