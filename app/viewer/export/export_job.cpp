#include "app/viewer/export/export_job.h"

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <sys/statvfs.h>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/media/output/run_files.h"
#include "app/media/output/write_error.h"
#include "app/media/write/segment_store.h"
#include "app/pipeline/pipeline.h"
#include "app/pipeline/result_text.h"
#include "app/pipeline/resumable.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

constexpr auto kLeastTimeBetweenWakes = std::chrono::milliseconds(100);

ExportOutcome outcome_of(const FileResult& result) {
    ExportOutcome outcome;
    outcome.written = result.status != FileStatus::failed && result.written.bytes > 0;
    outcome.bytes = result.written.bytes;
    outcome.sentence = result.status == FileStatus::ok ? result_line(result) : result.error;
    outcome.write_errno = result.write_errno;
    outcome.details = result.warnings;
    outcome.details.insert(outcome.details.end(), result.notes.begin(), result.notes.end());
    return outcome;
}

// The folder at which the disk of `file` is mounted.
fs::path mount_of(const fs::path& file) {
    std::error_code error;
    fs::path folder = fs::weakly_canonical(file, error).parent_path();
    const std::optional<FileId> id = file_id(folder);
    while (id && folder.has_relative_path()) {
        const std::optional<FileId> parent = file_id(folder.parent_path());
        if (!parent || parent->first != id->first) break;
        folder = folder.parent_path();
    }
    return folder;
}

// Some file systems have a fixed number of files.
bool has_no_room_for_files(const fs::path& disk) {
    struct statvfs info {};
    return statvfs(disk.c_str(), &info) == 0 && info.f_files > 0 && info.f_favail == 0;
}

std::string fault_text(const fs::path& disk, int error) {
    if (error == EDQUOT)
        return fmt::format("Your quota on the disk at {} is used up", disk.string());
    if (has_no_room_for_files(disk))
        return fmt::format("The disk at {} has no room for more files", disk.string());
    std::error_code unknown;
    const fs::space_info space = fs::space(disk, unknown);
    const std::string free =
        unknown ? "" : fmt::format(" ({} free)", size_text(static_cast<double>(space.available)));
    return fmt::format("The disk at {} is full{}", disk.string(), free);
}

// `next` is what the export does then.
std::string full_disk_text(const std::string& output, int error, const char* next) {
    return fmt::format("{}. Free some space there, then press Resume: the export {}.",
                       fault_text(mount_of(output), error), next);
}

std::string cancelled_text(const FileJob& job) {
    if (job.writer.resume && has_segments(job.writer.path))
        return fmt::format(
            "{}: cancelled; its finished part is kept, and the same export continues after it",
            job.writer.path);
    return fmt::format("{}: cancelled, nothing was written", job.writer.path);
}

}  // namespace

ExportJob::ExportJob(std::function<void()> changed) : changed_(std::move(changed)) {}

ExportJob::~ExportJob() = default;  // the thread is a member: stopped and joined first

void ExportJob::start(FileJob job) {
    if (running()) throw std::logic_error("an export is running");
    if (thread_.joinable()) thread_.join();
    started_ = SteadyClock::now();
    woken_ = {};
    status_ = {.state = ExportState::running, .output = job.writer.path};
    thread_ = std::jthread(
        [this, job = std::move(job)](const std::stop_token& stop) mutable { run(job, stop); });
}

void ExportJob::cancel() {
    const std::scoped_lock lock(mutex_);
    if (status_.state != ExportState::running) return;
    status_.state = ExportState::cancelling;
    thread_.request_stop();
}

void ExportJob::set_paused(bool paused) {
    {
        const std::scoped_lock lock(mutex_);
        status_.paused = paused && status_.state == ExportState::running;
        if (!status_.paused) status_.full_disk.clear();
    }
    unpaused_.notify_all();
}

bool ExportJob::running() const {
    const std::scoped_lock lock(mutex_);
    return status_.state == ExportState::running || status_.state == ExportState::cancelling;
}

