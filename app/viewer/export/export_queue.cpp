#include "app/viewer/export/export_queue.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "app/pipeline/resumable.h"

namespace weft {
namespace {

bool is_waiting(const QueuedExport& queued) {
    return queued.state == QueueState::waiting;
}

bool is_running(const QueuedExport& queued) {
    return queued.state == QueueState::running;
}

QueueState state_after(const ExportOutcome& outcome) {
    if (outcome.cancelled) return QueueState::cancelled;
    return outcome.written ? QueueState::done : QueueState::failed;
}

// Before these shares of the work encoders hold back too many frames: the speed is unknown, and the
// size.
constexpr double kEnough = 0.05;
constexpr double kEnoughForSize = 0.5;

bool is_measurable(const ExportStatus& status) {
    return status.pace.fraction.value_or(0) >= kEnough;
}

MeasuredExport measured_by(const ExportStatus& status) {
    const auto frames = static_cast<double>(std::max<std::int64_t>(status.pace.frames, 1));
    const bool sized = status.outcome.written || status.pace.fraction >= kEnoughForSize;
    return {status.pace.fps, sized ? static_cast<double>(status.bytes) / frames : 0};
}

}  // namespace

std::uint64_t ExportQueue::add(const ExportRequest& request, bool first) {
    const auto place = first ? std::ranges::find_if(list_, is_waiting) : list_.end();
    const auto added =
        list_.insert(place, {++last_id_, job_of(request), work_key(request), QueueState::waiting});
    return added->id;
}

std::optional<ExportRefusal> ExportQueue::why_not(const ExportRequest& request) const {
    const FileJob job = job_of(request);
    if (writes(job.writer.path))
        return ExportRefusal{
            fmt::format("{}: an export in the queue already writes this file; choose another name",
                        job.writer.path)};
    return why_not_export(job);
}

bool ExportQueue::writes(const std::string& output) const {
    return std::ranges::any_of(list_, [&](const QueuedExport& queued) {
        return (is_waiting(queued) || is_running(queued)) && queued.job.writer.path == output;
    });
}

std::string ExportQueue::free_name(const std::string& output) const {
    if (!writes(output)) return output;
    std::error_code error;
    std::string name = numbered_output(output);
    while (writes(name) || std::filesystem::exists(name, error)) name = numbered_output(name);
    return name;
}

void ExportQueue::start() {
    started_ = true;
    paused_ = paused_ && job_.running();
    start_next();
}

std::vector<ExportOutcome> ExportQueue::poll() {
    std::vector<ExportOutcome> outcomes = std::exchange(refused_, {});
    const auto ended = std::ranges::find_if(list_, is_running);
    if (ended != list_.end() && !job_.running()) {
        const ExportStatus status = job_.status();
        ended->outcome = status.outcome;
        ended->state = state_after(status.outcome);
        if (status.outcome.written)
            measured_[ended->work_key] = measured_by(status);
        else if (is_measurable(status))
            measured_.try_emplace(ended->work_key, measured_by(status));
        outcomes.push_back(status.outcome);
        if (waiting() == 0) paused_ = false;  // nothing is left to resume
    }
    start_next();
    return outcomes;
}

void ExportQueue::start_next() {
    if (!started_ || paused_ || std::ranges::any_of(list_, is_running)) return;
    while (true) {
        const auto next = std::ranges::find_if(list_, is_waiting);
        started_ = next != list_.end();
        if (!started_) return;
        const std::optional<ExportRefusal> refusal = why_not_export(next->job);
        if (!refusal) {
            next->state = QueueState::running;
            return job_.start(next->job);
        }
        next->state = QueueState::failed;
        next->outcome.sentence = refusal->sentence;
        if (refusal->exists)
            next->outcome.sentence += " by now; rename or remove it, then press Try again";
        refused_.push_back(next->outcome);
    }
}

void ExportQueue::set_paused(bool paused) {
    paused_ = paused;
    job_.set_paused(paused);
    start_next();
}

void ExportQueue::move(std::uint64_t id, int by) {
    std::vector<QueuedExport*> waiting;  // ended ones between them do not count
    for (QueuedExport& queued : list_)
        if (is_waiting(queued)) waiting.push_back(&queued);
    const auto moved = std::ranges::find(waiting, id, &QueuedExport::id);
    if (moved == waiting.end()) return;
    for (auto to = moved; by != 0; by += by < 0 ? 1 : -1) {
        const bool last = by < 0 ? to == waiting.begin() : to + 1 == waiting.end();
        if (last) return;
        const auto next = by < 0 ? to - 1 : to + 1;
        std::swap(**to, **next);
        to = next;
    }
}

void ExportQueue::remove(std::uint64_t id) {
    std::erase_if(
        list_, [id](const QueuedExport& queued) { return queued.id == id && !is_running(queued); });
}

void ExportQueue::try_again(std::uint64_t id, const AddedChoices& added) {
    const auto tried = std::ranges::find(list_, id, &QueuedExport::id);
    if (tried == list_.end() || is_running(*tried)) return;
    tried->state = QueueState::waiting;
    tried->outcome = {};
    FileJob& job = tried->job;
    job.keep_damaged = job.keep_damaged || added.keep_damaged;
    if (added.resumable && !job.writer.resume && !job.compose &&
        why_not_resumable(job.reader.path, job.writer.path, job.writer.format).empty())
        job.writer.resume = program_facts();
    start();
}

RunningExport ExportQueue::running_export() const {
    const auto found = std::ranges::find_if(list_, is_running);
    if (found == list_.end()) return RunningExport::none;
    return found->job.writer.resume ? RunningExport::resumable : RunningExport::lost_by_quitting;
}

std::size_t ExportQueue::waiting() const {
    return static_cast<std::size_t>(std::ranges::count_if(list_, is_waiting));
}

std::optional<MeasuredExport> ExportQueue::measured(const std::string& work_key) const {
    const ExportStatus now = job_.status();
    for (const QueuedExport& queued : list_)
        if (is_running(queued) && queued.work_key == work_key && is_measurable(now))
            return measured_by(now);
    const auto found = measured_.find(work_key);
    return found == measured_.end() ? std::nullopt : std::optional(found->second);
}

std::string state_text(const QueuedExport& queued, const ExportStatus& status) {
    switch (queued.state) {
        case QueueState::waiting:
            return "Waiting";
        case QueueState::running:
            if (status.state == ExportState::cancelling) return "Cancelling";
            return fmt::format(
                "{}{}", status.paused ? "Paused" : "Running",
                status.pace.fraction ? fmt::format(" {:.0f} %", *status.pace.fraction * 100) : "");
        case QueueState::done:
            return "Done";
        case QueueState::failed:
            return "Failed";
        case QueueState::cancelled:
            return "Cancelled";
    }
    return "";
}

std::string unfinished_words(RunningExport running, std::size_t waiting) {
    const std::string others =
        fmt::format("{} export{} waiting", waiting, waiting == 1 ? " is" : "s are");
    if (running == RunningExport::none)
        return fmt::format("{}. If you quit now, {} not written.", others,
                           waiting == 1 ? "its file is" : "their files are");
    const std::string kept =
        running == RunningExport::resumable
            ? " The finished part of the running one is kept; the same export continues after it."
            : "";
    if (waiting == 0)
        return "An export is still running. If you quit now, its file is not written." + kept;
    return fmt::format(
        "An export is still running, and {}. If you quit now, their files are not written.{}",
        others, kept);
}

}  // namespace weft
