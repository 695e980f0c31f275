// Divides the files of a batch into shards that take about the same time.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "app/batch/plan.h"

namespace weft {

struct PlanRequest {
    std::string plan;            // its path
    std::vector<JobFile> files;  // as list_jobs() returns them
    std::string format = {};     // -f
    int shards = 1;
    int parts = 1;              // per video with enough segments, at most
    int frames_before = 0;      // that the stack needs to filter a frame
    ReaderOptions reader = {};  // except the path
};

// The files of a plan, and findings for the user.
struct PlannedFiles {
    std::vector<PlannedFile> files;
    std::string inputs;                 // see PlanHead
    std::vector<std::string> problems;  // files whose tasks will fail, one sentence each
    // For each combination of an output container with codecs of the input, one of the files that
    // have it: a dry run of these finds options that do not fit any of the files.
    std::vector<JobFile> samples;
};

// Reads the headers of all files, by several threads: it waits for file servers more than it
// computes. Also reads all packets of videos that are divided, to find the key frames before their
// parts. Files that cannot be opened stay in the plan, so that a task reports them. Throws
// Error(usage) for inputs that a plan cannot store, Cancelled.
PlannedFiles plan_files(const PlanRequest& request, const std::stop_token& stop);

// For --join: the videos that are divided into parts, one entry each, in the shard of the first
// part. Other files are left out.
std::vector<JobFile> videos_to_join(std::vector<JobFile> parts);

// Sorts the files by their work and keeps `count` of them at equal distances, from the least to the
// most.
std::vector<JobFile> spread_over(std::vector<JobFile> files, int count);

// All files of the plan at `path`, those of other shards marked, with the paths that they have
// here. The inputs of the shard are added to `run`. Throws Error(usage): as PlanReader::next(), and
// for an output of the shard that leads to one of its inputs.
std::vector<JobFile> planned_jobs(PlanReader& plan, const std::string& path,
                                  const std::optional<Shard>& shard, RunFiles& run);

// Sets PlannedFile::shard: the largest file goes first, each to the shard with the least work. With
// as many shards as files or more, each file has its own.
void assign_shards(std::vector<PlannedFile>& files, int shards);

// The work of the largest shard divided by the mean; 1 without files.
double imbalance(const std::vector<PlannedFile>& files, int shards);

}  // namespace weft