ExportStatus ExportJob::status() const {
    const std::scoped_lock lock(mutex_);
    return status_;
}

void ExportJob::run(FileJob& job, const std::stop_token& stop) {
    const char* const kNext = job.writer.resume ? "continues after its finished part"
                                                : "starts again, and the queue continues after it";
    try {
        job.writer.on_full_disk = [this, &stop](int error) {
            return hold_on_full_disk(error, "continues where it stopped, and nothing is lost",
                                     stop);
        };
        ExportOutcome outcome = attempt(job, stop);
        while (!outcome.written && is_full_disk(outcome.write_errno)) {
            if (!hold_on_full_disk(outcome.write_errno, kNext, stop)) throw Cancelled();
            started_ = SteadyClock::now();
            outcome = attempt(job, stop);
        }
        if (outcome.written && !job.writer.resume) remove_segment_file(job.writer.path);
        finish(std::move(outcome));
    } catch (const Cancelled&) {
        finish({.cancelled = true, .sentence = cancelled_text(job)});
    }
}

ExportOutcome ExportJob::attempt(const FileJob& job, const std::stop_token& stop) {
    pace_ = {};
    try {
        return outcome_of(filter_file(job, stop, [this, &stop](const FileProgress& progress) {
            report(progress);
            hold(stop);
        }));
    } catch (const Cancelled&) {
        throw;
    } catch (const std::exception& error) {
        return {.sentence = fmt::format("{}: {}", job.writer.path, error.what())};
    }
}

void ExportJob::report(const FileProgress& progress) {
    const auto now = SteadyClock::now();
    ProgressMeter meter(1);
    meter.update(0, progress);
    {
        const std::scoped_lock lock(mutex_);
        const double elapsed = std::chrono::duration<double>(now - started_).count();
        status_.pace = meter.pace(elapsed);
        pace_.add(elapsed, progress.frames - std::min(progress.frames, progress.frames_stored));
        const std::optional<double> rest =
            pace_.seconds_for(progress.frames_estimated - progress.frames);
        if (status_.pace.eta_seconds && rest) status_.pace.eta_seconds = std::max(*rest, 0.0);
        if (const std::optional<double> fps = pace_.fps()) status_.pace.fps = *fps;
        status_.bytes = progress.bytes;
    }
    if (now - woken_ < kLeastTimeBetweenWakes) return;
    woken_ = now;
    if (changed_) changed_();
}

// Blocks the stage that encodes; the stages before it stop when the queues between them are full.
void ExportJob::hold(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    (void)wait_for_resume(lock, stop);
}

// Blocks the write that found no space, or the next attempt. False if the export was cancelled
// meanwhile.
bool ExportJob::hold_on_full_disk(int error, const char* next, const std::stop_token& stop) {
    if (stop.stop_requested()) return false;
    std::string problem = full_disk_text(status().output, error, next);
    std::unique_lock lock(mutex_);
    status_.paused = true;
    status_.full_disk = std::move(problem);
    lock.unlock();
    if (changed_) changed_();
    lock.lock();
    return wait_for_resume(lock, stop);
}

// False if the export was cancelled.
bool ExportJob::wait_for_resume(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
    const auto from = SteadyClock::now();
    const bool resumed = unpaused_.wait(lock, stop, [this] { return !status_.paused; });
    started_ += SteadyClock::now() - from;
    return resumed;
}

void ExportJob::finish(ExportOutcome outcome) {
    {
        const std::scoped_lock lock(mutex_);
        status_.state = ExportState::done;
        status_.paused = false;
        status_.full_disk.clear();
        if (outcome.written) {
            status_.pace.fraction = 1;  // the number of frames was an estimate
            status_.bytes = outcome.bytes;
        }
        status_.outcome = std::move(outcome);
    }
    if (changed_) changed_();
}

}  // namespace weft
