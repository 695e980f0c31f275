// The progress of a plan, by the receipts next to its outputs alone: any machine that sees the
// files can compute it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/batch/job_list.h"
#include "app/batch/plan.h"
#include "app/media/write/resume.h"

namespace weft {

// Per file, or per part of a video that is divided.
inline constexpr int kMostAttempts = 3;

enum class FileState {
    done,      // a receipt proves that the output is complete
    damaged,   // a receipt proves that the input is damaged: another run would end the same way
    failed,    // a receipt counts kMostAttempts runs that failed: no more are worth a task
    unjoined,  // a part of a video that is finished, but not joined to the others
    missing,   // none of these
};

struct FileCheck {
    FileState state = FileState::missing;
    std::string reason;        // a clause, unless it is done: "the output does not exist yet"
    bool failed = false;       // missing, because its run failed: `reason` begins with the error
    std::int64_t frames = 0;   // in the output
    std::int64_t started = 0;  // by its run's clock, in seconds since 1970; 0: no receipt
    double seconds = 0;        // that the run took
    std::string host = {};     // that it was on
};

// ", part 2 of 5"; empty for a whole file.
std::string part_text(const JobFile& file);

// Compares the receipt with the plan and with the size and time of input and output, whose contents
// are read only if the output's time has changed. `file` is one of planned_jobs(), `job` what
// receipt_job() returns for it.
FileCheck check_file(const JobFile& file, const JobFacts& job);

// The state of a whole plan. All files are missing before the first update().
class PlanState {
 public:
    // `job_of` returns the facts of a file's job.
    PlanState(std::vector<JobFile> files, std::vector<PlannedFile> planned, int shards,
              std::function<JobFacts(const JobFile&)> job_of);

    // Checks the missing files again. Leaves the rest of them for the next update after a stop
    // request.
    void update(const std::stop_token& stop = {});

    struct Item {
        const JobFile& file;
        int shard;
        const FileCheck& check;
    };
    std::size_t size() const { return files_.size(); }
    bool has_parts() const;  // of videos that several tasks share
    Item operator[](std::size_t file) const {
        return {files_[file], planned_[file].shard, checks_[file]};
    }
    std::size_t count(FileState state) const;
    int shards() const { return shards_; }
    // The shards with missing files, in order.
    std::vector<int> open_shards() const;
    std::int64_t frames() const;

    // Counts the files that ended in the hour before `now` (seconds since 1970) or since the first
    // one began, if that is later. Nothing if no file did.
    struct Rate {
        double frames_per_second = 0;
        double eta_seconds = 0;  // for the missing files at the same rate of PlannedFile::work
    };
    std::optional<Rate> rate(std::int64_t now) const;

 private:
    std::vector<JobFile> files_;
    std::vector<PlannedFile> planned_;
    std::vector<FileCheck> checks_;
    int shards_;
    std::function<JobFacts(const JobFile&)> job_of_;
};

// "3,17,40-42": task numbers from 0 for `sbatch --array=`; empty without shards.
std::string slurm_array(const std::vector<int>& shards);

}  // namespace weft
