// Options of a batch, as `weft batch` takes them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/batch/plan.h"
#include "app/batch/shard.h"
#include "app/pipeline/device_choice.h"
#include "app/pipeline/file_job.h"
#include "app/pipeline/stack_words.h"

namespace weft {

enum class ProgressMode { automatic, json, none };

// Forms in which --check prints the missing files: sentences, numbers of their tasks for Slurm's
// --array or one per line, JSON; or a table of all files: CSV, a page for browsers.
enum class CheckForm { list, slurm, index, json, csv, html };

struct BatchOptions {
    std::vector<std::string> inputs;
    std::optional<std::string> input_list;  // file with more inputs; "-": standard input
    std::string output;                     // a file, a folder, "-" or kNoOutput
    StackWords stack;
    FileJob job;  // the options of every file: see job_options(); its paths are those of no file
    GpuRequest gpu;
    std::optional<int> jobs;                  // default: jobs_for()
    std::optional<Shard> shard;               // filters these of the inputs; empty: all of them
    std::optional<std::string> plan;          // file to write: nothing is filtered
    int shards = 1;                           // of that plan
    int parts = 1;                            // --split: tasks that share a video of that plan
    bool join = false;                        // with `run`: join the parts of its videos
    int trial = 0;                            // with `run`: filter so many of its files; 0: all
    std::optional<std::string> run;           // plan whose files are filtered; `inputs` is empty
    std::optional<CheckForm> check;           // print the missing files of `run`
    bool watch = false;                       // with `check`: until nothing is missing
    std::vector<PlanOption> planned_options;  // the options that a plan stores
    bool recursive = false;
    bool dry_run = false;
    bool explain = false;
    bool resume = false;
    bool receipts = false;
    std::optional<std::string> json;         // report file; "-": standard output
    std::optional<std::string> trace;        // file of a timeline
    std::optional<std::string> failed_list;  // file for the inputs without a complete output
    ProgressMode progress = ProgressMode::automatic;
};

}  // namespace weft
