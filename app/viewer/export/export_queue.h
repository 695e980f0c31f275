// Exports that wait for their turn: one runs at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/viewer/export/export_job.h"
#include "app/viewer/export/export_request.h"

namespace weft {

enum class QueueState : std::uint8_t { waiting, running, done, failed, cancelled };

struct QueuedExport {
    std::uint64_t id = 0;
    FileJob job;
    std::string work_key;  // see work_key()
    QueueState state = QueueState::waiting;
    ExportOutcome outcome = {};  // once it has ended
};

enum class RunningExport : std::uint8_t { none, lost_by_quitting, resumable };

// Measured by an export.
struct MeasuredExport {
    double fps = 0;
    double bytes_per_frame = 0;  // 0 before half of it is done
};

// Choices that an export gets as if they had been made for it. Without effect on one that is made
// already, or that the export does not allow.
struct AddedChoices {
    bool keep_damaged = false;
    bool resumable = false;
};

// All calls must come from one thread, the window's.
class ExportQueue {
 public:
    // `changed`: see ExportJob; call poll() after it.
    explicit ExportQueue(std::function<void()> changed = {}) : job_(std::move(changed)) {}

    // Before all waiting exports, or after them. Returns its id.
    std::uint64_t add(const ExportRequest& request, bool first = false);
    // Refusals of why_not_export(), and a name that a waiting or running export will write.
    std::optional<ExportRefusal> why_not(const ExportRequest& request) const;

    // The output, or a numbered name next to it that no file and no waiting or running export has:
    // "film-filtered-2.mp4".
    std::string free_name(const std::string& output) const;

    // Runs the waiting exports in order, and those added before the last one has ended. A failure
    // does not stop the others; one whose output exists by then fails. A pause between two exports
    // ends; a paused export stays paused.
    void start();
    bool started() const { return started_; }
    // Starts the next export if none is running. Returns the outcomes since the last call.
    std::vector<ExportOutcome> poll();
    // Pauses the running export, see ExportJob::set_paused(), and starts no other one, until this
    // is called with false or the last export was cancelled.
    void set_paused(bool paused);
    // True also while a full disk pauses the running export.
    bool paused() const { return paused_ || job_.status().paused; }
    // Cancels the running export; the next one follows.
    void cancel() { job_.cancel(); }

    // These do nothing for an export that runs, or that does not exist.
    void move(std::uint64_t id, int by);  // by places; only among the waiting ones
    void remove(std::uint64_t id);
    // Failed, cancelled and finished ones wait again, in their place, and the queue is started.
    void try_again(std::uint64_t id, const AddedChoices& added = {});

    const std::vector<QueuedExport>& list() const { return list_; }
    // The running export, or the last one.
    ExportStatus status() const { return job_.status(); }
    bool running() const { return job_.running(); }
    RunningExport running_export() const;
    std::size_t waiting() const;
    // The running export with that key, once a twentieth of it is done, or the latest finished one,
    // else one that has ended early after that share.
    std::optional<MeasuredExport> measured(const std::string& work_key) const;

 private:
    bool writes(const std::string& output) const;
    void start_next();

    std::vector<QueuedExport> list_;
    std::map<std::string, MeasuredExport> measured_;  // by work key
    std::vector<ExportOutcome> refused_;              // since the last call of poll()
    std::uint64_t last_id_ = 0;
    bool started_ = false;
    bool paused_ = false;
    ExportJob job_;
};

// "Waiting", "Running 43 %", "Paused 43 %", "Cancelling", "Done", "Failed", "Cancelled".
std::string state_text(const QueuedExport& queued, const ExportStatus& status);

// The question before quitting: "An export is still running, and 2 are waiting. If …".
std::string unfinished_words(RunningExport running, std::size_t waiting);

}  // namespace weft
